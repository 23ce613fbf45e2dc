package clickhouse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/estimators"
	"vantage/loaders/clickhouse/wire"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/jsonscan"
	"vantage/model"
	"vantage/model/units"
)

type groupBlock struct {
	step                   proto.ColInt64
	id, pid, prompt, truth proto.ColStr
	hash                   proto.ColUInt64
	sample                 numberArrays[int64]
	fields                 []field
	values                 []numberArrays[float64] // of the fields
}

// numberArrays is a column of arrays of numbers that may be NULL.
type numberArrays[T any] struct {
	nulls  *proto.ColNullable[T]
	arrays *proto.ColArr[proto.Nullable[T]]
}

func newArrays[T any](values proto.ColumnOf[T]) numberArrays[T] {
	nulls := proto.NewColNullable(values)
	return numberArrays[T]{nulls, nulls.Array()}
}

// newGroupBlock returns a block for the answer of table.groupsSQL.
func newGroupBlock(fields []field) *groupBlock {
	b := &groupBlock{fields: fields, sample: newArrays[int64](new(proto.ColInt64))}
	for range fields {
		b.values = append(b.values, newArrays[float64](new(proto.ColFloat64)))
	}
	return b
}

func (b *groupBlock) columns() proto.Results {
	all := proto.Results{
		{Name: "vantage_s", Data: &b.step},
		{Name: "id", Data: &b.id},
		{Name: "hash", Data: &b.hash},
		{Name: "pid", Data: &b.pid},
		{Name: "prompt", Data: &b.prompt},
		{Name: "truth", Data: &b.truth},
		{Name: "v0", Data: b.sample.arrays},
	}
	for i := range b.values {
		all = append(all, proto.ResultColumn{Name: fmt.Sprintf("v%d", i+1), Data: b.values[i].arrays})
	}
	return all
}

// check returns an error if the arrays of the columns do not have one length in each group: what follows relies on it,
// and a server may send anything.
func (b *groupBlock) check() error {
	offsets := b.sample.arrays.Offsets
	ok := slices.IsSorted(offsets)
	for i := range b.values {
		ok = ok && slices.Equal(b.values[i].arrays.Offsets, offsets)
	}
	if !ok {
		return fmt.Errorf("%w: the columns of a group have other lengths", wire.ErrNotClickHouse)
	}
	return nil
}

// queryFunc is [session.query], on a connection that is there or is made.
type queryFunc func(ctx context.Context, sql string, columns proto.Results, each func(rows int) error) error

// readGroups reads the groups of some steps. Their rows are added to what to returns for the step of each.
func (t *table) readGroups(ctx context.Context, query queryFunc, want selection,
	to func(fields []field, step int64) (*stepRows, error),
) error {
	block := newGroupBlock(t.fields())
	return query(ctx, t.groupsSQL(want), block.columns(), func(n int) error {
		if err := block.check(); err != nil {
			return err
		}
		for i := range n {
			rows, err := to(block.fields, block.step.Row(i))
			if err != nil {
				return err
			}
			rows.add(block, i)
		}
		return nil
	})
}

// noNumber is the number of a sample that has none.
const noNumber = math.MinInt64

// stepRows are the rows of a step. They come group by group, and are in order after finish.
type stepRows struct {
	m      *mapping
	fields []field
	step   int64
	keys   []groupKey // of the groups
	block  model.Block
	group  []int32     // of each row
	number []int64     // of each sample
	values [][]float64 // of each field, NaN for NULL

	repeated int // rows with the group and the number of another
	example  int // the first of them
	prompts  *decode.PromptCache
}

func (s *stepRows) reset(m *mapping, fields []field, step int64) {
	b := &s.block
	s.m, s.fields, s.step, s.keys, s.group, s.number, s.repeated = m, fields, step, s.keys[:0], s.group[:0], s.number[:0], 0
	b.Prompts, b.Prompt = b.Prompts[:0], b.Prompt[:0]
	if s.values == nil {
		s.values = make([][]float64, len(fields))
	}
	for i := range s.values {
		s.values[i] = s.values[i][:0]
	}
}

func (s *stepRows) add(from *groupBlock, row int) {
	b, g := &s.block, int32(len(s.keys))
	s.keys = append(s.keys, groupKey{from.id.Row(row), from.hash.Row(row)})
	prompt := s.promptOf(from, row)
	if last := len(b.Prompts) - 1; prompt.Hash != 0 && (last < 0 || b.Prompts[last] != prompt) {
		b.Prompts = append(b.Prompts, prompt)
	}
	ends, start := from.sample.arrays.Offsets, 0
	if row > 0 {
		start = int(ends[row-1])
	}
	for at := start; at < int(ends[row]); at++ {
		s.group = append(s.group, g)
		s.number = append(s.number, from.sample.nulls.Row(at).Or(noNumber))
		if prompt.Hash != 0 {
			b.Prompt = append(b.Prompt, int32(len(b.Prompts)-1))
		}
	}
	for k, f := range s.fields {
		missing := math.NaN()
		if f.means == meansReward {
			missing = estimators.MissingReward()
		}
		for at := start; at < int(ends[row]); at++ {
			s.values[k] = append(s.values[k], from.values[k].nulls.Row(at).Or(missing))
		}
	}
}

// promptOf identifies the prompt of a group: by its text as in a file, or by its id; its hash is 0 if the table tells none.
func (s *stepRows) promptOf(from *groupBlock, row int) model.Prompt {
	switch {
	case s.m.prompt.name != "":
		truth := jsonscan.Value{}
		if s.m.truth.name != "" {
			truth = jsonscan.FromText([]byte(from.truth.Row(row)))
		}
		return s.prompts.Get(jsonscan.FromText([]byte(from.prompt.Row(row))), truth)
	case s.m.promptID.name == "":
		return model.Prompt{}
	}
	id := from.pid.Row(row)
	if s.m.promptID == s.m.group {
		id = from.id.Row(row)
	}
	return model.Prompt{Hash: max(1, jsonscan.Hash64([]byte(id))), Preview: id}
}

// finish puts the rows in order, and returns them as a block, which shares their memory.
func (s *stepRows) finish(file int32) model.Block {
	s.order()
	b, n := &s.block, len(s.group)
	b.File, b.Step, b.Offset, b.Length = file, slices.Grow(b.Step[:0], n)[:n], slices.Grow(b.Offset[:0], n)[:n],
		slices.Grow(b.Length[:0], n)[:n]
	for i := range n {
		b.Step[i], b.Offset[i], b.Length[i] = s.step, int64(i), -1
	}
	b.Components = make([][]float64, len(s.m.components))
	for k, f := range s.fields {
		values := s.values[k]
		switch f.means {
		case meansReward:
			b.Reward = values
		case meansAdvantage:
			b.Advantage = values
		case meansLength:
			for i, x := range values {
				if x > 0 && x <= math.MaxInt32 {
					b.Length[i] = int32(x)
				}
			}
		case meansComponent:
			b.Components[f.component] = values
		case meansStatus:
			b.Status = statuses(values)
		}
	}
	if s.m.sums {
		b.Reward = s.sums()
	}
	out := *b
	if s.m.group.name != "" {
		out.Group, out.Groups = s.group, model.Mapped(s.keys, func(k groupKey) string { return k.id })
	}
	if len(b.Prompt) != n {
		out.Prompt, out.Prompts = nil, nil
	}
	return out
}

// statuses are the statuses that numbers stand for, nil if all samples train. A server may send anything.
func statuses(values []float64) []model.Status {
	all, some := make([]model.Status, len(values)), false
	for i, x := range values {
		if x > 0 && x < float64(model.StatusCount) {
			all[i] = model.Status(x)
			some = some || all[i] != model.StatusTrains
		}
	}
	if !some {
		return nil
	}
	return all
}

// sums are the sums of the components that count, missing where a row has none.
func (s *stepRows) sums() []float64 {
	sums := slices.Repeat([]float64{estimators.MissingReward()}, len(s.group))
	for _, k := range s.m.summands() {
		for i, x := range s.block.Components[k] {
			if math.IsNaN(x) {
				continue
			}
			if estimators.IsMissing(sums[i]) {
				sums[i] = 0
			}
			sums[i] += x
		}
	}
	return sums
}

// order sorts the rows: by the number of the sample if that numbers the rows of the step, as a trainer has them in
// its batch, else by group and then by number. Rows that these do not tell apart are sorted by their values, as in readGroup, so
// that the order is always the same.
func (s *stepRows) order() {
	byNumber := s.numbersTheStep()
	compare := func(i, j int32) int {
		c := cmp.Compare(s.number[i], s.number[j])
		if !byNumber {
			c = cmp.Or(cmp.Compare(s.group[i], s.group[j]), c)
		}
		for k := 0; c == 0 && k < len(s.values); k++ {
			c = cmp.Compare(s.values[k][i], s.values[k][j])
		}
		return c
	}
	order := make([]int32, len(s.group))
	for i := range order {
		order[i] = int32(i)
	}
	if !slices.IsSortedFunc(order, compare) {
		slices.SortStableFunc(order, compare)
		s.group, s.number, s.block.Prompt = permuted(s.group, order), permuted(s.number, order), permuted(s.block.Prompt, order)
		for k := range s.values {
			s.values[k] = permuted(s.values[k], order)
		}
	}
	for i := 1; i < len(s.group); i++ {
		if s.group[i] == s.group[i-1] && s.number[i] == s.number[i-1] && s.number[i] != noNumber {
			if s.repeated++; s.repeated == 1 {
				s.example = i
			}
		}
	}
}

func (s *stepRows) numbersTheStep() bool {
	seen := map[int64]bool{}
	for _, n := range s.number {
		if n == noNumber || seen[n] {
			return false
		}
		seen[n] = true
	}
	return len(s.keys) > 1
}

func permuted[T any](column []T, order []int32) []T {
	if len(column) != len(order) {
		return column
	}
	out := make([]T, len(column))
	for i, from := range order {
		out[i] = column[from]
	}
	return out
}

// doubled is what a step that was read tells of rows that may have been written twice.
type doubled struct {
	rows     int    // of the step
	size     int    // of its groups, 0 if they differ
	numbered bool   // a column numbers the samples of a group
	repeated int    // rows with the group and the number of another
	example  string // of these
}

func (r *reader) noteDoubled(rows *stepRows) {
	d := doubled{rows: len(rows.group), size: rows.groupSize(), numbered: !slices.Contains(rows.number, noNumber), repeated: rows.repeated}
	if d.repeated > 0 {
		i := rows.example
		d.example = fmt.Sprintf("%s %d of group %s", r.table.m.sample.name, rows.number[i], rows.keys[rows.group[i]].name())
	}
	r.doubled[rows.step] = d
}

func (k groupKey) name() string {
	if k.id == "" {
		return fmt.Sprintf("%016x", k.hash)
	}
	return k.id
}

// groupSize is the size of the groups of a step, 0 if they differ.
func (s *stepRows) groupSize() int {
	sizes := make([]int, len(s.keys))
	for _, g := range s.group {
		sizes[g]++
	}
	if len(sizes) == 0 || slices.Min(sizes) != slices.Max(sizes) {
		return 0
	}
	return sizes[0]
}

// usualOf returns what more than half of the steps have; 0 if they are not alike.
func usualOf(steps map[int64]doubled, of func(doubled) int) int {
	counts := map[int]int{}
	for _, d := range steps {
		n := of(d)
		if counts[n]++; 2*counts[n] > len(steps) {
			return n
		}
	}
	return 0
}

// surplus returns how many rows a step has more than expected where most steps have so many rows, and groups of that size; and
// how that shows.
func (d doubled) surplus(usualRows, usualSize int) (rows int, shows string) {
	switch {
	case d.repeated > 0:
		return d.repeated, d.example + " is there more than once"
	case usualSize == 0 || d.size == 0:
		return 0, "" // the numbers of rows differ anyway
	case !d.numbered && d.size >= 2*usualSize && d.size%usualSize == 0:
		return d.rows - d.rows/(d.size/usualSize), fmt.Sprintf("its groups have %d samples, and those of most steps %d", d.size, usualSize)
	case usualRows > 0 && d.size == usualSize && d.rows >= 2*usualRows && d.rows%usualRows == 0:
		return d.rows - usualRows, fmt.Sprintf("it has %d rows, and most steps have %d", d.rows, usualRows)
	}
	return 0, ""
}

// doubledSentence says which steps have more rows than expected, with an example, and what to do; "" if none has, or if
// a person asked for all attempts or for evaluations as well.
func (r *reader) doubledSentence() string {
	steps, surplus, example := r.findDoubled()
	if o := &r.source.options; len(steps) == 0 || o.Attempt < 0 || o.Split == discover.SplitAll {
		return ""
	}
	where := fmt.Sprintf("step %d", steps[0])
	if n := len(steps); n > 1 {
		where = fmt.Sprintf("%s from %d to %d", units.Plural(n, "steps"), steps[0], steps[n-1])
	}
	return fmt.Sprintf("counted, though they may have been written twice, as by a run that was resumed, or be of an evaluation: %s "+
		"of %s (%s); %s", units.Plural(surplus, "rows"), where, example, r.table.m.adviceForDoubled())
}

// findDoubled returns the steps that have more rows than expected, ascending, how many that are, and the first of them as
// an example. Where that shows by the number of rows alone, later steps must have the usual one: else the run was given
// larger batches.
func (r *reader) findDoubled() (steps []int64, surplus int, example string) {
	usualRows := usualOf(r.doubled, func(d doubled) int { return d.rows })
	usualSize := usualOf(r.doubled, func(d doubled) int { return d.size })
	isLast := true
	known := slices.Sorted(maps.Keys(r.doubled))
	for _, step := range slices.Backward(known) {
		d := r.doubled[step]
		rows, shows := d.surplus(usualRows, usualSize)
		if isLast = isLast && rows > 0; rows == 0 || isLast && d.repeated == 0 {
			continue
		}
		steps, surplus = append(steps, step), surplus+rows
		example = fmt.Sprintf("%s, %d rows more than expected: %s", r.fileName(step), rows, shows)
	}
	slices.Reverse(steps)
	return steps, surplus, example
}

func (m *mapping) adviceForDoubled() string {
	column := "COLUMN"
	for _, name := range m.unused {
		lower := strings.ToLower(name)
		if slices.Contains(runNames, lower) || strings.Contains(lower, "attempt") || strings.Contains(lower, "restart") {
			column = name
			break
		}
	}
	advice := fmt.Sprintf("if a column tells the starts of a run apart, attempt=%s in the address counts the rows that were written "+
		"last, and split=COLUMN leaves out evaluations", column)
	if m.attempt.name != "" {
		advice = fmt.Sprintf("the column %s, which tells the starts of the run apart, does not tell them apart", m.attempt.name)
	}
	return advice + "; final=1 counts the newest row alone of a table that is a ReplacingMergeTree; else leave out the older rows in a " +
		"view of the table"
}
