package rewardcolumns

import (
	"slices"
	"strconv"
	"strings"

	"vantage/model"
)

// candidates are columns that may be reward functions, in the order of the log.
type candidates struct {
	names  []string
	known  bool   // all are reward functions
	moves  []bool // some group has more than one value of it
	varies []bool // the log has more than one value of it
	zero   []bool // all values are 0
}

// describe says how the columns of a sample vary.
func (s *samples) describe(names []string, known bool) *candidates {
	n := len(names)
	c := &candidates{names: names, known: known, moves: make([]bool, n), varies: make([]bool, n), zero: make([]bool, n)}
	for k := range names {
		first := s.steps[0].columns[k][0]
		c.zero[k] = true
		for _, step := range s.steps {
			values := step.columns[k]
			for g := range len(step.offsets) - 1 {
				for _, x := range values[step.offsets[g]:step.offsets[g+1]] {
					c.moves[k] = c.moves[k] || x != values[step.offsets[g]]
					c.varies[k] = c.varies[k] || x != first
					c.zero[k] = c.zero[k] && x == 0
				}
			}
		}
	}
	return c
}

// undecided returns the columns whose weights no advantage tells.
func (c *candidates) undecided() []string {
	var names []string
	for k, name := range c.names {
		if !c.moves[k] && !c.zero[k] {
			names = append(names, name)
		}
	}
	return names
}

// complete returns weights with those factors of the columns that move advantages. Of the others a
// known function counts once, as does what has one value everywhere and stands before a column that
// counts, or is called a reward: a function that all samples satisfy. What differs between prompts but
// never within a group belongs to the prompt. A function that always gives 0 changes no sum but
// torch's order of it. The last weights have no such column at all.
func (c *candidates) complete(factors []float64) []model.Weights {
	last := -1
	for k, x := range factors {
		if x != 0 {
			last = k
		}
	}
	full, bare := &strings.Builder{}, &strings.Builder{}
	for k, x := range factors {
		counts := x != 0 || c.known
		if counts && c.moves[k] {
			add(full, c.names[k], x)
			add(bare, c.names[k], x)
			continue
		}
		if !c.moves[k] && (c.known || !c.varies[k] && (k < last || isRewardName(c.names[k]))) {
			add(full, c.names[k], 1)
		}
	}
	all := []model.Weights{model.NewWeights(full.String())}
	if w := model.NewWeights(bare.String()); w != all[0] && !c.known {
		all = append(all, w)
	}
	return slices.DeleteFunc(all, func(w model.Weights) bool { return w == "" })
}

func add(b *strings.Builder, name string, x float64) {
	if b.Len() > 0 {
		b.WriteByte(',')
	}
	b.WriteString(name + "=" + strconv.FormatFloat(x, 'g', -1, 64))
}

func isRewardName(name string) bool {
	return strings.Contains(strings.ToLower(name), "reward")
}
