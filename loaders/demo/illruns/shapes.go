package illruns

import (
	"math/rand/v2"
	"slices"
)

// Cell is a size of runs.
type Cell struct{ Steps, Groups, Size int }

// Cells are short and long runs of small and large groups, up to 8,000 samples each.
func Cells() []Cell {
	return []Cell{
		{30, 32, 4},
		{100, 20, 4},
		{300, 6, 4},
		{1000, 2, 4},
		{30, 24, 8},
		{100, 10, 8},
		{300, 3, 8},
		{1000, 1, 8},
		{30, 16, 16},
		{100, 5, 16},
		{300, 2, 12},
		{30, 4, 64},
		{100, 1, 64},
	}
}

// Shape draws a shape of a size in which a scene can be seen. ok is false if it cannot.
func (s Scene) Shape(cell Cell, rng *rand.Rand) (shape Shape, ok bool) {
	n := s.Needs
	if cell.Steps < n.Steps || cell.Groups < n.Groups || cell.Size < n.Size {
		return shape, false
	}
	shape = Shape{Steps: cell.Steps, Groups: cell.Groups, Size: cell.Size, Words: pick(rng, []float64{35, 60, 90})}
	shape.Data = pick(rng, []Data{Epochs, Epochs, Once})
	if n.Data != "" {
		shape.Data = n.Data
	}
	shape.Reward = pick(rng, orAll(n.Rewards, Binary, Binary, Signed, Graded, Model, Parts))
	shape.Genre = pick(rng, orAll(n.Genres, append(slices.Clone(plainTexts), Choice)...))
	if shape.Genre == Choice && shape.Reward != Signed {
		shape.Reward = Binary // equal letters are graded alike
	}
	format := s.format(rng, shape.Reward == Parts)
	shape.Format, shape.Tokens = format.Name, format.Tokens && rng.IntN(3) > 0
	if shape.Format == "jsonl" || shape.Format == "csv" { // their writer decides
		shape.NoTexts = !n.Texts && (shape.Tokens || !n.Lengths) && rng.IntN(3) == 0
		shape.NoPrompts = !n.Prompts && rng.IntN(4) == 0
	}
	shape.First, shape.Every = int64(rng.IntN(2)), 1
	switch rng.IntN(6) {
	case 0:
		shape.First, shape.Every = 10, 10
	case 1:
		shape.First = int64(1 + 100*rng.IntN(9)) // resumed
	}
	shape.Onset, shape.Pace = s.onset(rng, cell.Steps)
	return shape, true
}

// format draws a format that holds what the scene needs.
func (s Scene) format(rng *rand.Rand, parts bool) Format {
	n := s.Needs
	return pick(rng, slices.DeleteFunc(Formats(), func(f Format) bool {
		lacks := n.Texts && !f.Texts || n.Prompts && !f.Prompts || n.Sources && !f.Sources || (parts || s.hasParts()) && !f.Parts
		return lacks || n.Formats != nil && !slices.Contains(n.Formats, f.Name)
	}))
}

// onset draws when something sets in, and over which share of the run: early, late, slowly or none of these.
func (s Scene) onset(rng *rand.Rand, steps int) (onset, pace float64) {
	onset, pace = 0.3+0.4*rng.Float64(), pick(rng, []float64{0, 0.06, 0.12})
	switch rng.IntN(4) {
	case 0:
		onset = 0.1
		if steps < 100 {
			onset = 0.2
		}
	case 1:
		onset, pace = 0.85, pick(rng, []float64{0, 0.04})
	case 2:
		onset, pace = 0.3+0.2*rng.Float64(), 0.3
	}
	if s.Needs.Gradual {
		onset, pace = min(onset, 0.5), max(pace, 0.12)
	}
	return onset, pace
}

// hasParts reports whether a scene has several graders whatever the reward is.
func (s Scene) hasParts() bool {
	return slices.Contains([]string{"style pays", "style and substance", "long answers please a judge", "a grader that is not used"},
		s.Name)
}

func orAll[T any](some []T, all ...T) []T {
	if some == nil {
		return all
	}
	return some
}
