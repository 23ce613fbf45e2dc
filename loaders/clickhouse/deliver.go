package clickhouse

import (
	"fmt"
	"time"

	"vantage/model"
)

// A batch of steps is handed over when it has so many rows, or was begun so long ago.
const (
	batchRows = 1 << 16
	batchTime = 50 * time.Millisecond
)

// take returns empty rows for a step.
func (r *reader) take(step int64) *stepRows {
	var rows *stepRows
	select {
	case rows = <-r.source.free:
	default:
		rows = &stepRows{}
	}
	rows.m, rows.prompts = &r.table.m, &r.prompts
	rows.reset(step)
	return rows
}

// chunk is the chunk under construction.
func (r *reader) chunk() *model.Chunk {
	if r.batch.chunk == nil {
		r.batch.chunk, r.batchSince = &model.Chunk{}, time.Now()
	}
	return r.batch.chunk
}

// addProblem notes what is left out or unsure, and where.
func (r *reader) addProblem(where, format string, a ...any) {
	c := r.chunk()
	c.Problems = append(c.Problems, model.Problem{File: where, Reason: fmt.Sprintf(format, a...)})
}

// addStep adds a step whose rows have all come, and hands over what there is if that is enough.
func (r *reader) addStep(rows *stepRows, oneIn int) error {
	c := r.chunk()
	file, known := r.file(rows.step)
	if known {
		c.Forget = append(c.Forget, file)
	}
	c.Blocks = append(c.Blocks, rows.finish(file))
	r.batch.rows = append(r.batch.rows, rows)
	r.batchSize += len(rows.group)
	r.rowsRead += int64(len(rows.group))
	if oneIn > 1 {
		r.addProblem(r.files[file], "1 of %d groups was read: all are more than %s", oneIn, r.whyPart(oneIn))
	}
	r.noteDoubled(rows)
	r.source.texts.noteRead(rows.step, oneIn)
	if r.batchSize < batchRows && time.Since(r.batchSince) < batchTime && len(r.batch.rows) < cap(r.source.free)/4 {
		return nil
	}
	return r.deliver()
}

// deliver hands over the chunk under construction, with the progress.
func (r *reader) deliver() error {
	c := r.chunk()
	if r.table != nil {
		m := &r.table.m
		c.Format, c.Provenance, c.LengthUnit, c.HasTruth = "clickhouse", r.table.provenance(), m.lengthUnit(), m.truth.name != ""
		c.HasTotal, c.SumsComponents = m.reward.name != "", false
		for _, component := range m.components {
			c.ComponentNames = append(c.ComponentNames, component.name)
		}
	}
	c.Files = r.files[:len(r.files):len(r.files)]
	c.Progress = r.progress()
	a := r.batch
	r.batch, r.batchSize = answer{}, 0
	return r.source.send(a)
}

// progress says how far reading has come. Bytes are those of the network; how many there will be is known from
// the rows that are left.
func (r *reader) progress() model.Progress {
	p := model.Progress{Link: r.link, BytesRead: r.bytesBefore, LastWrite: r.lastChange}
	if r.table == nil {
		return p
	}
	if r.conn != nil {
		p.BytesRead += r.conn.Bytes()
	}
	p.Files, p.CaughtUp = 1, len(r.pending) == 0
	p.BytesAll = max(p.BytesRead, 1)
	if r.rowsRead > 0 && !p.CaughtUp {
		p.BytesAll = max(p.BytesAll, int64(float64(p.BytesRead)/float64(r.rowsRead)*float64(r.rowsAll)))
	} else if !p.CaughtUp {
		p.BytesAll = r.rowsAll * bytesPerRow
	}
	p.Open = p.CaughtUp && r.source.options.Follow && time.Since(maxTime(r.began, r.lastChange)) < r.settleTime()
	return p
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// bytesPerRow is about how much of the network a row takes, before any has come.
const bytesPerRow = 9
