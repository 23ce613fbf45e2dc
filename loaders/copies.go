package loaders

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/discover"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// A person may keep the samples of a file in another container next to it: rollouts.csv next to rollouts.jsonl. Their names are alike, but
// what they hold decides: files with the same rewards at the same steps, in the same order, are counted once.

// content is what tells the rows of a file from those of others.
type content struct {
	rows      int
	hash      uint64
	isLeftOut bool // its file is a copy of one that is there
}

func (c *content) add(step int64, reward float64) {
	if math.IsNaN(reward) {
		reward = math.NaN()
	}
	c.rows++
	c.hash = jsonscan.MixHash(jsonscan.MixHash(c.hash, uint64(step)), math.Float64bits(reward))
}

// addContents adds records to what their files hold.
func (q *chunkQueue) addContents(records []model.Record) {
	for i := range records {
		if c := q.contents[records[i].File]; c != nil {
			c.add(records[i].Step, records[i].Reward)
		}
	}
}

// copyEnds end the names of copies.
var copyEnds = []string{"_backup", "-backup", "_bak", "_copy", "-copy"}

// containers are the extensions of containers, those that hold most of a sample first.
var containers = []string{".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".json", ".csv", ".tsv"}

// copyName is what names of copies have in common. The number of a step before the container, as in samples.step_3.jsonl, is none of it.
func copyName(name string) string {
	dir, base := filepath.Split(strings.ToLower(name))
	base = framing.Unpacked(base)
	if slices.Contains(containers, filepath.Ext(base)) {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	for _, end := range copyEnds {
		base = strings.TrimSuffix(base, end)
	}
	return dir + base
}

// copyRank orders copies: the first is read.
func copyRank(name string) int {
	rank := slices.Index(containers, framing.Extension(name))
	if rank < 0 {
		rank = len(containers)
	}
	return rank
}

// watchCopies has the contents of files noted that are named as copies of others in their directory.
func (s *fileSet) watchCopies(d *directory) {
	byName := map[string][]*file{}
	for _, f := range s.reading.files {
		c := s.chunks.contents[f.index]
		if isLeftOut := c != nil && c.isLeftOut; f.directory == d && (!f.refused || isLeftOut) {
			byName[copyName(f.name)] = append(byName[copyName(f.name)], f)
		}
	}
	d.copies = nil
	for _, files := range byName {
		if len(files) < 2 {
			continue
		}
		slices.SortStableFunc(files, func(a, b *file) int {
			return cmp.Or(cmp.Compare(copyRank(a.name), copyRank(b.name)), cmp.Compare(len(a.name), len(b.name)))
		})
		d.copies = append(d.copies, files)
		for _, f := range files {
			if s.chunks.contents[f.index] != nil {
				continue
			}
			if s.chunks.contents == nil {
				s.chunks.contents = map[int32]*content{}
			}
			s.chunks.contents[f.index] = &content{}
			if f.hasStep { // it was read before the other came
				s.reading.restart(f)
				s.reading.enqueue(f)
			}
		}
	}
	slices.SortFunc(d.copies, func(a, b []*file) int { return discover.CompareNatural(a[0].name, b[0].name) })
}

// leastOfCopy is how many rows two files that are followed have in common at least: the first of other logs may have the same rewards.
const leastOfCopy = 8

// leaveOutCopies drops, once all is read, the files that hold what one with a like name holds.
func (s *fileSet) leaveOutCopies() {
	if len(s.reading.queue) > 0 {
		return
	}
	least := 1
	if s.options.Follow {
		least = leastOfCopy
	}
	for _, d := range s.directories {
		for _, files := range d.copies {
			for i, f := range files {
				if c := s.chunks.contents[f.index]; !f.refused && c.rows >= least {
					s.leaveOutCopiesOf(d, f, files[i+1:])
				}
			}
		}
	}
}

func (s *fileSet) leaveOutCopiesOf(d *directory, f *file, others []*file) {
	for _, o := range others {
		if o.refused || *s.chunks.contents[o.index] != *s.chunks.contents[f.index] {
			continue
		}
		if len(d.twins.leftOut) == 0 {
			d.twins.example = f.name
		}
		d.twins.leftOut = append(d.twins.leftOut, o.name)
		s.reading.drop(o)
		s.chunks.contents[o.index].isLeftOut = true
	}
}

// takeCopiesOf reads the copies of a file that is gone instead of it, as a log that was rotated and compressed.
func (s *fileSet) takeCopiesOf(gone *file) {
	for _, files := range gone.directory.copies {
		if !slices.Contains(files, gone) {
			continue
		}
		for _, f := range files {
			if c := s.chunks.contents[f.index]; f != gone && c.isLeftOut {
				s.dropGone(gone)
				*c, f.refused = content{}, false
				s.reading.restart(f)
				s.reading.enqueue(f)
			}
		}
	}
}
