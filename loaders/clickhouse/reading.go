package clickhouse

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/clickhouse/wire"
	"vantage/loaders/decode"
	"vantage/model"
)

// reader is what runs behind a Source: one goroutine, on one connection.
type reader struct {
	source   *Source
	conn     *wire.Conn
	table    *table
	prepared bool // the run is known, and its steps were counted
	waited   bool // for the first rows of a table, to know the run
	allowed  allowed
	link     model.Link
	prompts  decode.PromptCache

	files    []string
	fileOf   map[int64]int32 // by step
	counted  map[int64]stepCount
	parts    tally  // of all steps, if they may have several
	doubt    string // why attempts cannot be told apart
	believed bool   // the column for attempts was looked at
	doubled  map[int64]doubled
	said     saidLeftOut
	pending  []stepCount // to be read, in the order of steps
	budget   int         // how many rows are asked for at a time: less after a limit was hit
	oneIn    int         // of how many groups of every step one is read, since memory is short; 1 is all
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
		source: s, link: model.Link{Host: s.target.Host, State: model.LinkConnecting}, fileOf: map[int64]int32{}, counted: map[int64]stepCount{}, parts: tally{}, doubled: map[int64]doubled{},
		budget: s.options.ChunkRows, oneIn: 1,
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
			if r.batch.chunk == nil || r.deliver() == nil {
				r.source.end(r.source.target.sentence(err))
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

// session connects and reads; when following it returns only with an error.
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
	if !r.source.options.Follow {
		return nil
	}
	return r.follow(ctx)
}

// connect connects, unless it is connected, and asks what may be set.
func (r *reader) connect(ctx context.Context) error {
	if r.conn != nil && r.conn.Usable() {
		return nil
	}
	r.hangUp()
	conn, err := r.source.dial(ctx)
	if err != nil {
		return err
	}
	r.conn = conn
	latency, err := conn.Ping(ctx)
	if err != nil {
		return err
	}
	r.link = model.Link{Host: r.source.target.Host, Latency: latency}
	r.allowed, err = r.source.allowedSettings(ctx, conn)
	return err
}

// dial opens a connection.
func (s *Source) dial(ctx context.Context) (*wire.Conn, error) {
	config, err := s.target.tls()
	if err != nil {
		return nil, err
	}
	return wire.Dial(ctx, wire.Options{Address: s.target.address(), User: s.target.User, Password: s.target.Password, TLS: config, Timeout: s.options.timeout})
}

// query runs a statement whose result has such columns.
func (r *reader) query(ctx context.Context, sql string, columns proto.Results, each func(rows int) error) error {
	return r.allowed.do(ctx, r.conn, sql, columns, each)
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
	r.source.texts.use(t)
	if err := r.countAll(ctx); err != nil {
		return err
	}
	r.prepared = true
	return r.noteStepless(ctx)
}

func (r *reader) describeTable(ctx context.Context) ([]column, error) {
	var columns []column
	fields := make([]proto.ColStr, 7) // name, type, default_type, default_expression, comment, codec_expression, ttl_expression
	var results proto.Results
	for i, name := range []string{"name", "type", "default_type", "default_expression", "comment", "codec_expression", "ttl_expression"} {
		results = append(results, proto.ResultColumn{Name: name, Data: &fields[i]})
	}
	err := r.query(ctx, r.source.target.describeSQL(), results, func(rows int) error {
		for i := range rows {
			if kind := fields[2].Row(i); kind != "EPHEMERAL" {
				columns = append(columns, column{fields[0].Row(i), fields[1].Row(i)})
			}
		}
		return nil
	})
	return columns, err
}

// noteStepless notes how many rows have no step, which are left out.
func (r *reader) noteStepless(ctx context.Context) error {
	if !isNullable(r.table.m.step) {
		return nil
	}
	var n proto.ColUInt64
	return r.query(ctx, r.table.steplessSQL(), proto.Results{{Name: "vantage_n", Data: &n}}, func(int) error {
		if rows := n.Row(0); rows > 0 {
			r.addProblem(r.table.target.name(), "%d rows have no %s and are left out", rows, r.table.m.step.name)
		}
		return nil
	})
}

func isNullable(c column) bool { return c.kind != c.base() && c.kind != "LowCardinality("+c.base()+")" }

// file returns the number of the file that stands for a step: what is read again replaces the rows of that file.
func (r *reader) file(step int64) (number int32, known bool) {
	if n, ok := r.fileOf[step]; ok {
		return n, true
	}
	n := int32(len(r.files))
	r.files = append(r.files, r.fileName(step))
	r.fileOf[step] = n
	r.source.texts.addStep(step)
	return n, false
}

// fileName is what stands for the name of a file in sentences on a step.
func (r *reader) fileName(step int64) string {
	return fmt.Sprintf("%s step %d", r.table.target.name(), step)
}

// steps returns the steps that are known, ascending.
func (r *reader) steps() []int64 { return slices.Sorted(maps.Keys(r.counted)) }

func (r *reader) hangUp() {
	if r.conn != nil {
		r.bytesBefore += r.conn.Bytes()
		_ = r.conn.Close()
		r.conn = nil
	}
}
