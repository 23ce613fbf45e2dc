package illruns

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vantage/internal/testkit/repotest"
)

func small() Cell { return Cell{30, 4, 8} }

func scenes() []Scene { return append(Illnesses(), Healthy()...) }

func shapeOf(t *testing.T, s Scene, cell Cell, seed uint64) Shape {
	t.Helper()
	shape, ok := s.Shape(cell, rand.New(rand.NewPCG(seed, 1)))
	if !ok {
		t.Fatalf("%s cannot be seen in runs of %v", s.Name, cell)
	}
	return shape
}

// Every scene has a name of its own, as a twin has that is named, and its runs are the same to the byte if they are made again.
func TestScenesAreTheSameEachTime(t *testing.T) {
	names := map[string]bool{}
	for i, s := range scenes() {
		if names[s.Kind+s.Name] {
			t.Errorf("%s is there twice", s.Name)
		}
		names[s.Kind+s.Name] = true
		if s.Twin != "" && !slices.ContainsFunc(Healthy(), func(h Scene) bool { return h.Name == s.Twin }) {
			t.Errorf("%s has no twin %s", s.Name, s.Twin)
		}
		if i%repotest.Times(10, 1) != 0 {
			continue
		}
		cell := small()
		cell.Steps = max(cell.Steps, s.Needs.Steps)
		shape := shapeOf(t, s, cell, 2)
		var written [2]string
		for i := range written {
			written[i] = t.TempDir()
			if err := Make(s, shape, "x").Write(Place{Folder: written[i], Parquet: asText}, Arrange{}); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := all(t, written[0]), all(t, written[1]); a != b || a == "" {
			t.Errorf("%s: %d and %d bytes, which should be the same", s.Name, len(a), len(b))
		}
	}
}

// asText takes the place of what writes Parquet.
func asText(out io.Writer, columns []string, rows [][]any) error {
	_, err := fmt.Fprintln(out, columns, rows)
	return err
}

// all is what the files of a folder hold.
func all(t *testing.T, folder string) (text string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		text += path[len(folder):] + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The runs of a pair have the same figure at each step, but for the noise: a tenth of the run differs by less than four standard errors.
func TestTwinsHaveTheSameFigure(t *testing.T) {
	length := func(a Answer) float64 { return float64(a.Tokens) }
	reward := func(a Answer) float64 { return a.Reward }
	figures := map[string]func(a Answer) float64{
		"style pays": reward, "one of the answers": reward, "longer for nothing": length, "stubs": length, "one prompt in twenty is solved": reward, "a source falls": reward,
	}
	for _, s := range Illnesses() {
		figure := figures[s.Name]
		if figure == nil {
			continue
		}
		twin := Healthy()[slices.IndexFunc(Healthy(), func(h Scene) bool { return h.Name == s.Twin })]
		for seed := range uint64(repotest.Times(1, 3)) {
			shape := shapeOf(t, s, Cell{100, 20, 4}, seed)
			shape.Reward = Binary
			a, b := tenths(Make(s, shape, "x"), figure), tenths(Make(twin, shape, "x"), figure)
			for i := range a {
				if z := (a[i].mean - b[i].mean) / math.Hypot(a[i].se, b[i].se); math.Abs(z) > 4 {
					t.Errorf("%s and %s, tenth %d of the run: %.3f and %.3f, %.1f standard errors apart", s.Name, twin.Name, i+1, a[i].mean, b[i].mean, z)
				}
			}
		}
	}
}

type estimate struct{ mean, se float64 }

// tenths are the means of a figure over tenths of a run, with errors that count groups: the answers to a prompt are alike.
func tenths(r *Run, figure func(a Answer) float64) (of []estimate) {
	for i := range 10 {
		var means []float64
		for t := i * r.Steps / 10; t < (i+1)*r.Steps/10; t++ {
			for group := range slices.Chunk(r.Step(t), r.Size) {
				sum := 0.0
				for _, a := range group {
					sum += figure(a) / float64(len(group))
				}
				means = append(means, sum)
			}
		}
		sum, squares, n := 0.0, 0.0, float64(len(means))
		for _, x := range means {
			sum, squares = sum+x, squares+x*x
		}
		of = append(of, estimate{sum / n, math.Sqrt((squares/n-sum*sum/n/n)/n) + 1e-9})
	}
	return of
}

// What is planted is there: the share of groups that are all right, all wrong, cut off or alike is what the truth says, before and after.
func TestWhatIsPlantedIsThere(t *testing.T) {
	mostly := func(of func(group []Answer) bool) func(groups [][]Answer) float64 {
		return func(groups [][]Answer) float64 {
			n := 0.0
			for _, g := range groups {
				if of(g) {
					n++
				}
			}
			return n / float64(len(groups))
		}
	}
	answers := func(of func(a Answer) bool) func(groups [][]Answer) float64 {
		return func(groups [][]Answer) float64 {
			n, all := 0.0, 0.0
			for _, g := range groups {
				for _, a := range g {
					all++
					if of(a) {
						n++
					}
				}
			}
			return n / all
		}
	}
	figures := map[string]struct {
		of   func(groups [][]Answer) float64
		mark float64
	}{
		"all is learned":       {mostly(func(g []Answer) bool { return !slices.ContainsFunc(g, func(a Answer) bool { return a.Parts[0] < 1 }) }), 0.8},
		"hard data begins":     {mostly(func(g []Answer) bool { return !slices.ContainsFunc(g, func(a Answer) bool { return a.Parts[0] > 0 }) }), 0.8},
		"grows into the limit": {answers(func(a Answer) bool { return a.Cut }), 0.2},
		"the limit is lowered": {answers(func(a Answer) bool { return a.Cut }), 0.2},
	}
	for _, s := range Illnesses() {
		f, ok := figures[s.Name]
		if !ok {
			continue
		}
		shape := shapeOf(t, s, Cell{100, 40, 8}, 3)
		shape.Onset, shape.Pace, shape.Every, shape.First = 0.5, 0.1, 1, 0
		if shape.Reward == Parts {
			shape.Reward = Binary
		}
		r := Make(s, shape, "x")
		var before, after [][]Answer
		for i := range r.Steps {
			groups := slices.Collect(slices.Chunk(r.Step(i), r.Size))
			switch since := int(r.Truth.Ill[0].Since); {
			case i < since-6:
				before = append(before, groups...)
			case i > since+6:
				after = append(after, groups...)
			}
		}
		if a, b := f.of(before), f.of(after); a > f.mark || b < f.mark {
			t.Errorf("%s: %.2f before and %.2f after, which should be on both sides of %.2f", s.Name, a, b, f.mark)
		}
	}
}

func Example_slack() {
	r := &Run{Shape: Shape{Groups: 4, Size: 4, Every: 10, First: 10}}
	r.ill("truncation", 20, 6, 0.1, 0.4) // half of 6 steps, and (3·0.1/0.4)², which is less than 1, and 1
	fmt.Println(r.Truth.Ill[0].Since, r.Truth.Ill[0].Slack)
	// Output: 210 50
}
