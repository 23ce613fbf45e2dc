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

// again reports the step whose block these rows repeat, in its order and number:
// prompts, rewards, advantages and lengths, whatever their steps.
func (r *relogs) again(records []model.Record) (step int64, yes bool) {
	if len(records) < minBlock || records[0].Length < 0 {
		return 0, false
	}
	b := make([]byte, 0, 28*len(records))
	for i := range records {
		x := &records[i]
		b = binary.LittleEndian.AppendUint64(b, x.Prompt)
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x.Reward))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x.Advantage))
		b = binary.LittleEndian.AppendUint32(b, uint32(x.Length))
	}
	now := relog{hash64(b), len(records), records[0].Step}
	for _, old := range r.recent {
		if old.sum == now.sum && old.rows == now.rows && old.step != now.step {
			return old.step, true
		}
	}
	r.recent[r.next%maxRecent] = now
	r.next++
	return 0, false
}

// repeated drops a block that was logged before, and says so.
func (f *intake) repeated(records []model.Record) bool {
	if !f.format.Relogs {
		return false
	}
	step, yes := f.out.relogs.again(records)
	if yes {
		f.out.note([]string{fmt.Sprintf("counted once: the %d rows that %s logged for step %d are those of step %d", len(records), f.name, records[0].Step, step)})
	}
	return yes
}
