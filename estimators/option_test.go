package estimators

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func exampleOptions() []Option {
	return []Option{
		{Key: "algorithm.gamma", Kind: Number(0, 1), Default: "1"},
		{Key: "reward.clip_range", Kind: Interval(), Default: "-10 10"},
		{Key: "disable-std", Kind: Switch(), Default: "false"},
		{Key: "mean", Kind: OneOf("group", "none"), Default: "group", Refusal: "Invalid mean: %s"},
		{Key: "reward.max_len", Aliases: []string{"data.max_response_length"}, Kind: OrNone(Count(1)), Default: "none"},
		{Key: "scale", Kind: OneOf("group", "batch"), Default: "group", Selects: map[string]Selection{"group": {Scale: ScaleGroup}, "batch": {Scale: ScaleBatch}}},
	}
}

// Options are written in one way, whatever way they are given, and without those at their default.
func TestResolveOptions(t *testing.T) {
	for _, c := range []struct {
		given, want, err string
	}{
		{"", "", ""},
		{"algorithm.gamma=0.90", "algorithm.gamma=0.9", ""},
		{"gamma=.5\nmean=None", "algorithm.gamma=0.5\nmean=none", ""},
		{"mean=none\nalgorithm.gamma=1.0", "mean=none", ""},
		{"gamma=0.5\nalgorithm.gamma=1", "", ""},
		{"disable_std=True", "disable-std=true", ""},
		{"clip_range=[-1, 1]", "reward.clip_range=-1 1", ""},
		{"clip_range=-1 1", "reward.clip_range=-1 1", ""},
		{"clip_range=null", "reward.clip_range=none", ""},
		{"scale=group", "scale=group", ""}, // it selects, even the default
		{"gama=1", "", "verl grpo has no option gama: it has algorithm.gamma, reward.clip_range, disable-std, mean, reward.max_len, scale"},
		{"gamma=2", "", `algorithm.gamma must be a number from 0 to 1, got "2"`},
		{"gamma=NaN", "", `algorithm.gamma must be a number from 0 to 1, got "NaN"`},
		{"clip_range=1 -1", "", `reward.clip_range must be two numbers, LOW HIGH, or none, got "1 -1"`},
		{"disable-std=perhaps", "", `disable-std must be true or false, got "perhaps"`},
		{"max_response_length=1e6", "reward.max_len=1000000", ""}, // another name of it
		{"reward.max_len=null", "", ""},
		{"max_len=0.5", "", `reward.max_len must be a whole number from 1 on, or none, got "0.5"`},
		{"mean=batch", "", "Invalid mean: batch"},
	} {
		got, err := Options(c.given).Resolve("verl grpo", exampleOptions())
		if err != nil {
			got = ""
		}
		if text := stringOf(err); string(got) != c.want || text != c.err {
			t.Errorf("%q: %q and %q, want %q and %q", c.given, got, text, c.want, c.err)
		}
	}
	if _, err := Options("gamma=1").Resolve("verl rloo", nil); stringOf(err) != "verl rloo has no option gamma: it has none" {
		t.Error(err)
	}
}

func stringOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestOptionsWithAndWithout(t *testing.T) {
	o := Options("").With("a", "1").With("b", "2").With("a", "3")
	if diff := cmp.Diff([]string{"b=2", "a=3"}, o.List()); diff != "" {
		t.Error(diff)
	}
	if got := o.Without("b").String(); got != "a=3" {
		t.Error(got)
	}
	rest, selected, found := Options("mean=none\nscale=batch").Select(exampleOptions())
	if rest != "mean=none" || selected.Scale != ScaleBatch || !found {
		t.Errorf("%q %v %v", rest, selected, found)
	}
}

func TestParseOption(t *testing.T) {
	for text, want := range map[string][2]string{"--reward.clip_range= -1 1": {"reward.clip_range", "-1 1"}, "a=b=c": {"a", "b=c"}, "a=": {"a", ""}} {
		key, value, err := ParseOption(text)
		if err != nil || key != want[0] || value != want[1] {
			t.Errorf("%q: %q %q %v", text, key, value, err)
		}
	}
	for _, text := range []string{"", "a", "=1", "a=1\nb=2"} {
		if _, _, err := ParseOption(text); err == nil {
			t.Errorf("%q is an option", text)
		}
	}
}

func TestValuesOfOptions(t *testing.T) {
	v, err := Options("gamma=0.5\nother=1\nscale=batch").Values(exampleOptions())
	if err != nil || v.Number("algorithm.gamma") != 0.5 || v.Bool("disable-std") || v.Text("mean") != "group" || v.given != "algorithm.gamma=0.5" {
		t.Errorf("%+v %v", v.given, err)
	}
	if low, high := v.Interval("reward.clip_range"); low != -10 || high != 10 {
		t.Error(low, high)
	}
	v, _ = Options("clip_range=none").Values(exampleOptions())
	if low, high := v.Interval("reward.clip_range"); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Error(low, high)
	}
}

// Two samples of two tokens, rewards 1 and 0, discounted by a half: the returns are ½ 1 and 0 0, less
// their mean ⅜. By hand, of the formula of REINFORCE++: Hu et al., arXiv:2501.03262, 2025.
func TestDiscountedSamplesHaveTheMeanOfTheirTokens(t *testing.T) {
	e, err := find(t, "openrlhf", "reinforce").With("algo.advantage.gamma=0.5\nalgo.advantage.no_std_norm=true")
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, 2)
	if err := e.Advantage(dst, Batch{Rewards: []float64{1, 0}, Offsets: []int{0, 2}, Lengths: []int32{2, 2}}, ScaleNone); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0.375, -0.375}, dst); diff != "" {
		t.Error(diff)
	}
}

// Every option is described, its default is a value of it, and what it selects exists.
func TestOptionsAreComplete(t *testing.T) {
	for _, e := range All() {
		seen := map[string]bool{}
		for _, o := range e.Options {
			name := e.Framework + " " + e.Name + " " + o.Key
			if value, err := o.parse(o.Default); err != nil || value != o.Default || o.Meaning == "" || seen[o.Key] {
				t.Errorf("%s: default %q, %v, meaning %q", name, o.Default, err, o.Meaning)
			}
			seen[o.Key] = true
			for value, s := range o.Selects {
				if parsed, err := o.parse(value); err != nil || parsed != value {
					t.Errorf("%s: %q is no value: %v", name, value, err)
				}
				selected := e
				if s.Estimator != "" {
					selected = find(t, e.Framework, s.Estimator)
				}
				if s.Scale != "" && !selected.HasScale(s.Scale) {
					t.Errorf("%s: no scale %s", name, s.Scale)
				}
			}
			if len(o.Selects) == 0 && e.configure == nil {
				t.Errorf("%s changes nothing", name)
			}
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		kind       Kind
		text, want string
		ok         bool
	}{
		{Count(2), "8", "8", true},
		{Count(2), "1", "", false},
		{Count(2), "2.5", "", false},
		{NumberOrNone(0, math.Inf(1)), "None", "none", true},
		{NumberOrNone(0, math.Inf(1)), "0.10", "0.1", true},
		{NumberOrNone(0, math.Inf(1)), "-1", "", false},
		{Names(), `["solver", 'judge']`, "solver,judge", true},
		{Names(), "solver", "solver", true},
		{Names(), "[]", "", false},
	} {
		if got, ok := c.kind.parse(c.text); ok != c.ok || ok && got != c.want {
			t.Errorf("%s, %q: %q %v, want %q %v", c.kind, c.text, got, ok, c.want, c.ok)
		}
	}
	list := []Option{
		{Key: "k", Kind: Count(1), Default: "8"},
		{Key: "agents", Kind: Names(), Default: "solver"},
		{Key: "threshold", Kind: NumberOrNone(0, 1), Default: "none"},
	}
	v, _ := Options("agents=a b\nthreshold=0").Values(list)
	if diff := cmp.Diff([]string{"a", "b"}, v.Names("agents")); diff != "" || v.Whole("k") != 8 || *v.Optional("threshold") != 0 {
		t.Error(diff, v)
	}
	if v, _ := Options("").Values(list); v.Optional("threshold") != nil {
		t.Error("none is a number")
	}
}
