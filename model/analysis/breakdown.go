package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vantage/estimators/lossweight"
	"vantage/model"
	"vantage/model/units"
)

// Breakdown says who pays: the figures of steps, part by part.
type Breakdown struct {
	Parts []Part // in the order in which they were found
	All   Part   // the samples of all parts, and their groups counted once
	Steps int

	index map[string]int
}

// Part is the samples of some steps that have something in common. Groups count in each part that they
// have samples in.
type Part struct {
	Name string

	Samples, Groups int
	Signal          int // groups with signal
	Admitted        int // groups that the group filter admits
	Kept            int // samples kept
	Nonzero         int // samples whose processed advantage is a number other than 0, residue aside
	Solved, Judged  int // samples solved, of those whose rewards say so

	RewardSum float64 // of the finite rewards that train
	Rewards   int     // how many these are
	Tokens    int64   // of the responses of known length

	AbsUnfiltered, AbsProcessed float64 // Σ|A| of the finite advantages
	Push                        float64 // ΣA of the processed ones
	Mass                        lossweight.Mass
}

// Reward is the mean of the finite rewards, NaN if there are none.
func (p *Part) Reward() float64 { return p.RewardSum / float64(p.Rewards) }

// Add counts the samples of a step: part returns the name of that of sample i of group g, "" for none.
func (b *Breakdown) Add(a *Analysis, part func(g, i int) string) {
	b.Steps++
	for g := range a.Table {
		row := &a.Table[g]
		last := -1 // the part of the sample before: most groups are of one
		counted := map[int]bool{}
		for i := row.Start; i < row.End; i++ {
			name := part(g, i)
			if name == "" {
				continue
			}
			if last < 0 || b.Parts[last].Name != name {
				last = b.find(name)
			}
			for _, p := range []*Part{&b.Parts[last], &b.All} {
				p.addSample(a, row, i)
			}
			if len(counted) == 0 {
				b.All.addGroup(row)
			}
			if !counted[last] {
				counted[last] = true
				b.Parts[last].addGroup(row)
			}
		}
	}
}

func (b *Breakdown) find(name string) int {
	if i, found := b.index[name]; found {
		return i
	}
	if b.index == nil {
		b.index = map[string]int{}
	}
	b.index[name] = len(b.Parts)
	b.Parts = append(b.Parts, Part{Name: name})
	return len(b.Parts) - 1
}

// IsSolved reports whether sample i of a group counts as solved.
func (a *Analysis) IsSolved(g *Group, i int) bool {
	return a.plan.of(g).IsSolved(a.LoggedRewards[i], at(a.grouped.verdicts, i))
}

// Grade is the reward of sample i of a group on the scale of its run: 0 of one that is wrong, 1 of one that is solved; NaN of a
// reward that is no finite number. Where a column says what is solved there is nothing between.
func (a *Analysis) Grade(g *Group, i int) float64 {
	scale, r := a.plan.of(g), a.LoggedRewards[i]
	if scale.Column != "" || a.IsSolved(g, i) {
		return float64(model.Count01(a.IsSolved(g, i)))
	}
	return max(0, (r-scale.Wrong)/(scale.Solved-scale.Wrong))
}

// GroupPart returns the figures of all samples of group g.
func (a *Analysis) GroupPart(g int) (p Part) {
	row := &a.Table[g]
	p.addGroup(row)
	for i := row.Start; i < row.End; i++ {
		p.addSample(a, row, i)
	}
	return p
}

func (p *Part) addGroup(g *Group) {
	p.Groups++
	p.Admitted += model.Count01(g.Admitted)
	p.Signal += model.Count01(g.Fate == model.FateAlive || g.Fate == model.FateShort)
}

func (p *Part) addSample(a *Analysis, g *Group, i int) {
	p.Samples++
	p.Kept += model.Count01(a.Keep[i])
	if r := a.Rewards[i]; units.IsFinite(r) {
		p.RewardSum += r
		p.Rewards++
	}
	if l := a.Lengths[i]; l >= 0 {
		p.Tokens += int64(l)
	}
	if g.HasSolved {
		p.Judged++
		p.Solved += model.Count01(a.IsSolved(g, i))
	}
	moves := a.Moves(i)
	if x := a.Unfiltered[i]; units.IsFinite(x) && moves {
		p.AbsUnfiltered += math.Abs(x)
	}
	if y := a.Processed[i]; units.IsFinite(y) && moves {
		p.AbsProcessed += math.Abs(y)
		p.Push += y
		p.Nonzero += model.Count01(y != 0)
	}
	if a.LossWeights != nil {
		p.Mass = p.Mass.Plus(lossweight.MassOf(a.LossWeights[i:i+1], a.Processed[i:i+1]))
	}
}

// Difficulty names the part of a group by the share of its samples that is solved.
func (a *Analysis) Difficulty(g int) string {
	row := &a.Table[g]
	if !row.HasSolved || row.Counted == 0 {
		return "solve rate unknown"
	}
	return difficulties()[row.solveBin()]
}

// difficulties are the names of the parts of solveBins, the hardest first.
func difficulties() []string {
	return []string{"none solved", "up to 25% solved", "up to 50% solved", "up to 75% solved", "below 100% solved", "all solved"}
}

// lengthQuarters returns the name of the part of each sample by its length, in quarters of the step.
func (a *Analysis) lengthQuarters() []string {
	lengths := knownLengths(a.Lengths)
	if lengths == nil {
		return slices.Repeat([]string{"length unknown"}, a.Rows)
	}
	names, quartiles, parts := make([]string, a.Rows), lossweight.Quartiles(lengths), quarters()
	for i, l := range lengths {
		k := 0
		for _, q := range quartiles {
			k += model.Count01(l > q)
		}
		names[i] = parts[k]
	}
	return names
}

func quarters() []string {
	return []string{"shortest quarter", "second quarter", "third quarter", "longest quarter"}
}

// PartOrder sorts the names of parts of Difficulty and lengthQuarters: hard before easy, short before
// long; 0 for others.
func PartOrder(name string) int {
	return max(0, slices.Index(slices.Concat([]string{"solve rate unknown", "length unknown"}, difficulties(), quarters()), name))
}

const maxColumnsNamed = 12

// TextFunc reads the text of a sample from the log again.
type TextFunc func(context.Context, model.Place) (model.Text, error)

// ReadTexts passes texts of samples to visit, by index, or why one cannot be read. Those of whose bytes in the log mayHold, which may be
// nil, is false may be left out. It may be called from several goroutines.
type ReadTexts func(ctx context.Context, places []model.Place, mayHold func(record []byte) bool,
	visit func(i int, t model.Text, err error)) error

// ReadTextsOf returns what reads many texts of a source: in large pieces where it can, else one after the other.
func ReadTextsOf(source interface {
	Text(ctx context.Context, at model.Place) (model.Text, error)
},
) ReadTexts {
	if bulk, ok := source.(interface {
		Texts(ctx context.Context, places []model.Place, mayHold func([]byte) bool, visit func(int, model.Text, error)) error
	}); ok {
		return bulk.Texts
	}
	var one sync.Mutex
	return func(ctx context.Context, places []model.Place, _ func([]byte) bool, visit func(int, model.Text, error)) error {
		one.Lock()
		defer one.Unlock()
		for i := 0; i < len(places) && ctx.Err() == nil; i++ {
			text, err := source.Text(ctx, places[i])
			visit(i, text, err)
		}
		return ctx.Err()
	}
}

// PartKinds lists what samples can be divided by without a column of the log.
func PartKinds() []string { return []string{"difficulty", "length", "fate", "step"} }

// ErrNoColumn says that the log lacks the column that samples are divided by.
var ErrNoColumn = errors.New("the log has no such column")

// PartNames returns what names the part of sample i of group g for a Breakdown: by one of PartKinds, or by
// the value of a column of the log, "empty" if it has none.
func (a *Analysis) PartNames(ctx context.Context, by string, read TextFunc) (func(g, i int) string, error) {
	switch by {
	case "step":
		name := strconv.FormatInt(a.Step, 10)
		return func(int, int) string { return name }, nil
	case "difficulty":
		return func(g, _ int) string { return a.Difficulty(g) }, nil
	case "length":
		names := a.lengthQuarters()
		return func(_, i int) string { return names[i] }, nil
	case "fate":
		return func(g, _ int) string { return a.Table[g].Fate.String() }, nil
	}
	names := a.componentNames(by)
	if names == nil {
		var err error
		if names, err = a.columnNames(ctx, by, read); err != nil {
			return nil, err
		}
	}
	return func(_, i int) string { return names[i] }, nil
}

// componentNames returns the values of a column of numbers that is in memory, nil if it is not.
func (a *Analysis) componentNames(column string) []string {
	k := slices.Index(a.plan.snap.Run.ComponentNames, column)
	if k < 0 || model.HoldsNames(column) {
		return nil
	}
	names := make([]string, a.Rows)
	for i, x := range a.grouped.step.Component(a.InputRow, k) {
		names[i] = "empty"
		if units.IsFinite(x) {
			names[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	return names
}

// columnNames reads the column of every row, in the order of the log.
func (a *Analysis) columnNames(ctx context.Context, column string, read TextFunc) ([]string, error) {
	names, order := make([]string, a.Rows), model.Indexes(a.Rows)
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(a.InputRow[x], a.InputRow[y]) })
	for _, i := range order {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := read(ctx, a.grouped.step.Place(int(a.InputRow[i])))
		if err != nil {
			return nil, fmt.Errorf("the column is read from the log a second time: %w", err)
		}
		if names[i], err = ValueOf(text.Fields, column); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// ValueOf returns the value of a column of a record, "empty" if that is "". The path of a nested one has dots: env.name. An object
// is shown by its name or its id, if it has one.
func ValueOf(fields []model.Field, column string) (string, error) {
	var known []string
	for _, f := range fields {
		rest, isInside := strings.CutPrefix(column, f.Name+".")
		if f.Name == column || isInside {
			if value, found := inside(f.Value, rest, isInside); found {
				return cmp.Or(value, "empty"), nil
			}
		}
		known = append(known, f.Name)
	}
	has := ""
	if len(known) > 0 {
		has = ", but " + strings.Join(known[:min(len(known), maxColumnsNamed)], ", ")
	}
	return "", fmt.Errorf("%w%s; by %s it goes without one", ErrNoColumn, has, strings.Join(PartKinds(), ", "))
}

// inside returns what is at a path of a value, which is a JSON object if there is a path.
func inside(value, path string, hasPath bool) (text string, found bool) {
	var object map[string]json.RawMessage
	if !strings.HasPrefix(value, "{") || json.Unmarshal([]byte(value), &object) != nil {
		return value, !hasPath
	}
	if !hasPath {
		for _, name := range []string{"name", "id"} {
			if text, found := plain(object[name]); found {
				return text, true
			}
		}
		return value, true
	}
	if raw, isThere := object[path]; isThere {
		text, found := plain(raw)
		if !found {
			return inside(string(raw), "", false)
		}
		return text, true
	}
	name, rest, _ := strings.Cut(path, ".")
	if rest == "" {
		return "", false
	}
	return inside(string(object[name]), rest, true)
}

func plain(raw json.RawMessage) (text string, found bool) {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return "", false
	}
	switch x := value.(type) {
	case string:
		return x, true
	case float64, bool:
		return string(raw), true
	case nil:
		return "", true
	}
	return "", false
}
