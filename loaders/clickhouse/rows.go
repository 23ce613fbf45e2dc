package clickhouse

import (
	"cmp"
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

func (b *groupBlock) value(field, at int, missing float64) float64 {
	if v := b.values[field].nulls.Row(at); v.Set {
		return v.Value
	}
	return missing
}

// noNumber is the number of a sample that has none.
const noNumber = math.MinInt64

type stepRows struct {
	m      *mapping
	step   int64
	keys   []groupKey // of the groups
	block  model.Block
	group  []int32 // of each row
	number []int64 // of each sample

	repeated int // rows with the group and the number of another
	example  int // the first of them
	prompts  *decode.PromptCache
}

func (s *stepRows) reset(step int64) {
	b := &s.block
	s.step, s.keys, s.group, s.number, s.repeated = step, s.keys[:0], s.group[:0], s.number[:0], 0
	b.Step, b.Offset, b.Reward, b.Advantage, b.Length = b.Step[:0], b.Offset[:0], b.Reward[:0], b.Advantage[:0], b.Length[:0]
	b.Prompts, b.Prompt, b.Groups, b.Status = b.Prompts[:0], b.Prompt[:0], nil, b.Status[:0]
	if b.Components == nil {
		b.Components = make([][]float64, len(s.m.components))
	}
	for i := range b.Components {
		b.Components[i] = b.Components[i][:0]
	}
}

func (s *stepRows) add(from *groupBlock, row int) {
	b, g := &s.block, int32(len(s.keys))
	s.keys = append(s.keys, groupKey{from.id.Row(row), from.hash.Row(row)})
	prompt := s.promptOf(from, row)
	if last := len(b.Prompts) - 1; prompt.Hash != 0 && (last < 0 || b.Prompts[last] != prompt) {
		b.Prompts = append(b.Prompts, prompt)
	}
	ends, at := from.sample.arrays.Offsets, 0
	if row > 0 {
		at = int(ends[row-1])
	}
	for ; at < int(ends[row]); at++ {
		s.group = append(s.group, g)
		s.number = append(s.number, from.sample.nulls.Row(at).Or(noNumber))
		if prompt.Hash != 0 {
			b.Prompt = append(b.Prompt, int32(len(b.Prompts)-1))
		}
		s.addValues(from, at)
	}
}

func (s *stepRows) addValues(from *groupBlock, at int) {
	b, reward, length := &s.block, estimators.MissingReward(), int32(-1)
	for i, f := range from.fields {
		switch f.means {
		case meansReward:
			reward = from.value(i, at, reward)
		case meansAdvantage:
			b.Advantage = append(b.Advantage, from.value(i, at, math.NaN()))
		case meansLength:
			if n := from.value(i, at, -1); n > 0 && n <= math.MaxInt32 {
				length = int32(n)
			}
		case meansComponent:
			b.Components[f.component] = append(b.Components[f.component], from.value(i, at, math.NaN()))
		case meansStatus:
			status := from.value(i, at, 0)
			if !(status >= 0 && status < float64(model.StatusCount)) { // a server may send anything
				status = 0
			}
			b.Status = append(b.Status, model.Status(status))
		}
	}
	if s.m.sums {
		reward = s.sum(reward)
	}
	b.Reward, b.Length = append(b.Reward, reward), append(b.Length, length)
}

// sum is the sum of the components of the newest row that count, and missing if it has none.
func (s *stepRows) sum(missing float64) float64 {
	sum, found := 0.0, false
	for _, i := range s.m.summands() {
		values := s.block.Components[i]
		if x := values[len(values)-1]; !math.IsNaN(x) {
			sum, found = sum+x, true
		}
	}
	if !found {
		return missing
	}
	return sum
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

func (s *stepRows) finish(file int32) model.Block {
	b := &s.block
	s.order()
	b.File = file
	for i := range b.Reward {
		b.Step, b.Offset = append(b.Step, s.step), append(b.Offset, int64(i))
	}
	out := *b
	if s.m.group.name != "" {
		out.Group, out.Groups = s.group, make([]string, len(s.keys))
		for i, k := range s.keys {
			out.Groups[i] = k.id
		}
	}
	if len(b.Prompt) != len(b.Reward) {
		out.Prompt, out.Prompts = nil, nil
	}
	if s.m.advantage.name == "" {
		out.Advantage = nil
	}
	if !slices.ContainsFunc(out.Status, func(s model.Status) bool { return s != model.StatusTrains }) {
		out.Status = nil
	}
	return out
}

// order sorts the rows: by the number of the sample if that numbers the rows of the step, as a trainer has them in
// its batch, else by group and then by number. Rows that these do not tell apart are sorted by their values, so
// that the order is always the same.
func (s *stepRows) order() {
	byNumber := s.numbersTheStep()
	compare := func(i, j int32) int {
		if !byNumber && s.group[i] != s.group[j] {
			return cmp.Compare(s.group[i], s.group[j])
		}
		return cmp.Or(cmp.Compare(s.number[i], s.number[j]), s.compareValues(i, j))
	}
	order := make([]int32, len(s.group))
	sorted := true
	for i := range order {
		order[i] = int32(i)
		sorted = sorted && (i == 0 || compare(order[i-1], order[i]) <= 0)
	}
	if !sorted {
		slices.SortStableFunc(order, compare)
		b := &s.block
		s.group, s.number = permuted(s.group, order), permuted(s.number, order)
		b.Reward, b.Advantage, b.Length, b.Prompt = permuted(b.Reward, order), permuted(b.Advantage, order), permuted(b.Length, order), permuted(b.Prompt, order)
		b.Status = permuted(b.Status, order)
		for i := range b.Components {
			b.Components[i] = permuted(b.Components[i], order)
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

// compareValues compares the values of two rows in the order of table.fields; what is missing is less than all.
func (s *stepRows) compareValues(i, j int32) int {
	b, c := &s.block, 0
	if s.m.reward.name != "" {
		c = cmp.Compare(b.Reward[i], b.Reward[j])
	}
	if c == 0 && len(b.Advantage) > 0 {
		c = cmp.Compare(b.Advantage[i], b.Advantage[j])
	}
	if c == 0 {
		c = cmp.Compare(b.Length[i], b.Length[j])
	}
	for k := 0; c == 0 && k < len(b.Components); k++ {
		c = cmp.Compare(b.Components[k][i], b.Components[k][j])
	}
	if c == 0 && len(b.Status) > 0 {
		c = cmp.Compare(b.Status[i], b.Status[j])
	}
	return c
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
	return fmt.Sprintf("counted, though they may have been written twice, as by a run that was resumed, or be of an evaluation: %s of %s (%s); %s", units.Plural(surplus, "rows"), where, example, r.table.m.adviceForDoubled())
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
	advice := fmt.Sprintf("if a column tells the starts of a run apart, attempt=%s in the address counts the rows that were written last, and split=COLUMN leaves out evaluations", column)
	if m.attempt.name != "" {
		advice = fmt.Sprintf("the column %s, which tells the starts of the run apart, does not tell them apart", m.attempt.name)
	}
	return advice + "; final=1 counts the newest row alone of a table that is a ReplacingMergeTree; else leave out the older rows in a view of the table"
}
