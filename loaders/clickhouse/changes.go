package clickhouse

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"vantage/model"
)

// stepCount is how many rows of a step are read, with a number that changes when rewards do; 0 if that was not asked.
type stepCount struct {
	step  int64
	rows  uint64
	mark  uint64
	parts string // that they are of
}

// isLike reports whether two counts have as many rows of the same parts.
func (c stepCount) isLike(other stepCount) bool {
	return c.rows == other.rows && c.parts == other.parts
}

func compareStep(c stepCount, step int64) int { return cmp.Compare(c.step, step) }

// Steps are counted every Options.Poll: the newest ones, and now and then all.
const (
	recentSteps = 8
	allEvery    = 15 // polls
)

// countFrom counts what is to be read of the steps from one on, or of all if it may be another attempt that is read now.
func (r *reader) countFrom(ctx context.Context, from int64, marks bool) (counts map[int64]stepCount, counted int64, err error) {
	parts, err := r.countParts(ctx, from, marks)
	if err != nil || !r.table.hasParts() {
		return r.table.counts(parts), from, err
	}
	r.parts.replace(from, parts)
	if err := r.choose(ctx); err != nil {
		return nil, 0, err
	}
	return r.table.counts(r.parts), firstStep, nil
}

// choose decides what is read of the parts. Who reads texts meanwhile keeps the table that was.
func (r *reader) choose(ctx context.Context) error {
	t := *r.table
	t.choice, r.doubt = t.choose(r.parts, r.source.options.Attempt, r.source.options.Split)
	if (len(t.choice.attempts) > 0 || r.doubt != "") && !r.believed && t.target.Columns["attempt"] == "" {
		numbers, err := r.numbersSamples(ctx)
		if err != nil {
			return err
		}
		if r.believed = true; numbers {
			t.m.unused, t.m.attempt = append(t.m.unused, t.m.attempt.name), column{}
			r.parts.forgetAttempts()
			t.choice, r.doubt = t.choose(r.parts, r.source.options.Attempt, r.source.options.Split)
		}
	}
	r.table = &t
	r.source.texts.use(r.table)
	return nil
}

// firstStep is before all steps.
const firstStep = -1 << 62

// countAll counts all steps, all of which are to be read.
func (r *reader) countAll(ctx context.Context) error {
	counts, _, err := r.countFrom(ctx, firstStep, false)
	if err != nil {
		return err
	}
	if len(counts) == 0 && len(r.parts) == 0 && !r.source.options.Follow {
		return errNoRows
	}
	r.began = time.Now()
	r.onlyNewest(counts)
	r.noteChanges(counts, firstStep)
	if r.source.options.Follow && len(counts) > 0 {
		return r.markRecent(ctx)
	}
	return nil
}

// onlyNewest leaves out all but the newest steps, if so many are asked for, now and from now on.
func (r *reader) onlyNewest(counts map[int64]stepCount) {
	n := r.table.target.Newest
	if n == 0 || n >= len(counts) {
		return
	}
	steps := slices.Sorted(maps.Keys(counts))
	r.table.target.First = steps[len(steps)-n]
	for _, step := range steps[:len(steps)-n] {
		delete(counts, step)
	}
}

// markRecent asks for the marks of the newest steps before they are read, so that any later change is one.
func (r *reader) markRecent(ctx context.Context) error {
	counts, from, err := r.countFrom(ctx, r.recentFrom(), true)
	if err == nil {
		r.noteChanges(counts, from)
	}
	return err
}

// recentFrom is the first of the newest steps.
func (r *reader) recentFrom() int64 {
	steps := r.steps()
	if len(steps) == 0 {
		return firstStep
	}
	return steps[max(0, len(steps)-recentSteps)]
}

// noteChanges compares what was counted from a step on with what is known: steps that are new or have changed are
// to be read, those that are gone are dropped. It reports whether there are any.
func (r *reader) noteChanges(counts map[int64]stepCount, from int64) (changed bool) {
	for _, now := range counts {
		known, ok := r.counted[now.step]
		switch {
		case ok && known.isLike(now) && (known.mark == now.mark || now.mark == 0):
			continue
		case ok && known.isLike(now) && known.mark == 0:
			r.setMark(now) // the first one
			continue
		}
		r.counted[now.step] = now
		r.setPending(now)
		changed = true
	}
	for step := range r.counted {
		if _, there := counts[step]; !there && step >= from {
			r.unsetPending(step)
			r.drop(step)
			changed = true
		}
	}
	r.setRowsAll()
	return changed
}

// settleTime is how long the newest step must be unchanged to count as complete.
func (r *reader) settleTime() time.Duration { return 2*r.source.options.Poll + r.source.options.Poll/4 }

// setPending has a step read, or read again.
func (r *reader) setPending(c stepCount) {
	at, found := slices.BinarySearchFunc(r.pending, c.step, compareStep)
	if found {
		r.pending[at] = c
		return
	}
	r.pending = slices.Insert(r.pending, at, c)
}

func (r *reader) unsetPending(step int64) {
	if at, found := slices.BinarySearchFunc(r.pending, step, compareStep); found {
		r.pending = slices.Delete(r.pending, at, at+1)
	}
}

// setMark notes the mark of a step of which only the rows are known.
func (r *reader) setMark(c stepCount) {
	r.counted[c.step] = c
	if at, found := slices.BinarySearchFunc(r.pending, c.step, compareStep); found {
		r.pending[at] = c
	}
}

// storedRow is about how much memory a row takes.
const storedRow = 32

// setRowsAll estimates how much there is to read. If the memory does not hold it, one group in so many is read.
func (r *reader) setRowsAll() {
	r.rowsAll = r.rowsRead
	for _, c := range r.pending {
		r.rowsAll += int64(c.rows)
	}
	if limit := r.source.options.MemoryLimit; limit > 0 && len(r.pending) > 0 {
		r.oneIn = max(r.oneIn, int((r.rowsAll*storedRow+limit-1)/limit))
	}
}

// follow looks for changes until the connection is lost. What it sends is one small question a second at most: a
// table in which counting takes long is counted less often.
func (r *reader) follow(ctx context.Context) error {
	told := r.progress()
	wait := r.source.options.Poll
	for poll := 1; ; poll++ {
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		latency, err := r.conn.Ping(ctx)
		if err != nil {
			return err
		}
		r.link.Latency = latency
		took, changed, err := r.poll(ctx, poll%allEvery == 0)
		if err != nil {
			return err
		}
		wait = max(r.source.options.Poll, 20*took)
		if changed {
			r.lastChange = time.Now()
		}
		now := r.progress()
		if !changed && now.Open == told.Open && !now.Link.Changed(told.Link) {
			continue
		}
		if err := r.readPending(ctx); err != nil {
			return err
		}
		told = r.progress()
	}
}

// poll counts the newest steps, or all, and says how long that took.
func (r *reader) poll(ctx context.Context, all bool) (took time.Duration, changed bool, err error) {
	began, from := time.Now(), r.recentFrom()
	if all {
		from = firstStep
	}
	counts, from, err := r.countFrom(ctx, from, !all)
	if err != nil {
		return 0, false, err
	}
	r.successes++
	took = time.Since(began)
	changed = r.noteChanges(counts, from)
	return took, r.noteLeftOut() || changed, nil
}

// The wait before the connection is tried again doubles from the first to the last.
const (
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
)

// reconnect says that the connection is lost, waits, and says that it is tried again.
func (r *reader) reconnect(ctx context.Context, err error, failures int) error {
	r.hangUp()
	wait := min(lastRetry, cmp.Or(r.source.options.retry, firstRetry)<<min(failures, 5))
	r.link = model.Link{Host: r.link.Host, Latency: r.link.Latency, State: model.LinkLost, Retry: wait, Reason: r.source.target.sentence(err).Error()}
	if err := r.deliver(); err != nil {
		return err
	}
	if err := sleep(ctx, wait); err != nil {
		return err
	}
	r.link.Retry = 0
	return r.deliver()
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
