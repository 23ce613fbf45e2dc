package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/model"
)

func run() []string { return []string{"/runs/a"} }

// Decode returns what Encode was given.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Session
		for range rapid.IntRange(0, 5).Draw(t, "marks") {
			s.Marks = append(s.Marks, Mark{
				Step: rapid.Int64().Draw(t, "step"), Group: rapid.StringN(0, 20, 60).Draw(t, "group"),
				Sample: rapid.IntRange(0, 9).Draw(t, "sample"), Note: rapid.StringN(0, 50, 200).Draw(t, "note"),
			})
		}
		if rapid.Bool().Draw(t, "viewed") {
			s.View = &View{KeepPos: rapid.Float64Range(0, 1).Draw(t, "pos"), Filter: rapid.StringN(0, 20, 80).Draw(t, "filter")}
		}
		data, err := Encode(run(), s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(data, run())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                                  "not a session file",
		`{"vantage":1,"run":["/runs/a"]`:    "not a session file",
		`[1,2]`:                             "not a session file",
		`{}`:                                "version 0",
		`{"vantage":2,"run":["/runs/a"]}`:   "version 2, but this program reads version 1",
		`{"vantage":1,"run":["/runs/b"]}`:   `another run: ["/runs/b"]`,
		`{"vantage":1,"run":["/runs/a"]} x`: "data after the end",
	} {
		if _, err := Decode([]byte(text), run()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"vantage":1,"run":["/runs/a"],"view":{"estimator":{"framework":"trl"},"keep_pos_ratio":7},"marks":[{"step":1,"group":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data, run())
		if err != nil {
			return
		}
		if set := s.View.ApplyTo(model.DefaultSettings(), func(string) bool { return false }); set.Effective().Validate() != nil {
			t.Errorf("%s becomes settings that no trainer takes: %+v", data, set)
		}
	})
}

// Settings of the command line win over saved ones; invalid saved ones are ignored.
func TestApplyTo(t *testing.T) {
	saved := &View{Estimator: &Estimator{"twinkle", "grpo", "batch", ""}, KeepPos: 0.7, KeepNeg: 0.5, Recompute: true, SolvedAt: "0.5"}
	isSet := func(names ...string) func(string) bool {
		return func(option string) bool { return strings.Contains(" "+strings.Join(names, " ")+" ", " "+option+" ") }
	}
	defaults := model.DefaultSettings()
	all := defaults
	all.Framework, all.Estimator, all.Scale, all.KeepPos, all.KeepNeg, all.Recompute, all.SolvedAt = "twinkle", "grpo", "batch", 0.7, 0.5, true, "0.5"
	if got := saved.ApplyTo(defaults, isSet()); got != all {
		t.Errorf("%+v", got)
	}
	partial := defaults
	partial.KeepNeg, partial.Recompute = 0.5, true
	if got := saved.ApplyTo(defaults, isSet("scale", "keep_pos_ratio", "solved_at")); got != partial {
		t.Errorf("%+v", got)
	}
	option := "reward.clip_range=-1 1"
	clipped := (&View{Estimator: &Estimator{"openrlhf", "dr_grpo", "none", estimators.Options(option)}, KeepPos: 1, KeepNeg: 1}).ApplyTo(defaults, isSet())
	if clipped.Estimator != "dr_grpo" || string(clipped.Options) != option || EstimatorOf(clipped).Options != clipped.Options {
		t.Errorf("%+v", clipped)
	}
	for _, broken := range []*View{
		nil,
		{Estimator: &Estimator{"openrlhf", "dr_grpo", "none", "gamma=1"}, KeepPos: 1, KeepNeg: 1},
		{Estimator: &Estimator{"nobody", "grpo", "group", ""}, KeepPos: 1, KeepNeg: 1},
		{Estimator: &Estimator{"easyr1", "grpo", "batch", ""}, KeepPos: 1, KeepNeg: 7},
		{KeepPos: 1, KeepNeg: 1, SolvedAt: "much"},
	} {
		if got := broken.ApplyTo(defaults, isSet()); got != defaults {
			t.Errorf("%+v becomes %+v", broken, got)
		}
	}
}
