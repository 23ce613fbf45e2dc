package estimators

import (
	"errors"
	"fmt"
	"strings"
)

// The functions here change an entry, which has the framework's defaults, to what the
// options of a case select.

// scaleOption is for frameworks whose only option is a scale.
func scaleOption(e *Estimator, p goldenParams) Scale {
	for _, by := range []*bool{p.NormByStd, p.GRPONormByStd, p.StdNorm, p.ShouldNorm, p.NormRewards} {
		if by != nil {
			return scaleIf(*by)
		}
	}
	if p.ScaleRewards == "" {
		return p.Scale
	}
	var refusal *Refusal
	if errors.As(e.CheckScale(Scale(p.ScaleRewards)), &refusal) {
		e.Advantage = alwaysRefuse(refusal)
	}
	return Scale(p.ScaleRewards)
}

func scaleIf(byStd bool) Scale {
	if byStd {
		return ScaleGroup
	}
	return ScaleNone
}

// replaceBy makes e another entry of its framework.
func replaceBy(e *Estimator, name string) Scale {
	other, err := Find(e.Framework, name)
	if err != nil {
		panic(err)
	}
	*e = *other
	return e.Scales[0]
}

func trlAggregation(e *Estimator, p goldenParams) Scale {
	if p.Aggregation == "normalize_then_sum" {
		return replaceBy(e, "grpo_normalize_then_sum")
	}
	return Scale(p.ScaleRewards)
}

func trlOptions(e *Estimator, p goldenParams) Scale {
	if p.NormAdvantages {
		replaceBy(e, "rloo_normalize_advantages")
	}
	if p.Clip != nil {
		give(e, "reward_clip_range", p.clip())
	}
	return ScaleNone
}

// give gives an option of e a value.
func give(e *Estimator, key, value string) {
	with, err := e.With(Options("").With(key, value))
	if err != nil || with.Given == "" {
		panic(fmt.Sprint(e.Framework, " ", e.Name, ": ", key, " is no option or at its default: ", err))
	}
	*e = *with
}

// clip is the value of a clip range.
func (p goldenParams) clip() string {
	if p.Clip == nil {
		return "none"
	}
	return fmt.Sprint(float64(p.Clip[0]), " ", float64(p.Clip[1]))
}

// openRLHFOptions has another clip range than the command line, or none.
func openRLHFOptions(e *Estimator, p goldenParams) Scale {
	options := Options("").With("reward.clip_range", p.clip())
	if p.NoStdNorm {
		options = options.With("algo.advantage.no_std_norm", "true")
	}
	return p.giveDiscount(e, options)
}

// discountOption is for REINFORCE++ of any framework.
func discountOption(e *Estimator, p goldenParams) Scale { return p.giveDiscount(e, "") }

// giveDiscount gives options, and gamma under whatever key.
func (p goldenParams) giveDiscount(e *Estimator, options Options) Scale {
	if p.Gamma != nil && *p.Gamma != 1 {
		options = options.With("gamma", fmt.Sprint(*p.Gamma))
	}
	return giveAll(e, options)
}

func swiftOptions(e *Estimator, p goldenParams) Scale {
	if p.ScaleRewards == "gdpo" {
		return replaceBy(e, "gdpo")
	}
	if p.Estimator != "" {
		replaceBy(e, p.Estimator+"_dynamic")
	}
	return Scale(p.ScaleRewards)
}

func nemoOptions(e *Estimator, p goldenParams) Scale {
	switch {
	case e.Name == "gdpo" && !p.LeaveOneOut:
		give(e, "grpo.use_leave_one_out_baseline", "false")
	case e.Name == "reinforce_plus_plus" && !p.MinusBaseline:
		return replaceBy(e, "reinforce_plus_plus_no_baseline")
	case e.Name == "grpo" && !p.LeaveOneOut:
		replaceBy(e, "grpo_no_leave_one_out")
	}
	if p.NormRewards == nil {
		return e.Scales[0]
	}
	return scaleIf(*p.NormRewards)
}

// rollOptions: the mean of the batch with the standard deviation of the group gives a
// matrix upstream, which the file records as an error of its own.
func rollOptions(e *Estimator, p goldenParams) Scale {
	scale := p.NormStd
	if scale == "" {
		scale = ScaleNone
	}
	switch {
	case e.Name == "reinforce_whiten_advantages":
		if p.NormMean == "group" {
			replaceBy(e, "reinforce_whiten_advantages_group")
		}
	case e.Name == "agentic_reward_norm":
		if p.NormMean == "batch" {
			give(e, "reward_normalization.norm_mean_type", "batch")
		}
	case p.NormMean == "" && scale == ScaleNone:
		give(e, "norm_mean_type", "none")
	case p.NormMean == "batch" && scale == ScaleGroup:
		e.Advantage = func(_ []float64, b Batch, _ Scale) error {
			n := len(b.Rewards)
			return &Refusal{Kind: "RuntimeError", Text: fmt.Sprintf(
				"shape (%d, %d) instead of (%d,) - broadcasting bug in reward_norm", b.Groups(), n, n)}
		}
	case p.NormMean == "batch":
		replaceBy(e, "reward_norm_batch")
	}
	return scale
}

func primeOptions(e *Estimator, p goldenParams) Scale {
	var o Options
	for name, weight := range p.LengthPenalty {
		if name == "type" {
			continue // linear, the only one
		}
		o = o.With("orchestrator.algo.length_penalty."+name, fmt.Sprint(weight))
	}
	return giveAll(e, o)
}

func hierarchicalOptions(e *Estimator, p goldenParams) Scale {
	return giveAll(e, Options("").With("episode_agents", strings.Join(p.EpisodeAgents, ",")))
}

// giveAll gives options, which may be at their defaults.
func giveAll(e *Estimator, o Options) Scale {
	with, err := e.With(o)
	if err != nil {
		panic(err)
	}
	*e = *with
	return e.Scales[0]
}

func openInstructOptions(e *Estimator, p goldenParams) Scale {
	if p.NormType != "standard" && p.NormType != "centered" {
		e.Advantage = alwaysRefuse(&Refusal{Kind: "ValueError", Text: "Invalid advantage normalization type: " + p.NormType})
		return ScaleGroup
	}
	return replaceBy(e, p.NormType)
}

func arealOptions(e *Estimator, p goldenParams) Scale {
	switch {
	case p.MeanLeave:
		replaceBy(e, "reward_norm_leave_one_out")
	case p.MeanLevel == "batch":
		replaceBy(e, "reward_norm_batch")
	case !p.Unbiased:
		replaceBy(e, "reward_norm_biased")
	}
	if p.StdLevel == "" {
		return ScaleNone
	}
	return p.StdLevel
}

func alwaysRefuse(r *Refusal) formula {
	return func([]float64, Batch, Scale) error { return r }
}

// uncleaned is for files made by the estimator's function alone, without the trainer,
// which cleans the rewards.
func uncleaned(e *Estimator, p goldenParams) Scale {
	e.Clean = cleanRound
	return p.giveDiscount(e, "")
}

// slimeOptions leaves out what the command line does for groups of one.
func slimeOptions(e *Estimator, p goldenParams) Scale {
	e.Advantage = slimeNorm()
	return scaleIf(*p.StdNorm)
}

func flashOptions(e *Estimator, p goldenParams) Scale {
	if p.ClipRange[1] != 10 {
		p.Clip = p.ClipRange
		give(e, "reward.clip_range", p.clip())
	}
	return ScaleNone
}

func rllmOptions(e *Estimator, p goldenParams) Scale {
	s := replaceBy(e, p.AdvEstimator)
	if e.Name == "grpo" {
		return scaleIf(*p.NormByStd)
	}
	return s
}

func tunixOptions(e *Estimator, p goldenParams) Scale { return replaceBy(e, p.Estimator) }

func artOptions(e *Estimator, p goldenParams) Scale {
	replaceBy(e, p.Backend)
	if p.Backend == "tinker_native" {
		return scaleIf(p.NormAdvantages)
	}
	return Scale(p.ScaleRewards)
}

func cosmosOptions(_ *Estimator, p goldenParams) Scale { return scaleIf(!p.UnbiasedAdv) }

func rlinfOptions(e *Estimator, p goldenParams) Scale {
	name, mode, _ := strings.Cut(p.AdvType, "/")
	s := replaceBy(e, name)
	if mode == "trajectory" {
		give(e, "algorithm.advantage_mode", mode)
	}
	return s
}

func milesOptions(e *Estimator, p goldenParams) Scale {
	if s := replaceBy(e, p.Estimator); s == ScaleNone {
		return s
	}
	return scaleIf(*p.StdNorm)
}

// swiftGDPOOptions: scale_rewards is gdpo everywhere, which one of two functions ignores, and the other
// for reinforce_plus_plus.
func swiftGDPOOptions(e *Estimator, p goldenParams) Scale {
	name := p.Estimator
	if p.Function == "compute_advantages_dynamic" {
		name += "_dynamic"
	}
	replaceBy(e, name)
	o, _ := FindOption(e.Options, "scale_rewards")
	if s := o.Selects["gdpo"]; s.Estimator == "" {
		return s.Scale
	}
	return replaceBy(e, o.Selects["gdpo"].Estimator)
}

// trinityOptions selects the entry by the advantage function.
func trinityOptions(e *Estimator, p goldenParams) Scale {
	replaceBy(e, p.AdvantageFn)
	switch p.AdvantageFn {
	case "grpo":
		return p.StdCalLevel
	case "rec":
		return scaleIf(p.StdNormalize)
	case "opmd":
		giveAll(e, Options("").With("opmd_baseline", p.OPMDBaseline).With("tau", fmt.Sprint(p.Tau)))
	case "asymre":
		giveAll(e, Options("").With("baseline_shift", fmt.Sprint(*p.BaselineShift)))
	case "step_wise_grpo":
		o := Options("").With("enable_step_norm", fmt.Sprint(p.StepNorm))
		if p.StdThreshold != nil {
			o = o.With("std_threshold", fmt.Sprint(*p.StdThreshold))
		}
		giveAll(e, o)
		return p.StdCalLevel
	case "gigpo":
		giveAll(e, Options("").With("omega", fmt.Sprint(p.Omega)).With("gamma", fmt.Sprint(*p.Gamma)))
		return scaleIf(p.FNorm == "std")
	}
	return ScaleNone
}

func rollGiGPOOptions(e *Estimator, p goldenParams) Scale {
	giveAll(e, Options("").With("step_reward_gamma", fmt.Sprint(p.StepGamma)).
		With("episode_reward_weight", fmt.Sprint(p.EpisodeWeight)).With("step_reward_weight", fmt.Sprint(p.StepWeight)))
	return scaleIf(p.RewardNorm.Method == "mean_std")
}

// pkpoOptions gives k; sloo_minus_one refuses a k of 1, of which the paper has no definition.
func pkpoOptions(e *Estimator, p goldenParams) Scale {
	with, err := e.With(Options("").With("k", fmt.Sprint(p.K)))
	if *e = *with; err != nil {
		e.Advantage = alwaysRefuse(&Refusal{Kind: "ValueError", Text: err.Error()})
	}
	return ScaleNone
}

func podsOptions(e *Estimator, p goldenParams) Scale {
	return giveAll(e, Options("").With("num_generations_grad", fmt.Sprint(p.Taken)))
}

func signOptions(e *Estimator, p goldenParams) Scale {
	replaceBy(e, map[string]string{"positive": "psr", "negative": "nsr", "weighted": "w_reinforce"}[p.Advantage])
	if p.Advantage == "weighted" {
		giveAll(e, Options("").With("positive_advantage_weight", fmt.Sprint(p.PositiveWeight)))
	}
	return ScaleNone
}
