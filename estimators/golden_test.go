package estimators

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The files under testdata/golden were written by the frameworks' own functions,
// cut out of the repositories that "source" names and run under torch 1.13.1 on a
// CPU (AVX2). Float32 values are the shortest decimals that read back the same.

// goldenFile is one estimator's cases.
type goldenFile struct {
	Source string       `json:"source"`
	Cases  []goldenCase `json:"cases"`
}

// goldenCase is one call: what went in and what came out, per sample.
type goldenCase struct {
	Name       string       `json:"name"`
	Rewards    []goldenReal `json:"rewards"`
	Groups     []int        `json:"groups"`
	Params     goldenParams `json:"params"`
	Advantages []goldenReal `json:"advantages"`
	Original   []goldenReal `json:"advantages_original"`
	Kept       []float64    `json:"kept"`
	Error      *string      `json:"error"`
}

type goldenParams struct {
	NumGenerations *int        `json:"num_generations"`
	Scale          Scale       `json:"scale"`
	KeepPos        *goldenReal `json:"keep_pos_ratio"`
	KeepNeg        *goldenReal `json:"keep_neg_ratio"`
	Recompute      bool        `json:"compute_new_adv"`
}

// goldenReal is a number, "NaN", "Infinity", "-Infinity", or null for a missing
// reward.
type goldenReal float64

func (r *goldenReal) UnmarshalJSON(data []byte) error {
	var x float64
	switch text := strings.Trim(string(data), `"`); text {
	case "null":
		x = MissingReward()
	case "NaN":
		x = math.NaN()
	case "Infinity":
		x = math.Inf(1)
	case "-Infinity":
		x = math.Inf(-1)
	default:
		if err := json.Unmarshal(data, &x); err != nil {
			return err
		}
	}
	*r = goldenReal(x)
	return nil
}

func TestGolden(t *testing.T) {
	for _, f := range []struct {
		file, framework, name string
		cases                 int
	}{
		{"twinkle_grpo", "twinkle", "grpo", 135},
		{"twinkle_rloo", "twinkle", "rloo", 137},
		{"easyr1_brian_grpo", "easyr1", "grpo", 560},
		{"easyr1_brian_grpo_large", "easyr1", "grpo", 8},
		{"easyr1_brian_rloo", "easyr1", "rloo", 40},
	} {
		t.Run(f.file, func(t *testing.T) {
			golden := readGolden(t, f.file)
			e, err := Find(f.framework, f.name)
			if err != nil {
				t.Fatal(err)
			}
			var r Result
			for _, c := range golden.Cases {
				c.check(t, &r, e)
			}
			t.Logf("%d cases of %s", len(golden.Cases), golden.Source)
			if len(golden.Cases) != f.cases {
				t.Errorf("%d cases ran, want %d", len(golden.Cases), f.cases)
			}
		})
	}
}

func readGolden(t *testing.T, name string) goldenFile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "golden", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var f goldenFile
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// check runs the case and compares every bit, or the error's text.
func (c goldenCase) check(t *testing.T, r *Result, e *Estimator) {
	t.Helper()
	order, err := c.run(r, e)
	if got, want := text(err), wanted(c.Error); got != want {
		t.Errorf("%s: error %q, want %q", c.Name, got, want)
		return
	}
	if c.Error != nil {
		return
	}
	if len(c.Advantages) != len(order) {
		t.Fatalf("%s: %d advantages for %d samples", c.Name, len(c.Advantages), len(order))
	}
	for at, row := range order {
		c.same(t, "advantage", row, r.Processed[at], c.Advantages[row])
		if c.Original != nil {
			c.same(t, "original", row, r.Original[at], c.Original[row])
		}
		if c.Kept != nil && r.Kept[at] != (c.Kept[row] != 0) {
			t.Errorf("%s: sample %d kept %v, want %v", c.Name, row, r.Kept[at], c.Kept[row])
		}
	}
}

// run returns the rows of the case in the order in which r holds them.
func (c goldenCase) run(r *Result, e *Estimator) (order []int, err error) {
	order, offsets, err := c.layout()
	if err != nil {
		return nil, err
	}
	rewards := make([]float64, len(c.Rewards))
	for i, v := range c.Rewards {
		rewards[i] = float64(v)
	}
	e.CleanInto(rewards, rewards) // before the rows move: it looks at the batch as a whole
	sorted := make([]float64, len(order))
	for at, row := range order {
		sorted[at] = rewards[row]
	}
	if len(order) == 0 {
		// Without samples there is no block, but its size alone can be refused: one
		// block of zeros stands for it.
		n := *c.Params.NumGenerations
		return order, e.Advantage(make([]float64, n), Batch{make([]float64, n), []int{0, n}}, c.Params.Scale)
	}
	return order, Process(r, e, Batch{sorted, offsets}, c.Params.Scale, ratio(c.Params.KeepPos), ratio(c.Params.KeepNeg), c.Params.Recompute)
}

// layout groups by position where the framework does, else by id, in order of
// first appearance.
func (c goldenCase) layout() (order, offsets []int, err error) {
	if n := c.Params.NumGenerations; n != nil {
		offsets, err = Blocks(len(c.Rewards), *n)
		for row := range c.Rewards {
			order = append(order, row)
		}
		return order, offsets, err
	}
	var ids []int
	rows := map[int][]int{}
	for row, id := range c.Groups {
		if rows[id] == nil {
			ids = append(ids, id)
		}
		rows[id] = append(rows[id], row)
	}
	offsets = []int{0}
	for _, id := range ids {
		order = append(order, rows[id]...)
		offsets = append(offsets, len(order))
	}
	return order, offsets, nil
}

// same compares float32 bits; -0 is 0 and NaN is NaN.
func (c goldenCase) same(t *testing.T, what string, row int, got float64, want goldenReal) {
	t.Helper()
	w := float64(float32(want))
	if got == w || math.IsNaN(got) && math.IsNaN(w) {
		return
	}
	t.Errorf("%s: %s of sample %d is %v, want %v", c.Name, what, row, got, w)
}

func ratio(r *goldenReal) float64 {
	if r == nil {
		return 1
	}
	return float64(*r)
}

// text is what a traceback ends with.
func text(err error) string {
	var refusal *Refusal
	switch {
	case err == nil:
		return ""
	case errors.As(err, &refusal):
		return fmt.Sprintf("%s: %s", refusal.Kind, refusal.Text)
	}
	return "not a refusal: " + err.Error()
}

func wanted(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
