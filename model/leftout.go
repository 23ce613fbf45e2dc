package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vantage/model/sanitize"
	"vantage/model/units"
)

// leftOut counts what is left out of each file. A file that is read again is counted anew.
type leftOut map[int32]int

// count returns how much is left out, and the first file of it.
func (l leftOut) count() (n int, example int32) {
	files := slices.Sorted(maps.Keys(l))
	for _, file := range files {
		n += l[file]
	}
	if n > 0 {
		example = files[0]
	}
	return n, example
}

// leftOutNotes say what was read and does not count.
func (s *Store) leftOutNotes() []string {
	var notes []string
	if n, file := s.untrained.count(); n > 0 {
		notes = append(notes, fmt.Sprintf("not counted: %s of agents that are not trained (agent.trainable is false), in %s",
			units.Plural(n, "traces"), s.nameFiles(file, len(s.untrained))))
	}
	if n, file := s.lengthsLeftOut.count(); n > 0 {
		notes = append(notes, fmt.Sprintf("the lengths of %s, which are in characters where other files count tokens, in %s",
			units.Plural(n, "samples"), s.nameFiles(file, len(s.lengthsLeftOut))))
	}
	if n, file := s.strayOutputs.count(); n > 0 {
		notes = append(notes, fmt.Sprintf("taken as rollouts of their own: %s that by their ids are later outputs of a rollout but do not follow its earlier ones, in %s",
			units.Plural(n, "rows"), s.nameFiles(file, len(s.strayOutputs))))
	}
	return notes
}

// nameFiles names the first of some files.
func (s *Store) nameFiles(first int32, files int) string {
	name := strconv.Itoa(int(first))
	if int(first) < len(s.files) {
		name = sanitize.Line(s.files[first])
	}
	if files > 1 {
		name += fmt.Sprintf(" and %s", units.Plural(files-1, "more files"))
	}
	return name
}

// takeLengthUnit takes the unit of a chunk that is about to be added. All lengths of a run have one
// unit: tokens, if some are in tokens. Lengths in characters are then missing.
func (s *Store) takeLengthUnit(c *Chunk) {
	switch {
	case len(c.Records)+len(c.Blocks) == 0:
	case len(s.steps) == 0 || s.lengthUnit == LengthUnknown:
		s.lengthUnit = c.LengthUnit
	case s.lengthUnit == LengthCharacters && c.LengthUnit == LengthTokens:
		s.lengthUnit = LengthTokens
		for number, cols := range s.steps {
			s.steps[number] = s.withoutLengths(cols)
		}
		s.lastStep = nil
	case s.lengthUnit == LengthTokens && c.LengthUnit == LengthCharacters:
		for i := range c.Records {
			s.dropLength(c.Records[i].File, &c.Records[i].Length)
		}
		for i := range c.Blocks {
			for k := range c.Blocks[i].Length {
				s.dropLength(c.Blocks[i].File, &c.Blocks[i].Length[k])
			}
		}
	}
}

// dropLength makes a length unknown and counts it.
func (s *Store) dropLength(file int32, length *int32) {
	if *length >= 0 {
		*length = -1
		s.lengthsLeftOut[file]++
	}
}

// withoutLengths returns the columns with unknown lengths. Older snapshots read the old ones.
func (s *Store) withoutLengths(cols *stepColumns) *stepColumns {
	changed := *cols
	changed.lengths = slices.Clone(cols.lengths)
	for i := range changed.lengths {
		s.dropLength(placeOf(cols.fileSpans, cols.spanOffset, nil, i).File, &changed.lengths[i])
	}
	changed.revision = s.revision
	return &changed
}
