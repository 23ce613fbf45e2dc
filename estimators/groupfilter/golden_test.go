package groupfilter

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
)

// The golden files hold flags that the frameworks' own functions gave, with torch 2.15 on a CPU, one
// thread, and numpy 2.4.6. A file: source (repository@revision, file and function), runtime, dtype, note,
// cases. A case: name, rewards or rewards_per_func [row][function], groups (a number per row), params
// (the trainer's keys), what the trainer answers, and error.
type goldenFile struct {
	Source string
	Cases  []goldenCase
}

type goldenCase struct {
	Name       string
	Rewards    []looseReal
	PerFunc    [][]looseReal `json:"rewards_per_func"`
	Unshaped   []looseReal   `json:"unshaped_rewards"`
	Groups     []int
	Params     map[string]any
	Lengths    []int32 `json:"response_lengths"`
	Live       []bool
	Advantages []looseReal

	Admitted    []bool
	Kept        []bool
	Nonzero     []bool
	Excluded    []bool `json:"excluded_from_resampling"`
	Reason      []*string
	Verdict     []string
	KeepsOn     *bool `json:"keep_sampling"`
	Complete    *bool `json:"is_batch_complete"`
	SamplesUsed *int  `json:"samples_used"`
	Error       *string
}

// looseReal is a number, a number in a string ("NaN", "Infinity"), or null.
type looseReal float64

func (r *looseReal) UnmarshalJSON(text []byte) error {
	s := strings.Trim(string(text), `"`)
	if s == "null" {
		*r = looseReal(math.NaN())
		return nil
	}
	x, err := strconv.ParseFloat(s, 64)
	*r = looseReal(x)
	return err
}

func floats(list []looseReal) []float64 {
	var out []float64
	for _, x := range list {
		out = append(out, float64(x))
	}
	return out
}

// goldenRow is a file and the filter that it is of.
type goldenRow struct {
	file, framework, name string
	cases                 int

	// ignored are keys that select nothing here: they turn the rule on, or belong to the estimator.
	ignored string

	// renamed are keys that the file calls otherwise than the trainer.
	renamed map[string]string
}

func goldenRows() []goldenRow {
	return []goldenRow{
		{file: "verl_filter_groups", framework: "verl", name: "filter_groups", cases: 80},
		{file: "easyr1_online_filtering", framework: "easyr1-upstream", name: "online_filtering", cases: 60},
		{file: "openrlhf_dynamic_filtering", framework: "openrlhf", name: "dynamic_filtering", cases: 80},
		{file: "slime_nonzero_std", framework: "slime", name: "check_reward_nonzero_std", cases: 80},
		{
			file: "slime_nonzero_std_with_fallback", framework: "slime", name: "check_reward_nonzero_std_with_fallback", cases: 60,
			renamed: map[string]string{"submitted": "over_sampling_batch_size"},
		},
		{file: "miles_nonzero_std", framework: "miles", name: "check_reward_nonzero_std", cases: 60},
		{file: "roll_query_filter", framework: "roll", name: "query_filter", cases: 80},
		{file: "roll_sample_level_mask", framework: "roll", name: "sample_level_mask", cases: 80},
		{file: "skyrl_zero_variance_filter", framework: "skyrl", name: "zero_variance_filter", cases: 80},
		{file: "skyrl_dynamic_sampling_filter", framework: "skyrl", name: "dynamic_sampling_filter", cases: 60, ignored: "type"},
		{file: "skyrl_dynamic_sampling_replace", framework: "skyrl", name: "dynamic_sampling_replace", cases: 60, ignored: "type"},
		{file: "open_instruct_filter", framework: "open-instruct", name: "filter_zero_std_samples", cases: 80},
		{file: "tinker_remove_constant", framework: "tinker", name: "remove_constant_reward_groups", cases: 60, ignored: "remove_constant_reward_groups"},
		{file: "prime_rl_gates", framework: "prime-rl", name: "advantage_range", cases: 80, ignored: "algo"},
		{file: "swift_dynamic_sample", framework: "ms-swift", name: "dynamic_sample", cases: 80, ignored: "dynamic_sample reward_weights num_generations"},
		{file: "trinity_std_threshold", framework: "trinity", name: "std_threshold", cases: 80, ignored: "std_cal_level epsilon"},
		{file: "nemo_rl_dynamic_sampling", framework: "nemo-rl", name: "use_dynamic_sampling", cases: 80},
		{
			file: "rllm_filter_uniform_groups", framework: "rllm", name: "filter_uniform_groups", cases: 60, ignored: "filter_uniform_groups",
			renamed: map[string]string{"estimator": "adv_estimator"},
		},
		{file: "ragen_rollout_filter", framework: "ragen", name: "rollout_filter", cases: 80},
		{file: "cosmos_rl_dynamic_sampling", framework: "cosmos-rl", name: "dynamic_sampling", cases: 60, ignored: "variant"},
	}
}

// The verdicts are those of the frameworks, to the last flag.
func TestGolden(t *testing.T) {
	covered := map[string]bool{"prime-rl filter_zero_advantages": true, "ragen top_p": true}
	for _, row := range goldenRows() {
		covered[row.framework+" "+row.name] = true
		t.Run(row.file, func(t *testing.T) {
			var golden goldenFile
			filetest.JSON(t, "testdata/golden/"+row.file+".json", &golden)
			flags := 0
			for _, c := range golden.Cases {
				t.Run(c.Name, func(t *testing.T) { flags += row.run(t, c) })
			}
			t.Logf("%d cases, %d flags", len(golden.Cases), flags)
			if len(golden.Cases) != row.cases {
				t.Errorf("%d cases, want %d", len(golden.Cases), row.cases)
			}
		})
	}
	for _, f := range All() {
		if !covered[f.Framework+" "+f.Name] {
			t.Errorf("%s %s has no golden cases", f.Framework, f.Name)
		}
	}
}

// run compares a case and returns how many flags it has.
func (row goldenRow) run(t *testing.T, c goldenCase) int {
	t.Helper()
	f := find(t, row.framework, row.name)
	b, values := c.batch(f), row.values(t, f, c.Params)
	var v Admission
	err := f.Decide(&v, b, values)
	if got, want := errorText(err), textOrEmpty(c.Error); got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	n := 0
	check := func(name string, got, want []bool) {
		t.Helper()
		switch {
		case want == nil:
			return
		case got == nil: // nothing is
			got = make([]bool, len(want))
		}
		if n += len(want); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v, of %v", name, got, want, b.Rewards)
		}
	}
	switch {
	case byBLAS[c.Name] > 0 && c.Nonzero != nil: // what is kept follows from the flags
		return row.checkNonzero(t, &v, b, c)
	case row.file == "prime_rl_gates": // two rules in one file
		check("admitted", v.Admitted, c.Admitted)
		zero := find(t, row.framework, "filter_zero_advantages")
		if err := zero.Decide(&v, b, estimators.Values{}); err != nil {
			t.Fatal(err)
		}
		check("kept", keptRows(v, b), c.Kept)
	case c.Admitted != nil:
		check("admitted", v.Admitted, c.Admitted)
		check("kept", keptRows(v, b), c.Kept)
	default:
		check("kept", keptRows(v, b), c.Kept)
	}
	check("excluded", v.Excluded, c.Excluded)
	if c.Nonzero != nil {
		n += row.checkNonzero(t, &v, b, c)
	}
	if c.KeepsOn != nil {
		check("samples on", []bool{v.SamplesOn}, []bool{*c.KeepsOn})
	}
	if c.Complete != nil {
		check("samples on", []bool{v.SamplesOn}, []bool{!*c.Complete})
	}
	if c.SamplesUsed != nil && howMany(keptRows(v, b)) != *c.SamplesUsed {
		t.Errorf("%d rows train, want %d", howMany(keptRows(v, b)), *c.SamplesUsed)
	}
	for g, verdict := range c.Verdict {
		if unused := v.Reasons[g].What == "batch full"; unused != (verdict == "unused") {
			t.Errorf("group %d: %v, want %s", g, v.Reasons[g], verdict)
		}
	}
	if row.framework == "rllm" {
		checkRLLMAdvantages(t, &v, b, c)
	}
	for g, reason := range c.Reason {
		if reason != nil && f.Label(group(b, b.Rewards, g)) != *reason {
			t.Errorf("label %s, want %s", f.Label(group(b, b.Rewards, g)), *reason)
		}
	}
	for g, admitted := range v.Admitted {
		if (v.Reasons[g] == Reason{}) != admitted {
			t.Errorf("group %d: admitted %v with the reason %v", g, admitted, v.Reasons[g])
		}
	}
	return n
}

// byBLAS are the flags of NeMo-RL's cases that the order of sums of a BLAS decides, by case: rewards that
// are equal or nearly so, or far from 0. The trainer's own code gives other flags than these files on another
// processor, with the same torch: 309 of the 5,309, where the sums here give 140.
var byBLAS = map[string]int{
	"plain_3": 34, "loo_10": 2, "plain_11": 17, "loo_14": 2, "loo_18": 6, "loo_30": 3, "plain_33": 8, "loo_38": 20,
	"loo_46": 20, "plain_51": 8, "plain_55": 6, "loo_58": 1, "loo_68": 9, "plain_79": 4,
}

// checkNonzero compares the flags before the batch is cut, except for so many as byBLAS has.
func (row goldenRow) checkNonzero(t *testing.T, v *Admission, b Batch, c goldenCase) int {
	t.Helper()
	leaveOut := c.Params["use_leave_one_out_baseline"].(bool)
	got, differ := make([]bool, len(c.Nonzero)), 0
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
		v.nemoVaries(got[lo:hi], b.raw()[lo:hi], leaveOut)
	}
	for i, is := range got {
		if is != c.Nonzero[i] {
			differ++
		}
	}
	if differ != byBLAS[c.Name] {
		t.Errorf("%d flags differ, want %d", differ, byBLAS[c.Name])
	}
	return len(got) - differ
}

// checkRLLMAdvantages compares the advantages of each group alone, which are numpy's float64.
func checkRLLMAdvantages(t *testing.T, v *Admission, b Batch, c goldenCase) {
	t.Helper()
	for g := range b.Groups() {
		want, r := group(b, floats(c.Advantages), g), group(b, b.Rewards, g)
		for i, a := range rLLMAdvantages(v, r, c.Params["estimator"].(string), true) {
			if d := math.Abs(a - want[i]); d > 1e-12*math.Max(1, math.Abs(want[i])) {
				t.Errorf("group %d, row %d: advantage %v, want %v", g, i, a, want[i])
			}
		}
	}
}

// values are the options of a case.
func (row goldenRow) values(t *testing.T, f *Filter, params map[string]any) estimators.Values {
	t.Helper()
	var o estimators.Options
	for _, key := range slices.Sorted(maps.Keys(params)) {
		value := params[key]
		if slices.Contains(strings.Fields(row.ignored), key) {
			continue
		}
		if to, is := row.renamed[key]; is {
			key = to
		}
		if nested, is := value.(map[string]any); is {
			for inner, value := range nested {
				o = o.With(inner, optionText(value))
			}
			continue
		}
		o = o.With(key, optionText(value))
	}
	return valuesOf(t, f, o)
}

// valuesOf are the values of options, all of which the filter has.
func valuesOf(t *testing.T, f *Filter, o estimators.Options) estimators.Values {
	t.Helper()
	resolved, err := o.Resolve(f.Framework+" "+f.Name, f.Options)
	if err != nil {
		t.Fatal(err)
	}
	values, err := resolved.Values(f.Options)
	if err != nil {
		t.Fatal(err)
	}
	return values
}

func optionText(value any) string {
	switch x := value.(type) {
	case nil:
		return "none"
	case float64:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}

// batch is the case as a filter sees it. The columns of the log are the rewards, under any name.
func (c goldenCase) batch(f *Filter) Batch {
	b := Batch{Rewards: floats(c.Rewards), Raw: floats(c.Unshaped), Lengths: c.Lengths, Advantages: floats(c.Advantages)}
	if c.PerFunc != nil {
		b.Rewards = c.weighted()
	}
	if f.Framework == "verl" {
		b.Column = func(string) []float64 { return b.Rewards }
	}
	if c.Live != nil {
		b.Lengths = make([]int32, len(b.Rewards))
		for i, live := range c.Live {
			if live {
				b.Lengths[i] = 1
			}
		}
	}
	b.Offsets = []int{0}
	for i := 1; i < len(c.Groups); i++ {
		if c.Groups[i] != c.Groups[i-1] {
			b.Offsets = append(b.Offsets, i)
		}
	}
	b.Offsets = append(b.Offsets, len(c.Groups))
	return b
}

// weighted is the sum over the reward functions.
func (c goldenCase) weighted() []float64 {
	components := make([][]float64, len(c.PerFunc[0]))
	for _, row := range c.PerFunc {
		for k, x := range row {
			components[k] = append(components[k], float64(x))
		}
	}
	var weights []float64
	for _, w := range c.Params["reward_weights"].([]any) {
		weights = append(weights, w.(float64))
	}
	sum := make([]float64, len(c.PerFunc))
	estimators.WeightedRewards(sum, components, weights)
	return sum
}

func find(t *testing.T, framework, name string) *Filter {
	t.Helper()
	f, err := Find(framework, name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// keptRows are the rows that train.
func keptRows(v Admission, b Batch) []bool {
	if v.Kept != nil {
		return v.Kept
	}
	kept := make([]bool, len(b.Rewards))
	for g, admitted := range v.Admitted {
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			kept[i] = admitted
		}
	}
	return kept
}

func group[T any](b Batch, values []T, g int) []T { return values[b.Offsets[g]:b.Offsets[g+1]] }

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func textOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
