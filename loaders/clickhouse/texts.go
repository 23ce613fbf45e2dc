package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strconv"
	"sync"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/decode"
	"vantage/model"
)

// texts reads the texts of samples, a group at a time, on a connection of its own: it may do so while the rows of
// other steps come. What was read last is kept.
type texts struct {
	source *Source

	mu      sync.Mutex // guards what the reader tells
	table   *table
	stepOf  []int64 // by file
	read    map[int64]stepRead
	reading sync.Mutex // guards what follows
	conn    *session
	step    *stepRows // whose rows were asked for last
	stepAs  stepRead
	group   openGroup
}

type stepRead struct{ oneIn, times int }

type openGroup struct {
	key   groupKey
	lines []line
}

type line struct {
	number int64
	values []float64
	json   string
}

func (x *texts) note(change func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change()
}

func (x *texts) close() {
	x.reading.Lock()
	defer x.reading.Unlock()
	if x.conn != nil {
		_ = x.conn.Close()
	}
}

var errChanged = errors.New("the step has changed: the sample is not there any more")

func (x *texts) textOf(ctx context.Context, place model.Place) (model.Text, error) {
	x.mu.Lock()
	if x.table == nil || int(place.File) >= len(x.stepOf) {
		x.mu.Unlock()
		return model.Text{}, errChanged
	}
	t, step := x.table, x.stepOf[place.File]
	as := x.read[step]
	x.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(x.source.ctx, cancel)
	defer stop()
	x.reading.Lock()
	defer x.reading.Unlock()
	if x.step == nil || x.step.step != step || x.stepAs != as {
		if err := x.readStep(ctx, t, selection{step, step, as.oneIn}); err != nil {
			return model.Text{}, x.source.target.sentence(err)
		}
		x.stepAs, x.group = as, openGroup{}
	}
	text, err := x.find(ctx, t, place.Offset)
	if err != nil && ctx.Err() == nil && !errors.Is(err, errChanged) {
		err = x.source.target.sentence(err)
	}
	return text, err
}

func (x *texts) find(ctx context.Context, t *table, row int64) (model.Text, error) {
	if int(row) >= len(x.step.group) {
		return model.Text{}, errChanged
	}
	group, rank := x.step.group[row], 0 // which of its samples the row is
	for _, g := range x.step.group[:row] {
		if g == group {
			rank++
		}
	}
	key := x.step.keys[group]
	if x.group.lines == nil || x.group.key != key {
		lines, err := x.readGroup(ctx, t, x.step.step, key)
		if err != nil {
			return model.Text{}, err
		}
		x.group = openGroup{key, lines}
	}
	if rank >= len(x.group.lines) {
		return model.Text{}, errChanged
	}
	return x.source.textOf(x.group.lines[rank].json)
}

// readStep reads the rows of a step, without texts, to know their order.
func (x *texts) readStep(ctx context.Context, t *table, want selection) error {
	rows := &stepRows{prompts: &decode.PromptCache{}}
	rows.reset(&t.m, t.fields(), want.lo)
	err := t.readGroups(ctx, x.query, want, func([]field, int64) (*stepRows, error) { return rows, nil })
	if err != nil {
		return err
	}
	rows.finish(0)
	x.step = rows
	return nil
}

// readGroup reads everything that the table has of the samples of a group, each as JSON, in the order of stepRows.
func (x *texts) readGroup(ctx context.Context, t *table, step int64, key groupKey) ([]line, error) {
	var same string
	switch c := t.m.group; {
	case c.name == "":
		same = t.groupHash() + " = " + strconv.FormatUint(key.hash, 10)
	case key.id == "":
		same = c.orEmpty() + " = ''"
	case c.isInteger():
		same = c.quoted() + " = " + key.id
	default:
		same = c.quoted() + " = " + quoteText(key.id)
	}
	var text proto.ColStr
	number := proto.NewColNullable[int64](new(proto.ColInt64))
	outputs := []output{{"vantage_v0", t.sampleNumber(), number}}
	values := make([]*proto.ColNullable[float64], len(t.fields()))
	for i, f := range t.fields() {
		values[i] = proto.NewColNullable[float64](new(proto.ColFloat64))
		outputs = append(outputs, output{fmt.Sprintf("vantage_v%d", i+1), f.sql, values[i]})
	}
	what, columns := selecting(append(outputs, output{"vantage_line", "formatRowNoNewline('JSONEachRow', *)", &text})...)
	conditions := append(t.ofReading(), t.m.step.quoted()+" = "+strconv.FormatInt(step, 10), same)
	var lines []line
	err := x.query(ctx, what+t.target.from()+where(conditions), columns, func(n int) error {
		for i := range n {
			l := line{number: number.Row(i).Or(noNumber), json: text.Row(i)}
			for _, v := range values {
				l.values = append(l.values, v.Row(i).Or(math.NaN()))
			}
			lines = append(lines, l)
		}
		return nil
	})
	sort.Slice(lines, func(i, k int) bool {
		a, b := &lines[i], &lines[k]
		return cmp.Or(cmp.Compare(a.number, b.number), slices.Compare(a.values, b.values), cmp.Compare(a.json, b.json)) < 0
	})
	return lines, err
}

func (x *texts) query(ctx context.Context, sql string, columns proto.Results, each func(rows int) error) (err error) {
	if x.source.ctx.Err() != nil {
		return os.ErrClosed
	}
	if x.conn == nil || !x.conn.Usable() {
		if x.conn, err = x.source.dial(ctx); err != nil {
			return err
		}
	}
	return x.conn.query(ctx, sql, columns, each)
}

// textOf decodes a sample as a line of a file with the same names.
func (s *Source) textOf(json string) (model.Text, error) {
	decoder := decode.NewRowDecoder(s.fields, "")
	decoder.Capture = &decode.TextCapture{}
	if _, err := decoder.Decode(nil, []byte(json)); err != nil || !decoder.Capture.Found {
		return model.Text{}, fmt.Errorf("the sample has no text: %w", err)
	}
	return decoder.Capture.Text, nil
}
