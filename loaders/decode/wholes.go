package decode

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"vantage/loaders/jsonscan"
	"vantage/model"
)

// PickedRows is the layout of rows that may be only some samples of their group, with figures of the whole: the rewards of all, or their
// number and mean. Where these tell the rewards of the samples without a row, the samples are added when the step ends. Nothing is known of
// them but the reward: they have [model.StatusUnlogged]. The rows of a step must come to one decoder, in their order.
func PickedRows(r *RowDecoder, record []byte, emit func()) error {
	if r.wholes == nil {
		r.wholes, r.InOrder = &wholes{groups: map[wholeKey]*wholeGroup{}}, true
	}
	r.wholes.said = figuresOfWhole{mean: math.NaN(), std: math.NaN()}
	return OneRow(r, record, func(key, v jsonscan.Value) {
		r.wholes.said.take(key.Raw, v)
		r.Pick(key, v)
	}, emit)
}

// TellsWhole reports whether a row has a reward and figures of its whole group.
func TellsWhole(f *Fields, record []byte) bool {
	r, said := NewRowDecoder(f, ""), figuresOfWhole{mean: math.NaN()}
	r.BeginRow()
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		said.take(key.Raw, v)
		r.Pick(key, v)
	})
	reward, ok := r.Values[RoleReward].ToFloat()
	if err != nil || !ok || r.Values[RoleReward].Kind == jsonscan.Array {
		return false
	}
	return said.has(reward) || said.rewards == nil && said.size > 1 && !math.IsNaN(said.mean)
}

// figuresOfWhole are what a row says of its group.
type figuresOfWhole struct {
	raw       []byte    // the list of rewards
	rewards   []float64 // of the list; nil if there is none
	size      int       // 0 if it is not told
	mean, std float64   // NaN if not told
}

// take takes what a field says of the group.
func (f *figuresOfWhole) take(name []byte, v jsonscan.Value) {
	words := bytes.ToLower(name)
	of := func(w string) bool { return bytes.Contains(words, []byte(w)) }
	isReward := of("reward") || of("score") || of("return")
	switch {
	case v.Kind == jsonscan.Array && isReward && (of("group") || of("all") || of("sibling")):
		f.takeRewards(v)
	case v.Kind != jsonscan.Number:
	case of("group") && of("mean"):
		f.mean, _ = v.ToFloat()
	case of("group") && of("std"):
		f.std, _ = v.ToFloat()
	case isGroupSize(string(words)):
		f.takeSize(v)
	}
}

// takeSize takes the number of samples of the group, if it may be one.
func (f *figuresOfWhole) takeSize(v jsonscan.Value) {
	if n, ok := v.ToInt(); ok && n > 0 && n <= maxWhole {
		f.size = int(n)
	}
}

// takeRewards takes a list of the rewards of the group.
func (f *figuresOfWhole) takeRewards(v jsonscan.Value) {
	list := v.Elements()
	if len(list) < 2 || !areNumbers(list) {
		return
	}
	f.raw, f.rewards = v.Raw, model.Mapped(list, func(e jsonscan.Value) float64 {
		x, _ := e.ToFloat()
		return x
	})
}

// maxWhole bounds the samples of a group, and what is kept of a step: a log may say anything.
const (
	maxWhole  = 1 << 16
	maxGroups = 1 << 16
)

func isGroupSize(name string) bool {
	switch name {
	case "n", "group_size", "group_n", "num_generations", "num_rollouts", "num_samples", "n_samples", "n_rollouts", "samples_per_prompt":
		return true
	}
	return false
}

// has reports whether a reward is one of the list.
func (f *figuresOfWhole) has(reward float64) bool { return slices.Contains(f.rewards, reward) }

// whole is what is known of the group.
func (f *figuresOfWhole) whole() *model.Whole {
	w := &model.Whole{Size: f.size, Mean: f.mean, Std: f.std}
	if f.rewards != nil {
		sum := 0.0
		for _, r := range f.rewards {
			sum += r
		}
		w.Size, w.Mean = len(f.rewards), sum/float64(len(f.rewards))
	}
	return w
}

// wholes are the groups of the step at hand, of which rows may be missing.
type wholes struct {
	said   figuresOfWhole // by the row at hand
	step   int64
	groups map[wholeKey]*wholeGroup
	order  []*wholeGroup // of their first rows
	values []float64     // that rewards of the log have had, at most three
	rows   int           // whose rewards these are
}

// wholeKey tells groups apart.
type wholeKey struct {
	group  string
	prompt uint64
	told   string // the list of rewards, where the rows have one: one prompt may be drawn twice
}

type wholeGroup struct {
	first   model.Record
	rewards []float64 // of its rows
	all     []float64 // of the log's list, nil if it has none
	whole   *model.Whole
}

// add takes a row into account, and returns the samples without a row of the step before it.
func (w *wholes) add(row *model.Record) (unlogged []model.Record) {
	if row.Step != w.step {
		unlogged = w.end()
		w.step = row.Step
	}
	w.see(row.Reward)
	key := wholeKey{row.Group, row.Prompt, strings.ToValidUTF8(string(w.said.raw), "")}
	g := w.groups[key]
	if g == nil && len(w.order) < maxGroups && (w.said.size > 0 || w.said.rewards != nil) {
		g = &wholeGroup{first: *row, all: w.said.rewards, whole: w.said.whole()}
		w.groups[key], w.order = g, append(w.order, g)
	}
	if g != nil {
		g.rewards = append(g.rewards, row.Reward)
		row.Whole = g.whole
	}
	return unlogged
}

func (w *wholes) see(reward float64) {
	w.rows++
	if len(w.values) < 3 && !slices.Contains(w.values, reward) {
		w.values = append(w.values, reward)
	}
}

// end returns the samples without a row of the step, and forgets the step.
func (w *wholes) end() (unlogged []model.Record) {
	for _, g := range w.order {
		for _, reward := range g.missing(w.binary()) {
			unlogged = append(unlogged, model.Record{
				Step: g.first.Step, Group: g.first.Group, Prompt: g.first.Prompt, Preview: g.first.Preview,
				Reward: reward, Advantage: math.NaN(), Status: model.StatusUnlogged, Length: -1, Whole: g.whole,
			})
		}
	}
	clear(w.groups)
	w.order = w.order[:0]
	return unlogged
}

// leastBinary is how many rewards must have one of two values for rewards to be binary.
const leastBinary = 4

// binary returns the two values that all rewards have, nil if they are not those of right and wrong.
func (w *wholes) binary() []float64 {
	isGrade := func(x float64) bool { return x == -1 || x == 0 || x == 1 }
	if w.rows < leastBinary || len(w.values) != 2 || !isGrade(w.values[0]) || !isGrade(w.values[1]) {
		return nil
	}
	return []float64{min(w.values[0], w.values[1]), max(w.values[0], w.values[1])}
}

// missing returns the rewards of the samples without a row, none if they are not known: what rows leave of the list, or as many of the two
// values of binary rewards as size and mean leave.
func (g *wholeGroup) missing(binary []float64) []float64 {
	rest := slices.Clone(g.all)
	if rest == nil && binary != nil {
		rest = g.ofBinary(binary[0], binary[1])
	}
	for _, r := range g.rewards {
		i := slices.Index(rest, r)
		if i < 0 {
			return nil
		}
		rest = slices.Delete(rest, i, i+1)
	}
	return rest
}

// wholeNumber is how far the sum of rewards that a rounded mean gives may be from a whole number of them.
const wholeNumber = 0.01

// ofBinary returns the rewards of a group by its size and its mean, nil if these do not give a whole number of each value.
func (g *wholeGroup) ofBinary(lo, hi float64) []float64 {
	n := float64(g.whole.Size)
	high := n * (g.whole.Mean - lo) / (hi - lo)
	if k := math.Round(high); k >= 0 && k <= n && math.Abs(high-k) < wholeNumber {
		return append(slices.Repeat([]float64{hi}, int(k)), slices.Repeat([]float64{lo}, int(n-k))...)
	}
	return nil
}
