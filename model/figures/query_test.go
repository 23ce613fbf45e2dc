package figures

import (
	"context"
	"fmt"
	"math"
	"testing"

	"vantage/model"
	"vantage/model/analysis"
)

// testAnalysis returns a step of three groups of four: "Area of a triangle" half right and
// long, "Compute 12" all correct, "Hard one" all wrong.
func testAnalysis(tb testing.TB) *analysis.Analysis {
	tb.Helper()
	chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true, LengthUnit: model.LengthTokens}
	for g, name := range []string{"Area of a triangle", "Compute 12", "Hard one"} {
		for i := range 4 {
			reward := []float64{float64(i % 2), 1, 0}[g]
			chunk.Records = append(chunk.Records, model.Record{
				Step: 1, Prompt: uint64(g + 1), Preview: name, Reward: reward, Advantage: math.NaN(), Length: int32(100*(3-g) + i),
			})
		}
	}
	s := model.NewStore()
	s.Append(chunk)
	a, err := analysis.Analyze(context.Background(), s.Snapshot(), 0, model.DefaultSettings())
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestQueries(t *testing.T) {
	a := testAnalysis(t)
	for text, want := range map[string]string{
		"":                              "[0 1 2]",
		"fate:alive":                    "[0]",
		"fate:correct or fate:wrong":    "[1 2]",
		"not fate:alive":                "[1 2]",
		"not (fate:correct fate:wrong)": "[0 1 2]",
		"std>0.4":                       "[0]",
		"reward<0.2":                    "[2]",
		"reward>=0.5 reward<1":          "[0]",
		`prompt~"TRIANGLE"`:             "[0]",
		"triangle":                      "[0]",
		`"a triangle"`:                  "[0]",
		"size=4 and kept=4":             "[0 1 2]",
		"sample.length>302":             "[0]",
		"sample.adv<-0.5":               "[0]",
		"not sample.kept=1":             "[]",
		"fate!=alive std<1":             "[1 2]",
		"Compute or one":                "[1 2]",
	} {
		q, err := ParseQuery(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := []int{}
		for g := range a.Table {
			if q.MatchesGroup(a, g) {
				got = append(got, g)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// The right samples of the half-right group are its second and fourth.
func TestMatchesSample(t *testing.T) {
	a := testAnalysis(t)
	q, err := ParseQuery("fate:alive sample.reward=1")
	if err != nil {
		t.Fatal(err)
	}
	got := []int{}
	for g, group := range a.Table {
		for i := group.Start; i < group.End; i++ {
			if q.MatchesSample(a, g, i) {
				got = append(got, i)
			}
		}
	}
	if fmt.Sprint(got) != "[1 3]" {
		t.Error(got)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"std>":          "column 5: expected a value",
		"std>x":         "column 5: expected a number to compare std with",
		"loss>1":        "column 1: expected a field, one of fate",
		"(fate:alive":   "column 12: expected a closing parenthesis",
		"fate:alive)":   "column 11: expected a term, not a closing parenthesis",
		"prompt<3":      "column 7: expected one of : = != ~ after prompt, which is text",
		`prompt~"x`:     "column 8: expected a closing quote",
		"fate:alive or": "column 14: expected a term",
		"fate:dead":     "column 6: expected a fate, one of short killed invalid noise single wrong constant correct skipped alive open",
		"not":           "column 4: expected a term",
	} {
		_, err := ParseQuery(text)
		if err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"fate:killed std>0.4", `a or (b not c~"d")`, "((((", "sample.adv<-1", "not not x", `"`} {
		f.Add(s)
	}
	a := testAnalysis(f)
	f.Fuzz(func(_ *testing.T, text string) {
		if q, err := ParseQuery(text); err == nil {
			for g := range a.Table {
				q.MatchesGroup(a, g)
			}
		}
	})
}
