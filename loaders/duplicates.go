package loaders

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// duplicateFinder finds blocks of rows that a trainer logged twice. TRL and ms-swift log from a queue
// that they do not empty: a generation that serves several steps, an evaluation or the final log
// repeats the block of an earlier step, or of the same one. Each of W&B's tables repeats the rows of
// those before it.
type duplicateFinder struct {
	recent     [maxRecent]blockID
	nextRecent int
	files      map[blockKey]int32 // the file of each block
	repeats    map[int32][]int32  // by file, the files that repeat blocks of it
}

// blockID identifies a block that was read: consecutive rows of one step.
type blockID struct {
	blockKey
	file int32
}

// blockKey is equal for blocks of equal rows of a step.
type blockKey struct {
	hash uint64
	rows int
	step int64
}

const (
	maxRecent = 8       // blocks of other steps that a new one is compared with
	minBlock  = 4       // rows: fewer may be equal by chance
	maxKnown  = 1 << 16 // blocks that are remembered
)

// recordsID identifies a block of records. The hashes of the responses are part of it where they are
// known, since short responses have equal lengths by chance.
func recordsID(records []model.Record, responses ...uint64) blockID {
	if len(records) == 0 || records[0].Length < 0 {
		return blockID{}
	}
	b := make([]byte, 0, rowIDSize*len(records))
	for i := range records {
		x := &records[i]
		b = appendRowID(b, x.Prompt, x.Reward, x.Advantage, x.Length)
	}
	for _, hash := range responses {
		b = binary.LittleEndian.AppendUint64(b, hash)
	}
	return blockID{blockKey{jsonscan.Hash64(b), len(records), records[0].Step}, records[0].File}
}

// columnsID identifies the rows of a block of columns.
func columnsID(k *model.Block) blockID {
	if k.Len() == 0 || k.Length[0] < 0 {
		return blockID{}
	}
	b := make([]byte, 0, rowIDSize*k.Len())
	for i := range k.Len() {
		prompt, advantage := uint64(0), math.NaN()
		if k.Prompt != nil {
			prompt = k.Prompts[k.Prompt[i]].Hash
		}
		if k.Advantage != nil {
			advantage = k.Advantage[i]
		}
		b = appendRowID(b, prompt, k.Reward[i], advantage, k.Length[i])
	}
	return blockID{blockKey{jsonscan.Hash64(b), k.Len(), k.Step[0]}, k.File}
}

// rowIDSize is the number of bytes that appendRowID appends.
const rowIDSize = 28

// appendRowID appends what identifies a row within any step.
func appendRowID(b []byte, prompt uint64, reward, advantage float64, length int32) []byte {
	b = binary.LittleEndian.AppendUint64(b, prompt)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(reward))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(advantage))
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}

// find returns the step whose block this one repeats, row by row. A block that repeats none is
// remembered.
func (d *duplicateFinder) find(now blockID) (step int64, found bool) {
	if now.rows == 0 {
		return 0, false
	}
	if file, ok := d.files[now.blockKey]; ok && (now.rows >= minBlock || file != now.file) {
		d.noteRepeat(file, now.file)
		return now.step, true
	}
	for _, old := range d.recent {
		if old.hash == now.hash && old.rows == now.rows && now.rows >= minBlock {
			d.noteRepeat(old.file, now.file)
			return old.step, true
		}
	}
	d.recent[d.nextRecent%maxRecent] = now
	d.nextRecent++
	if d.files == nil || len(d.files) >= maxKnown {
		d.files = map[blockKey]int32{}
	}
	d.files[now.blockKey] = now.file
	return 0, false
}

// noteRepeat notes that a file repeats blocks of another.
func (d *duplicateFinder) noteRepeat(file, by int32) {
	if file == by || slices.Contains(d.repeats[file], by) {
		return
	}
	if d.repeats == nil {
		d.repeats = map[int32][]int32{}
	}
	d.repeats[file] = append(d.repeats[file], by)
}

// takeRepeats returns the files that repeated blocks of a file, which is forgotten: their blocks count now.
func (d *duplicateFinder) takeRepeats(file int32) []int32 {
	by := d.repeats[file]
	delete(d.repeats, file)
	return by
}

// forget forgets the blocks of a file.
func (d *duplicateFinder) forget(file int32) {
	for i, old := range d.recent {
		if old.file == file {
			d.recent[i] = blockID{}
		}
	}
	maps.DeleteFunc(d.files, func(_ blockKey, in int32) bool { return in == file })
}

// dropRepeats returns the records without the blocks that were logged before, in the same memory.
func (f *fileReader) dropRepeats(records []model.Record) []model.Record {
	if !f.format.MayRepeatRows {
		return records
	}
	var responses []uint64
	if d, ok := f.decoder.(*decode.RowDecoder); ok && len(d.ResponseHashes) == len(records) {
		responses = d.ResponseHashes
	}
	kept := records[:0]
	for from := 0; from < len(records); {
		to := from + 1
		for to < len(records) && records[to].Step == records[from].Step {
			to++
		}
		isRepeat := f.isRepeat(recordsID(records[from:to], responses[min(from, len(responses)):min(to, len(responses))]...))
		isWanted := true
		if f.format.Evaluation == formats.AfterTrainingRows && f.mayHoldEvaluation() {
			isWanted = f.chunks.evaluations.wants(f.isLoggedAgain(records[from:to], isRepeat))
		}
		if !isRepeat && isWanted {
			kept = append(kept, records[from:to]...)
		}
		from = to
	}
	return kept
}

// isRepeatedTable is isRepeat for a block of a Parquet file.
func (f *file) isRepeatedTable(now blockID) bool { return f.isRepeat(f.tableID(now)) }

// tableID identifies the block of a Parquet file that was read last, by what identifies its rows and
// the hashes of its responses, where they are known.
func (f *file) tableID(now blockID) blockID {
	hash := f.packed.responseHash
	f.packed.responseHash = 0
	byColumns := f.packed.reader != nil && f.packed.reader.ByColumns()
	if hash == 0 && byColumns {
		hash = f.packed.reader.ResponseHash()
	}
	switch d, ok := f.decoder.(*decode.RowDecoder); {
	case hash != 0:
		now.hash = jsonscan.MixHash(now.hash, hash)
	case ok && !byColumns:
		for _, hash := range d.ResponseHashes {
			now.hash = jsonscan.MixHash(now.hash, hash)
		}
		d.ResponseHashes = d.ResponseHashes[:0]
	}
	return now
}

// isRepeat reports whether a block was logged before, and notes it.
func (f *fileReader) isRepeat(now blockID) bool {
	step, found := f.chunks.duplicates.find(now)
	switch {
	case found && step != now.step:
		f.chunks.addNotes([]string{fmt.Sprintf("counted once: the %d rows that %s logged for step %d are those of step %d", now.rows, f.name, now.step, step)})
	case found:
		f.chunks.addNotes([]string{fmt.Sprintf("counted once: rows of a step that %s logged again for the same step", f.format.Name)})
	}
	return found
}
