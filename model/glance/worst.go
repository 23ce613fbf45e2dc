package glance

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/units"
)

// Span is a step, or neighbouring steps that are bad for the same reason.
type Span struct {
	First, Last int   // indexes in analysis.Trend.Steps
	From, To    int64 // the numbers of these steps
	Refusals    bool  // the answers are alike
	Counts

	cause   *cause
	alike   diagnosis.Alike
	unread  int    // steps of which no answer was read
	detail  string // what the trainer would raise
	usual   *usual
	badness float64 // the sum over its steps
}

// Name returns the steps: "43–50", "7", or of two that lie apart "0, 40".
func (s *Span) Name() string {
	switch {
	case s.From == s.To:
		return fmt.Sprint(s.From)
	case s.Last == s.First+1 && s.To > s.From+1:
		return fmt.Sprintf("%d, %d", s.From, s.To)
	}
	return fmt.Sprintf("%d–%d", s.From, s.To)
}

// Steps is the name behind "step" or "steps".
func (s *Span) Steps() string {
	if s.From == s.To {
		return "step " + s.Name()
	}
	return "steps " + s.Name()
}

// Cause says in plain words why the steps are bad.
func (s *Span) Cause() string { return s.cause.text(s) }

type facts struct {
	*analysis.StepFigures
	usual *usual
	alike diagnosis.Alike
}

// mostAre reports whether at least half of the groups have a fate.
func (f facts) mostAre(fate model.Fate) bool { return 2*f.Fates[fate] >= f.Groups }

// appendSpan adds step i to the last span if that is the step before and bad for the same reason, else as
// a span of its own. Steps that are bad for no one reason are not joined: they would be one span.
func appendSpan(spans []Span, i int, f facts, all []cause) []Span {
	why := &all[slices.IndexFunc(all, func(c cause) bool { return c.holds(f) })]
	badness := 0.0
	for fate, w := range weights() {
		badness += w * float64(f.Fates[fate])
	}
	badness = badness/float64(f.Groups) + why.more
	detail := ""
	if f.usual.trainer {
		detail = warning(f.StepFigures, analysis.WarnTrainerRefuses).Text
	}
	last := len(spans) - 1
	if last < 0 || !spans[last].continues(i, why, f.alike.Kind) {
		spans = append(spans, Span{
			First: i, From: f.Step, cause: why, alike: f.alike, detail: detail, usual: f.usual,
			Refusals: why.name == causeAlike,
		})
		last++
	} else {
		spans[last].alike = spans[last].alike.Join(f.alike)
	}
	s := &spans[last]
	s.Last, s.To, s.badness, s.unread = i, f.Step, s.badness+badness, s.unread+model.Count01(f.alike.Read == 0)
	s.add(f.StepFigures)
	return spans
}

// continues reports whether step i, bad for this cause, belongs to a span.
func (s *Span) continues(i int, why *cause, alike diagnosis.AlikeKind) bool {
	isNext, isSame := s.Last == i-1, s.cause.name == why.name && s.alike.Kind == alike
	return why.joins && isNext && isSame
}

// weights are how bad it is that a group has a fate, from 0 to 1: what spoils training is worse than what
// is only not trained on, and a prompt that all samples solve is no fault of the step.
func weights() [model.FateCount]float64 {
	var w [model.FateCount]float64
	w[model.FateInvalid], w[model.FateNoise], w[model.FateKilled] = 1, 1, 1
	w[model.FateAllWrong], w[model.FateConstant] = 0.9, 0.8
	w[model.FateSingle], w[model.FateShort] = 0.7, 0.5
	w[model.FateAllCorrect], w[model.FateSkipped] = 0.4, 0.4
	return w
}

type cause struct {
	name  string
	more  float64 // what it adds to the badness of the step
	joins bool    // neighbouring steps with it are one span
	holds func(facts) bool
	text  func(*Span) string
}

// causeAlike is the name of the cause of steps whose answers are alike.
const causeAlike = "alike"

// causes are all, the most telling first: the first that holds is that of a step. The last one always does.
func causes() []cause {
	return []cause{
		{"refused", 1, true, func(f facts) bool {
			return f.usual.trainer && warning(f.StepFigures, analysis.WarnTrainerRefuses).Text != ""
		}, func(s *Span) string { return "the trainer's own code " + s.detail }},
		{"invalid", 0.3, true, func(f facts) bool {
			return f.mostAre(model.FateInvalid) || 10*warning(f.StepFigures, analysis.WarnInvalidRewards).Count >= f.Rows
		}, invalidText},
		{causeAlike, 0.6, true, func(f facts) bool { return f.alike.Found() && f.mostAre(model.FateAllWrong) }, func(s *Span) string {
			return s.alike.String() + s.readText() + s.lengthText() + ", " + s.fateText(model.FateAllWrong)
		}},
		{"killed", 0.2, true, func(f facts) bool {
			return f.Fates[model.FateKilled] > 0 && f.Fates[model.FateKilled] >= f.Signal
		}, func(s *Span) string {
			had := units.Plural(s.Fates[model.FateKilled]+s.Signal, "groups")
			return fmt.Sprintf("%s kills %d of the %s that had signal", s.usual.drops, s.Fates[model.FateKilled], had)
		}},
		{"noise", 0.2, true, func(f facts) bool { return 4*f.Fates[model.FateNoise] >= f.Groups }, func(s *Span) string {
			return "float noise trains: " + s.fateText(model.FateNoise)
		}},
		{
			"truncated", 0.2, true, truncated,
			func(s *Span) string { return "answers cut off at the length limit, " + s.fateText(model.FateAllWrong) },
		},
		{"short answers", 0.2, true, shrunk, func(s *Span) string {
			return fmt.Sprintf("answers shrink to %s %s (usually %s), %s",
				units.Short(s.Length()), s.usual.unit, units.Short(s.usual.length), s.fateText(model.FateAllWrong))
		}},
		{"reward", 0.2, true, rewardFalls, func(s *Span) string {
			return fmt.Sprintf("the reward is only %s (usually %s)%s", units.Short(s.Reward()), units.Short(s.usual.reward),
				s.allWrongToo()+s.lengthText())
		}},
		{"short", 0, true, func(f facts) bool { return f.mostAre(model.FateShort) }, func(s *Span) string {
			return "the sample filter leaves fewer than 2 samples: " + s.fateText(model.FateShort)
		}},
		{model.FateAllWrong.String(), 0, true, func(f facts) bool { return f.mostAre(model.FateAllWrong) }, func(s *Span) string {
			return s.fateText(model.FateAllWrong) + s.lengthText()
		}},
		mostly(model.FateConstant, ""), mostly(model.FateAllCorrect, ""),
		mostly(model.FateSingle, "groups of one sample: "), mostly(model.FateSkipped, "left out: "),
		{"mixed", 0, false, func(facts) bool { return true }, mixedText},
	}
}

// mostly returns the cause that at least half of the groups have a fate.
func mostly(fate model.Fate, prefix string) cause {
	return cause{
		fate.String(), 0, true, func(f facts) bool { return f.mostAre(fate) },
		func(s *Span) string { return prefix + s.fateText(fate) },
	}
}

// readText says of how many steps of a span answers were read; "" if of all.
func (s *Span) readText() string {
	if s.unread == 0 {
		return ""
	}
	return fmt.Sprintf(" at each of %s that were read", units.Plural(s.Last-s.First+1-s.unread, "steps"))
}

// lengthText says how long the answers are if that is twice or half of what is usual: ", answers 4 → 84 characters"; else "".
func (s *Span) lengthText() string {
	was, is := s.usual.length, s.Length()
	if !(was > 0) || !(is > 0) || is < 2*was && was < 2*is {
		return ""
	}
	return fmt.Sprintf(", answers %s → %s %s", units.Short(was), units.Short(is), s.usual.unit)
}

// WorstFate returns the fate of most groups without signal; ok is false if all have a signal.
func (s *Span) WorstFate() (_ model.Fate, ok bool) {
	dead := s.DeadFates()
	if len(dead) == 0 {
		return 0, false
	}
	return dead[0].Fate, true
}

// fateText counts the groups of a fate: "all wrong (20 of 24 groups)".
func (s *Span) fateText(fate model.Fate) string {
	return fmt.Sprintf("%s (%s of %s)", fate, units.Count(s.Fates[fate]), units.Plural(s.Groups, "groups"))
}

func invalidText(s *Span) string {
	return fmt.Sprintf("%s of %s rewards are NaN or missing", units.Count(s.InvalidRewards), units.Count(s.Rows))
}

func (s *Span) allWrongToo() string {
	if 2*s.Fates[model.FateAllWrong] < s.Groups {
		return ""
	}
	return ", " + s.fateText(model.FateAllWrong)
}

// truncated reports whether half of the answers are as long as the longest of the step, twice as many as
// usual, and most groups all wrong. Where they are shorter than usual they are not cut off.
func truncated(f facts) bool {
	atLimit, length := f.Metric("response_length/clip_ratio"), f.Metric("response_length/mean")
	isCut := f.Rows >= 4 && atLimit >= 0.5 && atLimit >= 2*f.usual.atLimit
	return isCut && f.mostAre(model.FateAllWrong) && length >= f.usual.length
}

// shrunk reports whether answers are a third as long as usual at most.
func shrunk(f facts) bool {
	hadText := f.usual.length > 0
	return hadText && f.mostAre(model.FateAllWrong) && 3*f.Metric("response_length/mean") <= f.usual.length
}

// rewardFalls reports whether the mean reward is far below what is usual: six times as far as the median
// step, and by a fifth of it.
func rewardFalls(f facts) bool {
	mean, _ := figures.Reward(f.StepFigures)
	below := f.usual.reward - mean
	return f.Groups > 1 && below > 6*f.usual.rewardSpread && below > 0.2*math.Abs(f.usual.reward)
}

// mixedText lists the fates of the groups without signal, the most frequent first.
func mixedText(s *Span) string {
	if s.Dead() == 0 {
		return "every group carries signal"
	}
	if dead := s.DeadFates(); len(dead) == 1 {
		return s.fateText(dead[0].Fate)
	}
	parts := model.Mapped(s.DeadFates(), func(c FateCount) string { return fmt.Sprintf("%s %s", units.Count(c.Groups), c.Fate) })
	return fmt.Sprintf("%d of %s without signal: %s", s.Dead(), units.Plural(s.Groups, "groups"), strings.Join(parts, ", "))
}

// Order says how stretches of steps are ranked: what a group of each fate adds to the badness of its step.
func Order() string {
	byWeight := map[float64][]string{}
	var weighed []float64
	for fate, w := range weights() {
		if w == 0 {
			continue
		}
		if !slices.Contains(weighed, w) {
			weighed = append(weighed, w)
		}
		byWeight[w] = append(byWeight[w], model.Fate(fate).String())
	}
	slices.SortFunc(weighed, func(a, b float64) int { return int(100 * (b - a)) })
	parts := model.Mapped(weighed, func(w float64) string {
		return strings.Join(byWeight[w], ", ") + " " + strconv.FormatFloat(w, 'g', -1, 64)
	})
	return "by the average weight of their groups, summed over steps: " + strings.Join(parts, "; ") +
		"; more if answers are alike or the trainer would stop"
}
