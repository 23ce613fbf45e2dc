package loaders

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// duplicateFinder finds blocks of rows that a trainer logged twice: TRL and ms-swift log
// from a queue that they do not empty, so that a generation which serves several
// steps, an evaluation or the final log repeats the block of a step before, or of the
// same one; and tables of W&B hold again what those before them held.
type duplicateFinder struct {
	recent [maxRecent]rowBlock
	next   int
	known  map[blockKey]int32 // the file that each was in
}

// rowBlock is a block that was read: rows of one step that follow one another.
type rowBlock struct {
	blockKey
	file int32
}

// blockKey is what tells a block from others.
type blockKey struct {
	sum  uint64
	rows int
	step int64
}

// The blocks of other steps that a new one is compared with; the least rows of a block,
// since single rows are alike by chance; and how many are known at most.
const (
	maxRecent = 8
	minBlock  = 4
	maxKnown  = 1 << 16
)

// rowBlockOf is a block of records, told apart by their answers too where these are at hand:
// short ones are of one length by chance.
func rowBlockOf(records []model.Record, answers ...uint64) rowBlock {
	if len(records) == 0 || records[0].Length < 0 {
		return rowBlock{}
	}
	b := make([]byte, 0, rowKeySize*len(records))
	for i := range records {
		x := &records[i]
		b = appendRowKey(b, x.Prompt, x.Reward, x.Advantage, x.Length)
	}
	for _, sum := range answers {
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	return rowBlock{blockKey{jsonscan.Hash64(b), len(records), records[0].Step}, records[0].File}
}

// rowBlockOfColumns is relogOf for columns.
func rowBlockOfColumns(k *model.Block) rowBlock {
	if k.Len() == 0 || k.Length[0] < 0 {
		return rowBlock{}
	}
	b := make([]byte, 0, rowKeySize*k.Len())
	for i := range k.Len() {
		prompt, advantage := uint64(0), math.NaN()
		if k.Prompt != nil {
			prompt = k.Prompts[k.Prompt[i]].Hash
		}
		if k.Advantage != nil {
			advantage = k.Advantage[i]
		}
		b = appendRowKey(b, prompt, k.Reward[i], advantage, k.Length[i])
	}
	return rowBlock{blockKey{jsonscan.Hash64(b), k.Len(), k.Step[0]}, k.File}
}

// rowKeySize is what a row adds to what is compared.
const rowKeySize = 28

// appendRowKey adds a row: what tells rows apart whatever their steps.
func appendRowKey(b []byte, prompt uint64, reward, advantage float64, length int32) []byte {
	b = binary.LittleEndian.AppendUint64(b, prompt)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(reward))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(advantage))
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}

// find reports the step whose block this one repeats, in its order and number.
func (r *duplicateFinder) find(now rowBlock) (step int64, yes bool) {
	if now.rows == 0 {
		return 0, false
	}
	if file, ok := r.known[now.blockKey]; ok && (now.rows >= minBlock || file != now.file) {
		return now.step, true
	}
	for _, old := range r.recent {
		if old.sum == now.sum && old.rows == now.rows && now.rows >= minBlock {
			return old.step, true
		}
	}
	r.recent[r.next%maxRecent] = now
	r.next++
	if r.known == nil || len(r.known) >= maxKnown {
		r.known = map[blockKey]int32{}
	}
	r.known[now.blockKey] = now.file
	return 0, false
}

// forget forgets the blocks of a file, which is read anew.
func (r *duplicateFinder) forget(file int32) {
	for i, old := range r.recent {
		if old.file == file {
			r.recent[i] = rowBlock{}
		}
	}
	maps.DeleteFunc(r.known, func(_ blockKey, of int32) bool { return of == file })
}

// withoutRepeats are the records without the blocks that were logged before. It uses their memory.
func (f *fileReader) withoutRepeats(records []model.Record) []model.Record {
	if !f.format.MayRepeatRows {
		return records
	}
	var answers []uint64
	if r, ok := f.decoder.(*decode.RowDecoder); ok && len(r.ResponseHashes) == len(records) {
		answers = r.ResponseHashes
	}
	fresh := records[:0]
	for from := 0; from < len(records); {
		to := from + 1
		for to < len(records) && records[to].Step == records[from].Step {
			to++
		}
		if !f.isRepeat(rowBlockOf(records[from:to], answers[min(from, len(answers)):min(to, len(answers))]...)) {
			fresh = append(fresh, records[from:to]...)
		}
		from = to
	}
	return fresh
}

// isRepeatedTable is that of the intake for a block of a table, which is told apart by its answers
// too, if it is small: what is large is not alike by chance.
func (f *file) isRepeatedTable(now rowBlock) bool {
	switch r, ok := f.decoder.(*decode.RowDecoder); {
	case f.packed.responseHash != 0:
		now.sum = jsonscan.MixHash(now.sum, f.packed.responseHash)
		f.packed.responseHash = 0
	case f.packed.reader != nil && f.packed.reader.ByColumns():
		now.sum = jsonscan.MixHash(now.sum, f.packed.reader.ResponseHash())
	case ok:
		for _, sum := range r.ResponseHashes {
			now.sum = jsonscan.MixHash(now.sum, sum)
		}
		r.ResponseHashes = r.ResponseHashes[:0]
	}
	return f.fileReader.isRepeat(now)
}

// isRepeat reports whether a block was logged before, and says so.
func (f *fileReader) isRepeat(now rowBlock) bool {
	step, yes := f.chunks.duplicates.find(now)
	switch {
	case yes && step != now.step:
		f.chunks.addNotes([]string{fmt.Sprintf("counted once: the %d rows that %s logged for step %d are those of step %d", now.rows, f.name, now.step, step)})
	case yes:
		f.chunks.addNotes([]string{fmt.Sprintf("counted once: rows of a step that %s logged again for the same step", f.format.Name)})
	}
	return yes
}
