package choice_test

import (
	"testing"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/choice"
	"vantage/model/match"
)

func estimator(framework, name string, scale estimators.Scale) match.Candidate {
	return match.Candidate{Framework: framework, Estimator: name, Scale: scale}
}

// reproduces returns a comparison of 8 advantages that the candidates reproduce, near ones in all
// but one bit, and that easyr1's grpo does not.
func reproduces(exact, near []match.Candidate) *match.Report {
	r := &match.Report{Compared: 8, Others: []match.Verdict{{Candidate: estimator("easyr1", "grpo", "group"), Exact: 1, Agreeing: 3}}}
	for _, c := range exact {
		r.Matches = append(r.Matches, match.Verdict{Candidate: c, Exact: 8, Agreeing: 8})
	}
	for _, c := range near {
		r.Matches = append(r.Matches, match.Verdict{Candidate: c, Exact: 7, Agreeing: 8})
	}
	return r
}

func TestChooseInOrderOfPrecedence(t *testing.T) {
	type list = []match.Candidate
	trl, swift := estimator("trl", "grpo", "group"), estimator("ms-swift", "grpo", "group")
	older := estimator("verl-2026-01", "grpo_vectorized", "group")
	flag := choice.FromFlag
	fromConfig := choice.Given{Framework: choice.FromConfig, Estimator: choice.FromConfig, Scale: choice.FromConfig}
	for name, test := range map[string]struct {
		set     [3]string // as given; "" for the default
		given   choice.Given
		trainer string
		logged  *match.Report
		want    match.Candidate
		reason  string
	}{
		"nothing known":             {want: estimator("easyr1", "grpo", "group"), reason: "(assumed)"},
		"nothing matches":           {logged: reproduces(nil, nil), want: estimator("easyr1", "grpo", "group"), reason: "(assumed) ! 3/8 as logged"},
		"trainer":                   {trainer: "verl", want: estimator("verl", "grpo", "group"), reason: "(the log's trainer)"},
		"trainer without grpo":      {trainer: "tinker", want: estimator("tinker", "centered", "none"), reason: "(the log's trainer)"},
		"trainer of another scale":  {trainer: "prime-rl", want: estimator("prime-rl", "grpo", "none"), reason: "(the log's trainer)"},
		"match wins over trainer":   {trainer: "verl", logged: reproduces(list{trl}, nil), want: trl, reason: "✓ 8/8 as logged"},
		"own match wins":            {trainer: "trl", logged: reproduces(list{swift, trl}, nil), want: trl, reason: "✓ 8/8 as logged"},
		"own match wins when near":  {trainer: "trl", logged: reproduces(list{swift}, list{trl}), want: trl, reason: "≈ 8/8 as logged, 7 to the bit"},
		"version of the trainer":    {trainer: "verl", logged: reproduces(list{swift, older}, nil), want: older, reason: "✓ 8/8 as logged"},
		"first match of no trainer": {logged: reproduces(list{swift, trl}, nil), want: swift, reason: "✓ 8/8 as logged"},
		"config wins over match": {
			set: [3]string{"easyr1", "grpo", "group"}, given: fromConfig,
			trainer: "trl", logged: reproduces(list{trl}, nil), want: estimator("easyr1", "grpo", "group"), reason: "(--config) ! 3/8 as logged",
		},
		"flag wins over match": {
			set: [3]string{"easyr1", "", ""}, given: choice.Given{Framework: flag},
			trainer: "trl", logged: reproduces(list{trl}, nil), want: estimator("easyr1", "grpo", "group"), reason: "(given) ! 3/8 as logged",
		},
		"match completes a flag": {
			set: [3]string{"trl", "", ""}, given: choice.Given{Framework: flag},
			logged: reproduces(list{swift, estimator("trl", "rloo", "none")}, nil), want: estimator("trl", "rloo", "none"), reason: "(given) ✓ 8/8 as logged",
		},
		"trainer completes a flag": {
			set: [3]string{"", "rloo", ""}, given: choice.Given{Estimator: flag},
			trainer: "trl", want: estimator("trl", "rloo", "none"), reason: "(given)",
		},
		"flag over config": {
			set: [3]string{"trl", "grpo", "none"}, given: choice.Given{Framework: choice.FromConfig, Estimator: choice.FromConfig, Scale: flag},
			trainer: "verl", want: estimator("trl", "grpo", "none"), reason: "(given)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			set := model.DefaultSettings()
			for i, key := range []string{"framework", "estimator", "scale"} {
				if test.set[i] != "" {
					set, _ = set.Set(key, test.set[i])
				}
			}
			got, c := choice.Choose(set, test.given, test.trainer, test.logged)
			if have := estimator(got.Framework, got.Estimator, got.Scale); have != test.want || c.Candidate != test.want {
				t.Errorf("chose %v and says %v, want %v", have, c.Candidate, test.want)
			}
			if c.Reason() != test.reason {
				t.Errorf("says %q, want %q", c.Reason(), test.reason)
			}
		})
	}
}

// The default of every framework can be computed from rewards and groups alone.
func TestDefaultOfEveryFrameworkIsValid(t *testing.T) {
	for _, name := range estimators.Frameworks() {
		set, c := choice.Choose(model.DefaultSettings(), choice.Given{}, name, nil)
		if err := set.Validate(); err != nil || set.Framework != name || c.Origin != choice.FromTrainer {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
		if e, err := set.FindEstimator(); err != nil || e.Needs != (estimators.Needs{}) {
			t.Errorf("%s %s needs more than rewards: %+v", name, set.Estimator, e.Needs)
		}
	}
}
