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
	if cell.Groups < n.Groups || cell.Size < n.Size {
		return shape, false
	}
	shape = Shape{Steps: cell.Steps, Groups: cell.Groups, Size: cell.Size, Every: 1, First: int64(rng.IntN(2)), Data: pick(rng, []Data{Epochs, Epochs, Once})}
	shape.Reward = pick(rng, orAll(n.Rewards, Binary, Binary, Signed, Graded, Model, Parts))
	shape.Genre = pick(rng, orAll(n.Genres, append(slices.Clone(plainTexts), Choice)...))
	if shape.Genre == Choice && shape.Reward != Signed {
		shape.Reward = Binary // equal letters are graded alike
	}
	if n.Data != "" {
		shape.Data = n.Data
	}
	format := pick(rng, slices.DeleteFunc(Formats(), func(f Format) bool { return !s.fits(f, shape.Reward) }))
	shape.Format = format.Name
	if format.Tokens {
		shape.Tokens = rng.IntN(3) > 0
	}
	if own := shape.Format == "jsonl" || shape.Format == "csv"; own { // their writer decides
		shape.NoTexts = !n.Texts && (shape.Tokens || !n.Lengths) && rng.IntN(3) == 0
		shape.NoPrompts = !n.Prompts && rng.IntN(4) == 0
	}
	shape.drawCourse(cell, rng)
	if n.Gradual {
		shape.Onset, shape.Pace = min(shape.Onset, 0.5), max(shape.Pace, 0.12)
	}
	return shape, true
}

// drawCourse draws how steps are numbered, how long answers are, and when and how fast what is planted sets in.
func (shape *Shape) drawCourse(cell Cell, rng *rand.Rand) {
	switch rng.IntN(6) {
	case 0:
		shape.Every = 10
		shape.First = 10
	case 1:
		shape.First = int64(1 + 100*rng.IntN(9)) // resumed
	}
	shape.Words = []float64{35, 60, 90}[rng.IntN(3)]
	shape.Onset, shape.Pace = 0.3+0.4*rng.Float64(), pick(rng, []float64{0, 0.06, 0.12})
	switch rng.IntN(4) {
	case 0:
		shape.Onset = 0.1
		if cell.Steps < 100 {
			shape.Onset = 0.2
		}
	case 1:
		shape.Onset, shape.Pace = 0.85, pick(rng, []float64{0, 0.04})
	case 2:
		shape.Onset, shape.Pace = 0.3+0.2*rng.Float64(), 0.3 // slow
	}
}

// fits reports whether a format has what a scene needs.
func (s Scene) fits(f Format, reward Reward) bool {
	n := s.Needs
	return (n.Formats == nil || slices.Contains(n.Formats, f.Name)) && (f.Texts || !n.Texts) && (f.Prompts || !n.Prompts) && (f.Sources || !n.Sources) &&
		(f.Parts || reward != Parts && !s.hasParts())
}

// hasParts reports whether a scene has several graders whatever the reward is.
func (s Scene) hasParts() bool {
	return slices.Contains([]string{"style pays", "style and substance", "long answers please a judge", "a grader that is not used"}, s.Name)
}

func orAll[T any](some []T, all ...T) []T {
	if some == nil {
		return all
	}
	return some
}
