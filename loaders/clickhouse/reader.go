package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/decode"
	"vantage/model"
)

// reader is what runs behind a Source: one goroutine, on one connection.
type reader struct {
	source   *Source
	conn     *session
	table    *table
	prepared bool // the run is known, and its steps were counted
	waited   bool // for the first rows of a table, to know the run
	link     model.Link
	prompts  decode.PromptCache

	files    []string
	fileOf   map[int64]int32 // by step
	counted  map[int64]stepCount
	parts    []stepPart // of all steps, if they may have several
	believed bool       // the column for attempts was looked at
	doubled  map[int64]doubled
	said     saidLeftOut
	pending  map[int64]stepCount // to be read
	budget   int                 // how many rows are asked for at a time: less after a limit was hit
	oneIn    int                 // of how many groups of every step one is read, since memory is short; 1 is all
	tooMuch  stepLimit

	rowsAll, rowsRead int64
	bytesBefore       int64 // of connections that are lost
	lastChange        time.Time
	began             time.Time // when the steps were counted first
	successes         int       // steps and counts that have come
	batch             answer
	batchSize         int
	batchSince        time.Time
}

func newReader(s *Source) *reader {
	return &reader{
		source: s, link: model.Link{Host: s.target.Host, State: model.LinkConnecting}, fileOf: map[int64]int32{},
		counted: map[int64]stepCount{},
		pending: map[int64]stepCount{}, doubled: map[int64]doubled{}, budget: s.options.ChunkRows, oneIn: 1,
	}
}

// run reads until everything is read or the source is closed.
func (r *reader) run(ctx context.Context) {
	defer r.hangUp()
	if warning := r.source.target.PlainWarning(); warning != "" {
		r.chunk().Notes = append(r.chunk().Notes, warning)
	}
	if err := r.deliver(); err != nil {
		return
	}
	for failures := 0; ; failures++ {
		before := r.successes
		err := r.session(ctx)
		if err == nil || ctx.Err() != nil || !r.canReconnect(err) {
			if err = r.source.target.sentence(err); err == nil {
				err = io.EOF // everything has been read
			}
			if r.batch.chunk == nil || r.deliver() == nil {
				_ = r.source.send(answer{err: err})
			}
			return
		}
		if r.successes > before {
			failures = 0
		}
		if r.reconnect(ctx, err, failures) != nil {
			return
		}
	}
}

func (r *reader) session(ctx context.Context) error {
	if err := r.connect(ctx); err != nil {
		return err
	}
	if !r.prepared {
		if err := r.prepare(ctx); err != nil {
			return err
		}
	}
	if err := r.readPending(ctx); err != nil {
		return err
	}
	if r.source.options.Follow {
		return r.follow(ctx)
	}
	return nil
}

// connect connects, unless it is connected.
func (r *reader) connect(ctx context.Context) (err error) {
	if r.conn != nil && r.conn.Usable() {
		return nil
	}
	r.hangUp()
	if r.conn, err = r.source.dial(ctx); err != nil {
		return err
	}
	latency, err := r.conn.Ping(ctx)
	if err == nil {
		r.link = model.Link{Host: r.source.target.Host, Latency: latency}
	}
	return err
}

// prepare finds out what the columns mean, which run is asked for, and how many rows it has.
func (r *reader) prepare(ctx context.Context) error {
	columns, err := r.describeTable(ctx)
	if err != nil {
		return err
	}
	m, err := mapColumns(columns, r.source.fields, r.source.target.Columns)
	if err != nil {
		return err
	}
	t := &table{target: r.source.target, m: m, run: r.source.target.Run}
	if err := r.awaitRun(ctx, t); err != nil {
		return err
	}
	if err := r.checkParts(ctx, t); err != nil {
		return err
	}
	r.table = t
	r.source.texts.note(func() { r.source.texts.table = t })
	if err := r.countAll(ctx); err != nil {
		return err
	}
	r.prepared = true
	if !t.m.step.isNullable() {
		return nil
	}
	rows, err := r.count(ctx, r.table, append(t.ofRun(), t.m.step.quoted()+" IS NULL"), "count()")
	if rows[0] > 0 {
		r.addProblem(t.target.name(), "%d rows have no %s and are left out", rows[0], t.m.step.name)
	}
	return err
}

func (r *reader) describeTable(ctx context.Context) ([]column, error) {
	var columns []column
	names := []string{"name", "type", "default_type", "default_expression", "comment", "codec_expression", "ttl_expression"}
	told := make([]proto.ColStr, len(names))
	var results proto.Results
	for i, name := range names {
		results = append(results, proto.ResultColumn{Name: name, Data: &told[i]})
	}
	err := r.conn.query(ctx, "DESCRIBE TABLE "+r.source.target.quoted(), results, func(rows int) error {
		for i := range rows {
			if told[2].Row(i) != "EPHEMERAL" {
				columns = append(columns, column{told[0].Row(i), told[1].Row(i)})
			}
		}
		return nil
	})
	return columns, err
}

// fileAgain returns the number of the file that stands for a step. If it was read before, those rows are forgotten.
func (r *reader) fileAgain(step int64) int32 {
	n, known := r.fileOf[step]
	if known {
		c := r.chunk()
		c.Forget = append(c.Forget, n)
		return n
	}
	n = int32(len(r.files))
	r.files = append(r.files, r.fileName(step))
	r.fileOf[step] = n
	r.source.texts.note(func() { r.source.texts.stepOf = append(r.source.texts.stepOf, step) })
	return n
}

func (r *reader) fileName(step int64) string {
	return fmt.Sprintf("%s step %d", r.table.target.name(), step)
}

func (r *reader) steps() []int64 { return slices.Sorted(maps.Keys(r.counted)) }

func (r *reader) hangUp() {
	if r.conn != nil {
		r.bytesBefore += r.conn.Bytes()
		_ = r.conn.Close()
		r.conn = nil
	}
}

var errNoRows = errors.New("there are no rows")

// awaitRun is chooseRun, which waits for the first rows of a table that is followed.
func (r *reader) awaitRun(ctx context.Context, t *table) error {
	var told model.Link
	for {
		err := r.chooseRun(ctx, t)
		if !errors.Is(err, errNoRows) || !r.source.options.Follow {
			return err
		}
		if r.link.Latency, err = r.conn.Ping(ctx); err != nil {
			return err
		}
		if r.successes++; r.link.Changed(told) {
			r.table, r.waited, told = t, true, r.link
			if err := r.deliver(); err != nil {
				return err
			}
		}
		if err := sleep(ctx, r.source.options.Poll); err != nil {
			return err
		}
	}
}

// chooseRun checks that a run is named, if the table has several.
func (r *reader) chooseRun(ctx context.Context, t *table) error {
	switch {
	case t.m.run.name == "" && t.run != "":
		return fmt.Errorf("%w that tells runs apart: leave out run=, or name it with run_column=COLUMN in the address", errNoColumn)
	case t.run != "" && t.m.run.isNumber() && !isNumber(t.run):
		return fmt.Errorf("the column %s holds numbers, and run=%s is none", t.m.run.name, t.run)
	case t.m.run.name == "" || t.run != "":
		return nil
	}
	var run proto.ColStr
	var runs []string // "" is that of rows whose run is NULL or empty
	what, columns := selecting(output{"vantage_run", t.m.run.orEmpty(), &run})
	err := r.conn.query(ctx, what+t.target.from()+fmt.Sprintf(" GROUP BY vantage_run ORDER BY vantage_run LIMIT %d", maxRuns), columns,
		func(rows int) error {
			for i := range rows {
				runs = append(runs, run.Row(i))
			}
			return nil
		})
	switch {
	case err != nil:
		return err
	case len(runs) == 0:
		return errNoRows
	case len(runs) > 1:
		return severalRuns(runs)
	}
	t.run = runs[0]
	return nil
}

// maxRuns is how many runs a sentence names, and one more.
const maxRuns = 9

func severalRuns(runs []string) error {
	more, nameless := "", ""
	if len(runs) == maxRuns {
		runs, more = runs[:maxRuns-1], ", …"
	}
	if at := slices.Index(runs, ""); at >= 0 {
		runs = slices.Delete(slices.Clone(runs), at, at+1)
		nameless = "; rows whose run is empty or NULL cannot be named: a view may give them a name"
	}
	return fmt.Errorf("the table has several runs: name one with run=NAME in the address: %s%s%s", joinSome(runs), more, nameless)
}

// isNumber reports whether a text is a number and nothing else: it becomes part of statements as it is.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// stepCount is how many rows of a step are read, with a number that changes when rewards do; 0 if that was not asked.
type stepCount struct {
	step  int64
	rows  uint64
	mark  uint64
	parts string // that they are of
}

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
	r.parts = append(slices.DeleteFunc(r.parts, func(p stepPart) bool { return p.step >= from }), parts...)
	if err := r.decide(ctx); err != nil {
		return nil, 0, err
	}
	return r.table.counts(r.parts), firstStep, nil
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
	if n := r.table.target.Newest; n > 0 && n < len(counts) { // from now on too
		r.table.target.First = slices.Sorted(maps.Keys(counts))[len(counts)-n]
		maps.DeleteFunc(counts, func(step int64, _ stepCount) bool { return step < r.table.target.First })
	}
	r.noteChanges(counts, firstStep)
	if !r.source.options.Follow || len(counts) == 0 {
		return nil
	}
	// the marks of the newest steps before they are read, so that any later change is one
	counts, from, err := r.countFrom(ctx, r.recentFrom(), true)
	if err == nil {
		r.noteChanges(counts, from)
	}
	return err
}

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
	for step, now := range counts {
		known, ok := r.counted[step]
		isLike := ok && known.rows == now.rows && known.parts == now.parts
		if isLike && (known.mark == now.mark || now.mark == 0) {
			continue
		}
		r.counted[step] = now
		if _, isPending := r.pending[step]; isLike && known.mark == 0 { // its first mark
			if isPending {
				r.pending[step] = now
			}
			continue
		}
		r.pending[step] = now
		changed = true
	}
	for step := range r.counted {
		if _, there := counts[step]; !there && step >= from {
			delete(r.pending, step)
			r.drop(step)
			changed = true
		}
	}
	r.rowsAll = r.rowsRead
	for _, c := range r.pending {
		r.rowsAll += int64(c.rows)
	}
	if limit := r.source.options.MemoryLimit; limit > 0 && len(r.pending) > 0 { // one group in so many is read
		r.oneIn = max(r.oneIn, int((r.rowsAll*storedRow+limit-1)/limit))
	}
	return changed
}

// storedRow is about how much memory a row takes.
const storedRow = 32

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
	r.link = model.Link{
		Host: r.link.Host, Latency: r.link.Latency, State: model.LinkLost, Retry: wait, Reason: r.source.target.sentence(err).Error(),
	}
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
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
