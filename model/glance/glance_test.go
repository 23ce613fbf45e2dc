package glance

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
)

// trendOf returns the trend of steps of groups of four, each given by its rewards: a is alive, w all wrong,
// c all correct, m half correct, i has a NaN reward; o has one sample, q one with a logged advantage, and l is alive with others logged.
func trendOf(t *testing.T, set model.Settings, steps ...string) *analysis.Trend {
	t.Helper()
	rewards := map[rune][]float64{'o': {1}, 'l': {1, 0, 1, 0}, 'q': {1}, 'a': {1, 0, 1, 0}, 'w': {0, 0, 0, 0}, 'c': {1, 1, 1, 1}, 'm': {0.5, 0.5, 0.5, 0.5}, 'i': {1, math.NaN(), 0, 1}}
	chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true, LengthUnit: model.LengthTokens}
	for step, groups := range steps {
		for g, kind := range groups {
			for _, r := range rewards[kind] {
				logged := math.NaN()
				if kind == 'l' || kind == 'q' {
					logged = 7
				}
				chunk.Records = append(chunk.Records, model.Record{Step: int64(step + 1), Prompt: uint64(g + 1), Reward: r, Advantage: logged, Length: 100})
			}
		}
	}
	s := model.NewStore()
	s.Append(chunk)
	trend, err := analysis.ComputeTrend(context.Background(), s.Snapshot(), set, nil, nil, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	return trend
}

// Counts, spans and causes, by hand.
func TestOf(t *testing.T) {
	refusal := diagnosis.Alike{Kind: diagnosis.Refusals, Words: "I can't help with", Same: 8, Read: 8}
	trend := trendOf(t, model.DefaultSettings(), "aaaa", "aaac", "wwww", "wwww", "aaaw", "cccc", "wwww", "ammm")
	g := Of(trend, diagnosis.Answers{Alike: map[int64]diagnosis.Alike{3: refusal, 4: refusal}}, model.Run{LengthUnit: model.LengthTokens})
	// signal: 4 + 3 + 0 + 0 + 3 + 0 + 0 + 1
	if g.Steps != 8 || g.Groups != 32 || g.Signal != 11 || g.Dead() != 21 || g.Rows != 128 || g.Nonzero != 44 {
		t.Errorf("%+v", g.Counts)
	}
	var got []string
	for i := range g.Spans {
		got = append(got, g.Spans[i].Name()+" "+g.Spans[i].Cause())
	}
	want := []string{
		"3–4 refusals “I can't help with…”, all wrong (8 of 8 groups)",
		"7 all wrong (4 of 4 groups)",
		"8 all equal (3 of 4 groups)",
		"6 all correct (4 of 4 groups)",
		"5 all wrong (1 of 4 groups)",
		"2 all correct (1 of 4 groups)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want := []FateCount{{model.FateAllWrong, 13}, {model.FateAllCorrect, 5}, {model.FateConstant, 3}}; !cmp.Equal(want, g.DeadFates()) {
		t.Error(g.DeadFates())
	}
}

// Answers that are always empty do not shrink.
func TestEmptyAnswersDoNotShrink(t *testing.T) {
	chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true, LengthUnit: model.LengthCharacters}
	for range 4 {
		chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: 1, Advantage: math.NaN()})
	}
	s := model.NewStore()
	s.Append(chunk)
	trend, err := analysis.ComputeTrend(context.Background(), s.Snapshot(), model.DefaultSettings(), nil, nil, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	if g := Of(trend, diagnosis.Answers{}, model.Run{LengthUnit: model.LengthCharacters}); g.Spans[0].Cause() != "all wrong (1 of 1 group)" {
		t.Error(g.Spans[0].Cause())
	}
}

// Steps of which no answer was read are as those that were read before and after them, which is said.
func TestOfStepsReadEvenly(t *testing.T) {
	read := func(kind diagnosis.AlikeKind) diagnosis.Alike {
		return diagnosis.Alike{Kind: kind, Words: "I can't help with", Same: 8, Read: 8}
	}
	trend := trendOf(t, model.DefaultSettings(), "aaaa", "wwww", "wwww", "wwww", "aaaa", "wwww", "wwww")
	for name, c := range map[string]struct {
		alike map[int64]diagnosis.Alike
		want  []string
	}{
		"between": {map[int64]diagnosis.Alike{2: read(diagnosis.Refusals), 4: read(diagnosis.Refusals), 6: read(diagnosis.NotAlike)}, []string{
			"2–4 refusals “I can't help with…” at each of 2 steps that were read, all wrong (12 of 12 groups)", "6–7 all wrong (8 of 8 groups)",
		}},
		"not beyond": {map[int64]diagnosis.Alike{2: read(diagnosis.Refusals), 3: read(diagnosis.NotAlike), 6: read(diagnosis.Refusals)}, []string{
			"3–4 all wrong (8 of 8 groups)", "2 refusals “I can't help with…”, all wrong (4 of 4 groups)",
			"6 refusals “I can't help with…”, all wrong (4 of 4 groups)", "7 all wrong (4 of 4 groups)",
		}},
	} {
		g := Of(trend, diagnosis.Answers{Read: 24, Of: 112, Alike: c.alike}, model.Run{LengthUnit: model.LengthTokens})
		var got []string
		for i := range g.Spans {
			got = append(got, g.Spans[i].Name()+" "+g.Spans[i].Cause())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if want := "answers were read of 3 of 5 steps that are mostly all wrong"; g.Unread() != 2 || !strings.Contains(g.UnreadText(), want) {
			t.Errorf("%s: %d, %q, want %q", name, g.Unread(), g.UnreadText(), want)
		}
	}
}

// The advice is the first that applies, with its cost by hand.
func TestAdvice(t *testing.T) {
	filtered := model.DefaultSettings()
	filtered.KeepNeg, filtered.Recompute = 0, true // keeps two equal rewards of each group
	grouped, err := model.DefaultSettings().Set("group_filter", "verl/filter_groups")
	if err != nil {
		t.Fatal(err)
	}
	verl, err := model.DefaultSettings().Set("framework", "verl") // which does not refuse groups of one
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		set   model.Settings
		steps string
		want  string
	}{
		"nothing":        {model.DefaultSettings(), "aaaa", "nothing to change: 100% of groups carry signal"},
		"half dead":      {model.DefaultSettings(), "aaww", "would skip 50% of groups; to refill them costs 2.0× generation"},
		"63 % dead":      {model.DefaultSettings(), "aaawwwcc", "would skip 63% of groups; to refill them costs 2.7× generation"},
		"all dead":       {model.DefaultSettings(), "wwcc", "no group carries signal"},
		"killed":         {filtered, "aaaa", "the sample filter costs 100% of groups"},
		"singles":        {model.DefaultSettings(), "oooo", "each prompt has one sample, and an estimator"},
		"some singles":   {model.DefaultSettings(), "aaoo", "50% of groups have one sample"},
		"cut":            {verl, "aaaq", "the log ends within a group"},
		"half others":    {model.DefaultSettings(), "llaa", "nothing to change"},
		"mostly others":  {model.DefaultSettings(), "llla", "the numbers are not those of the log at 75% of samples"},
		"invalid":        {model.DefaultSettings(), "aaai", "6% of all rewards are NaN or missing"},
		"a group filter": {grouped, "aaww", "the group filter skips 50% of groups; to refill them costs 2.0× generation"},
	} {
		g := Of(trendOf(t, c.set, c.steps), diagnosis.Answers{}, model.Run{LengthUnit: model.LengthTokens})
		if got := g.Advice(&diagnosis.Diagnosis{Steps: len(c.steps), Grounds: diagnosis.Grounds{SampleSteps: 10, Groups: 40}}); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// What ails the run comes before the settings, and these before what is only to be watched. Nothing is to be changed only if
// the run is healthy.
func TestAdviceFollowsTheDiagnosis(t *testing.T) {
	found := func(severity diagnosis.Severity) *diagnosis.Diagnosis {
		return &diagnosis.Diagnosis{Steps: 4, Findings: []diagnosis.Finding{{Kind: diagnosis.RewardHacking, Severity: severity, Since: 3, Lasting: true, Advice: "read answers"}}}
	}
	early := &diagnosis.Diagnosis{Steps: 4, Grounds: diagnosis.Grounds{SampleSteps: 4, Groups: 16}}
	blind := &diagnosis.Diagnosis{
		Steps: 10, Grounds: diagnosis.Grounds{SampleSteps: 10, Groups: 40}, Blind: []diagnosis.Blind{{Kind: diagnosis.AnswerCollapse, Why: "the log has no texts"}},
	}
	alive, dead := Of(trendOf(t, model.DefaultSettings(), "aaaa"), diagnosis.Answers{}, model.Run{LengthUnit: model.LengthTokens}), Of(trendOf(t, model.DefaultSettings(), "aaww"), diagnosis.Answers{}, model.Run{LengthUnit: model.LengthTokens})
	for _, c := range []struct {
		glance *Glance
		found  *diagnosis.Diagnosis
		want   string
	}{
		{alive, found(diagnosis.Alarm), "reward hacking since step 3: read answers"},
		{dead, found(diagnosis.Alarm), "reward hacking since step 3: read answers"},
		{alive, found(diagnosis.Watch), "reward hacking since step 3: read answers"},
		{dead, found(diagnosis.Watch), "dynamic sampling (C) would skip 50% of groups; to refill them costs 2.0× generation, :groupsize asks for larger groups"},
		{alive, blind, "nothing to change: 100% of groups carry signal"},
		{alive, early, "too early to tell: 4 complete steps with 16 groups; 100% of groups carry signal"},
		{alive, nil, "100% of groups carry signal"},
	} {
		if got := c.glance.Advice(c.found); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Two steps that lie apart are two, and none between them.
func TestSpanNames(t *testing.T) {
	for want, s := range map[string]Span{
		"step 7": {From: 7, To: 7}, "steps 7–8": {First: 3, Last: 4, From: 7, To: 8}, "steps 0, 40": {Last: 1, To: 40}, "steps 10–50": {Last: 4, From: 10, To: 50},
	} {
		if got := s.Steps(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
