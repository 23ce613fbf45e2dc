package loaders

import (
	"encoding/binary"
	"fmt"
	"math"

	"vantage/model"
)

// relogs finds blocks of rows that a trainer logged twice: TRL and ms-swift log
// from a queue that they do not empty, so that a generation which serves several
// steps, an evaluation or the final log repeats the block of a step before.
type relogs struct {
	recent [maxRecent]relog
	next   int
}

// relog is a block that was read.
type relog struct {
	sum  uint64
	rows int
	step int64
}

// The blocks that a new one is compared with, and the least rows of a block: single
// rows are alike by chance.
const (
	maxRecent = 8
	minBlock  = 4
)

// relogOf is a block of records.
func relogOf(records []model.Record) relog {
	if len(records) < minBlock || records[0].Length < 0 {
		return relog{}
	}
	b := make([]byte, 0, relogSize*len(records))
	for i := range records {
		x := &records[i]
		b = appendRelog(b, x.Prompt, x.Reward, x.Advantage, x.Length)
	}
	return relog{hash64(b), len(records), records[0].Step}
}

// relogOfBlock is relogOf for columns.
func relogOfBlock(k *model.Block) relog {
	if k.Len() < minBlock || k.Length[0] < 0 {
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
	return relog{hash64(b), k.Len(), k.Step[0]}
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
	for _, old := range r.recent {
		if old.sum == now.sum && old.rows == now.rows && old.step != now.step {
			return old.step, true
		}
	}
	r.recent[r.next%maxRecent] = now
	r.next++
	return 0, false
}

// repeated reports whether a block was logged before, and says so.
func (f *intake) repeated(now relog) bool {
	step, yes := f.out.relogs.again(now)
	if yes {
		f.out.note([]string{fmt.Sprintf("counted once: the %d rows that %s logged for step %d are those of step %d", now.rows, f.name, now.step, step)})
	}
	return yes
}
