package loaders

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"

	"vantage/model"
)

// relogs finds blocks of rows that a trainer logged twice: TRL and ms-swift log
// from a queue that they do not empty, so that a generation which serves several
// steps, an evaluation or the final log repeats the block of a step before, or of the
// same one; and tables of W&B hold again what those before them held.
type relogs struct {
	recent [maxRecent]relog
	next   int
	known  map[block64]int32 // the file that each was in
}

// relog is a block that was read: rows of one step that follow one another.
type relog struct {
	block64
	file int32
}

// block64 is what tells a block from others.
type block64 struct {
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

// relogOf is a block of records, told apart by their answers too where these are at hand:
// short ones are of one length by chance.
func relogOf(records []model.Record, answers ...uint64) relog {
	if len(records) == 0 || records[0].Length < 0 {
		return relog{}
	}
	b := make([]byte, 0, relogSize*len(records))
	for i := range records {
		x := &records[i]
		b = appendRelog(b, x.Prompt, x.Reward, x.Advantage, x.Length)
	}
	for _, sum := range answers {
		b = binary.LittleEndian.AppendUint64(b, sum)
	}
	return relog{block64{Hash64(b), len(records), records[0].Step}, records[0].File}
}

// relogOfBlock is relogOf for columns.
func relogOfBlock(k *model.Block) relog {
	if k.Len() == 0 || k.Length[0] < 0 {
		return relog{}
	}
	b := make([]byte, 0, relogSize*k.Len())
	for i := range k.Len() {
		prompt, advantage := uint64(0), math.NaN()
		if k.Prompt != nil {
			prompt = k.Prompts[k.Prompt[i]].Hash
		}
		if k.Advantage != nil {
			advantage = k.Advantage[i]
		}
		b = appendRelog(b, prompt, k.Reward[i], advantage, k.Length[i])
	}
	return relog{block64{Hash64(b), k.Len(), k.Step[0]}, k.File}
}

// relogSize is what a row adds to what is compared.
const relogSize = 28

// appendRelog adds a row: what tells rows apart whatever their steps.
func appendRelog(b []byte, prompt uint64, reward, advantage float64, length int32) []byte {
	b = binary.LittleEndian.AppendUint64(b, prompt)
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(reward))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(advantage))
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}

// again reports the step whose block this one repeats, in its order and number.
func (r *relogs) again(now relog) (step int64, yes bool) {
	if now.rows == 0 {
		return 0, false
	}
	if file, ok := r.known[now.block64]; ok && (now.rows >= minBlock || file != now.file) {
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
		r.known = map[block64]int32{}
	}
	r.known[now.block64] = now.file
	return 0, false
}

// forget forgets the blocks of a file, which is read anew.
func (r *relogs) forget(file int32) {
	for i, old := range r.recent {
		if old.file == file {
			r.recent[i] = relog{}
		}
	}
	maps.DeleteFunc(r.known, func(_ block64, of int32) bool { return of == file })
}

// fresh are the records without the blocks that were logged before. It uses their memory.
func (f *intake) fresh(records []model.Record) []model.Record {
	if !f.format.MayRepeatRows {
		return records
	}
	var answers []uint64
	if r, ok := f.decoder.(*RowDecoder); ok && len(r.AnswerHashes) == len(records) {
		answers = r.AnswerHashes
	}
	fresh := records[:0]
	for from := 0; from < len(records); {
		to := from + 1
		for to < len(records) && records[to].Step == records[from].Step {
			to++
		}
		if !f.repeated(relogOf(records[from:to], answers[min(from, len(answers)):min(to, len(answers))]...)) {
			fresh = append(fresh, records[from:to]...)
		}
		from = to
	}
	return fresh
}

// repeated is that of the intake for a block of a table, which is told apart by its answers
// too, if it is small: what is large is not alike by chance.
func (f *file) repeated(now relog) bool {
	switch r, ok := f.decoder.(*RowDecoder); {
	case f.packed.responseHash != 0:
		now.sum = MixHash(now.sum, f.packed.responseHash)
		f.packed.responseHash = 0
	case f.packed.reader != nil && f.packed.reader.ByColumns():
		now.sum = MixHash(now.sum, f.packed.reader.ResponseHash())
	case ok:
		for _, sum := range r.AnswerHashes {
			now.sum = MixHash(now.sum, sum)
		}
		r.AnswerHashes = r.AnswerHashes[:0]
	}
	return f.intake.repeated(now)
}

// repeated reports whether a block was logged before, and says so.
func (f *intake) repeated(now relog) bool {
	step, yes := f.out.relogs.again(now)
	switch {
	case yes && step != now.step:
		f.out.note([]string{fmt.Sprintf("counted once: the %d rows that %s logged for step %d are those of step %d", now.rows, f.name, now.step, step)})
	case yes:
		f.out.note([]string{fmt.Sprintf("counted once: rows of a step that %s logged again for the same step", f.format.Name)})
	}
	return yes
}
