package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/clickhouse/wire"
	"vantage/loaders/discover"
	"vantage/model"
)

// stepLimit is what stood in the way of reading all groups of a step.
type stepLimit struct {
	rows   uint64 // steps of so many rows or more are read in part
	oneIn  int    // one group in so many
	server string // what the server said
}

func (r *reader) whyPart(oneIn int) string {
	if oneIn == r.oneIn {
		return "the memory of this machine holds"
	}
	return "the server allows (" + r.tooMuch.server + ")"
}

// readPending reads the steps that are new or have changed: first the newest, if somebody waits for it.
func (r *reader) readPending(ctx context.Context) error {
	if n := len(r.pending); r.source.options.Follow && len(r.fileOf) == 0 && n > 1 {
		newest := slices.Max(slices.Collect(maps.Keys(r.pending)))
		if err := r.readSteps(ctx, []stepCount{r.pending[newest]}); err != nil {
			return err
		}
		if err := r.deliver(); err != nil {
			return err
		}
	}
	for len(r.pending) > 0 {
		if err := r.readSteps(ctx, r.portion()); err != nil {
			return err
		}
	}
	r.noteLeftOut()
	return r.deliver()
}

// portion is the pending steps that are asked for together: not more rows than the budget, and no known step between them
// that is not to be read.
func (r *reader) portion() (steps []stepCount) {
	rows := uint64(0)
	for _, step := range r.steps() {
		c, isPending := r.pending[step]
		if !isPending && len(steps) == 0 {
			continue
		}
		rows += c.rows
		if !isPending || len(steps) > 0 && (rows > uint64(r.budget) || r.oneInOf(c) != r.oneInOf(steps[0])) {
			break
		}
		steps = append(steps, c)
	}
	return steps
}

func (r *reader) oneInOf(c stepCount) int {
	if r.tooMuch.oneIn > 1 && c.rows >= r.tooMuch.rows {
		return max(r.oneIn, r.tooMuch.oneIn)
	}
	return r.oneIn
}

// maxOneIn bounds the sampling: beyond, what is left says nothing of the step.
const maxOneIn = 1024

// readSteps reads some of the pending steps. After a limit of the server it asks for fewer the next time.
func (r *reader) readSteps(ctx context.Context, steps []stepCount) error {
	err := r.fetch(ctx, steps)
	limit, ok := limitOf(err)
	if !ok {
		return err
	}
	if len(steps) > 1 {
		rows := 0
		for _, s := range steps {
			rows += int(s.rows)
		}
		r.budget = max(1, rows/2)
		return nil
	}
	oneIn := 2 * r.oneInOf(steps[0])
	if oneIn > maxOneIn || steps[0].rows == 0 {
		return err
	}
	r.tooMuch = stepLimit{rows: steps[0].rows, oneIn: oneIn, server: limit}
	return nil
}

// limitOf returns which limit of the server an error tells of, if it does.
func limitOf(err error) (limit string, ok bool) {
	if errors.Is(err, errCut) {
		return "the profile limits the rows of an answer", true
	}
	var server *wire.ServerError
	codes := []proto.Error{
		proto.ErrTooManyRows, proto.ErrTimeoutExceeded, proto.ErrMemoryLimitExceeded, proto.ErrTooManyBytes,
		proto.ErrTooManyRowsOrBytes,
	}
	if !errors.As(err, &server) || !slices.Contains(codes, proto.Error(server.Code)) {
		return "", false
	}
	return server.Message, true
}

// fetch reads steps, hands each over when the first group of the next has come, and the last when the server has
// said that there is no more; all of them only then if the answer may turn out to be cut.
func (r *reader) fetch(ctx context.Context, steps []stepCount) error {
	oneIn := r.oneInOf(steps[0])
	want := selection{lo: steps[0].step, hi: steps[len(steps)-1].step, oneIn: oneIn}
	var held []*stepRows // the last is that which comes
	complete := func() error {
		for _, rows := range held {
			if err := r.complete(rows, oneIn); err != nil {
				return err
			}
		}
		held = held[:0]
		return nil
	}
	err := r.table.readGroups(ctx, r.conn.query, want, func(fields []field, step int64) (*stepRows, error) {
		if n := len(held); n > 0 && held[n-1].step == step {
			return held[n-1], nil
		}
		if r.conn.limit == 0 {
			if err := complete(); err != nil {
				return nil, err
			}
		}
		held = append(held, r.take(fields, step))
		return held[len(held)-1], nil
	})
	if err == nil {
		err = complete()
	}
	if err == nil {
		err = r.checkComplete(ctx, steps, oneIn)
	}
	return err
}

func (r *reader) complete(rows *stepRows, oneIn int) error {
	got := stepCount{step: rows.step, rows: uint64(len(rows.group))}
	if want, isPending := r.pending[rows.step]; isPending {
		if got.rows < want.rows && oneIn == 1 {
			return nil // not all: checkComplete asks why
		}
		got.mark, got.parts = want.mark, want.parts
		if oneIn > 1 {
			got.rows = want.rows
		}
		delete(r.pending, rows.step)
	}
	r.counted[rows.step] = got
	r.successes++
	return r.addStep(rows, oneIn)
}

// checkComplete counts steps again of which fewer rows came than there were: they may have been replaced in
// between. Rows that are there and did not come are an error, unless the groups that were asked for may be none.
func (r *reader) checkComplete(ctx context.Context, steps []stepCount, oneIn int) error {
	var short []int64
	for _, s := range steps {
		if _, isPending := r.pending[s.step]; isPending {
			short = append(short, s.step)
		}
	}
	if oneIn > 1 {
		for _, step := range short {
			delete(r.pending, step)
			file := r.fileAgain(step)
			r.addProblem(r.files[file], "none of its groups was among the 1 of %d that was asked for: all are more than %s", oneIn,
				r.whyPart(oneIn))
		}
		return nil
	}
	if len(short) == 0 {
		return nil
	}
	counts, _, err := r.countFrom(ctx, short[0], false)
	if err != nil {
		return err
	}
	changed := false
	for _, step := range short {
		now, there := counts[step]
		switch {
		case !there:
			delete(r.pending, step)
			r.drop(step)
			changed = true
		case now.rows != r.pending[step].rows:
			r.pending[step] = now
			changed = true
		}
	}
	if !changed {
		return fmt.Errorf("step %d has %d rows, and fewer came: the server answered in part", short[0], counts[short[0]].rows)
	}
	return nil
}

func (r *reader) drop(step int64) {
	delete(r.counted, step)
	delete(r.doubled, step)
	if file, ok := r.fileOf[step]; ok {
		c := r.chunk()
		c.Forget = append(c.Forget, file)
	}
}

// A batch of steps is handed over when it has so many rows, or was begun so long ago.
const (
	batchRows = 1 << 16
	batchTime = 50 * time.Millisecond
)

func (r *reader) take(fields []field, step int64) *stepRows {
	var rows *stepRows
	select {
	case rows = <-r.source.free:
	default:
		rows = &stepRows{prompts: &r.prompts}
	}
	rows.reset(&r.table.m, fields, step)
	return rows
}

func (r *reader) chunk() *model.Chunk {
	if r.batch.chunk == nil {
		r.batch.chunk, r.batchSince = &model.Chunk{}, time.Now()
	}
	return r.batch.chunk
}

func (r *reader) addProblem(where, format string, a ...any) {
	c := r.chunk()
	c.Problems = append(c.Problems, model.Problem{File: where, Reason: fmt.Sprintf(format, a...)})
}

// addStep adds a step whose rows have all come, and hands over what there is if that is enough.
func (r *reader) addStep(rows *stepRows, oneIn int) error {
	c, file := r.chunk(), r.fileAgain(rows.step)
	c.Blocks = append(c.Blocks, rows.finish(file))
	r.batch.rows = append(r.batch.rows, rows)
	r.batchSize += len(rows.group)
	r.rowsRead += int64(len(rows.group))
	if oneIn > 1 {
		r.addProblem(r.files[file], "1 of %d groups was read: all are more than %s", oneIn, r.whyPart(oneIn))
	}
	r.noteDoubled(rows)
	x := &r.source.texts
	x.note(func() { x.read[rows.step] = stepRead{oneIn, x.read[rows.step].times + 1} })
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
		c.Evaluates = r.table.decided.split == discover.SplitVal
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
	settle := 2*r.source.options.Poll + r.source.options.Poll/4 // so long the newest step must be unchanged to count as complete
	p.Open = p.CaughtUp && r.source.options.Follow && (time.Since(r.began) < settle || time.Since(r.lastChange) < settle)
	return p
}

// bytesPerRow is about how much of the network a row takes, before any has come.
const bytesPerRow = 9
