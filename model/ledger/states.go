package ledger

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// State is what a prompt is at the end of the steps.
type State string

// Rule is a state with what makes a prompt be in it.
type Rule struct {
	State State
	Doc   string
	Holds func(p *Prompt) bool
	Why   func(p *Prompt) string // the evidence, a phrase with its numbers
}

// The limits of the states.
const (
	leastSeen   = 3    // groups, before anything is said of a change
	solvedFrom  = 0.8  // the lower end of the interval of the later tries: 16 of 16 reach it
	hopelessTo  = 0.2  // the upper end of the interval: 0 of 16 reach it
	peakFrom    = 0.7  // a part of the earlier groups is solved at least so
	forgottenTo = 0.5  // of the peak
	sureErrors  = 4    // standard errors that are no chance, though the best of several parts is looked at
	risenErrors = 2.6  // 1 in 100
	flatWithin  = 0.25 // a change of the rate that would be seen, and is not there
)

// Rules returns the states, in the order in which they are tried: the first that holds is the prompt's. The last holds always.
func Rules() []Rule {
	return []Rule{
		{"suspect", "the answers suggest that its ground truth or its grader is wrong", func(p *Prompt) bool {
			return p.Doubt != nil
		}, func(p *Prompt) string {
			return p.Doubt.String()
		}},
		{
			"forgotten", "some of its earlier groups were solved at 70% or more, and the latest at less than half of that, beyond chance",
			(*Prompt).isForgotten,
			func(p *Prompt) string { return fmt.Sprintf("was solved %s, now %s", p.peak(), p.latest()) },
		},
		{
			"solved", "nearly every try of its later groups is solved, or every one of all: the 95% interval begins at 80% or more, as " +
				"for 16 of 16",
			func(p *Prompt) bool { return p.Known && p.Tries > 0 && p.proof().least() >= solvedFrom },
			func(p *Prompt) string {
				which := "later tries"
				if int(p.proof().tries) == p.Tries {
					which = "tries"
				}
				return fmt.Sprintf("%s of its %s solved: %s or more", p.proof(), which, units.Share(p.proof().least()))
			},
		},
		{
			"hopeless", "never one right answer, nor signal from answers with more than half of full marks, in so many tries that the " +
				"95% interval of the solve rate ends at 20% or less, as for 0 of 16",
			func(p *Prompt) bool {
				return p.Known && p.Solved == 0 && (p.Partly == 0 || p.Signal == 0) && p.mostSolved() <= hopelessTo
			},
			func(p *Prompt) string {
				why := fmt.Sprintf("0 of %s tries solved: at most %s", units.Count(p.Tries), units.Share(p.mostSolved()))
				if p.Agreed != nil {
					why += "; " + p.Agreed.agreed() + ": read it before it is dropped"
				}
				return why
			},
		},
		{
			"rare", "none of these, and seen fewer than 3 times: too few tries to tell more, and too few times for a change",
			func(p *Prompt) bool {
				return p.Seen < leastSeen
			},
			func(p *Prompt) string {
				return fmt.Sprintf("seen %s, %s: too rarely to tell", times(p.Seen), units.Plural(p.Tries, "tries"))
			},
		},
		{
			"learning", "its later groups are better than its earlier ones, by more than 2.6 standard errors",
			func(p *Prompt) bool {
				change, err := p.Trend()
				return change > risenErrors*err && change > 0
			},
			func(p *Prompt) string { return p.RateOf() + " rises by " + p.trendText() },
		},
		{
			"flat", "it does not rise: the 95% interval of its trend ends below 0.25, or of a mean reward below half a standard " +
				"deviation of its rewards",
			func(p *Prompt) bool {
				change, err := p.Trend()
				within := flatWithin
				if p.OfMean() {
					within *= 2 * p.spread() // of a solve rate of one half this is 1
				}
				return change+1.96*err < within || p.Signal == 0 && err == 0
			},
			func(p *Prompt) string {
				return fmt.Sprintf("%s changes by %s, %s of %s with signal", p.RateOf(), p.trendText(), units.Count(p.Signal),
					units.Plural(p.Seen, "groups"))
			},
		},
		{
			"unsure", "none of the others: more groups would tell", func(*Prompt) bool { return true },
			func(p *Prompt) string { return p.RateOf() + " changes by " + p.trendText() + ", which may be chance" },
		},
	}
}

// States returns the names of the states, in the order of [Rules].
func States() []string { return model.Mapped(Rules(), func(r Rule) string { return string(r.State) }) }

// State is what the prompt is.
func (p *Prompt) State() State { return Rules()[p.state].State }

// Why says by which numbers, in a phrase.
func (p *Prompt) Why() string { return Rules()[p.state].Why(p) }

// mostSolved is the upper end of the 95 % interval of the solve rate.
func (p *Prompt) mostSolved() float64 { return analysis.Wilson(p.Solved, p.Tries)[1] }

// Later are the tries of the later half of its groups, and how many of them are solved; of one that came too rarely to have halves, all.
func (p *Prompt) Later() (tries, solved int) {
	v := p.later()
	return int(v.tries), int(v.solved)
}

func (p *Prompt) later() visits {
	if p.Seen < leastSeen {
		return p.pooled(0, p.used)
	}
	return p.pooled((p.used+1)/2, p.used)
}

// proof are the tries that may prove that it is solved: the later ones, or if they are no worse than the others and fewer, all.
func (p *Prompt) proof() visits {
	later, all := p.later(), p.pooled(0, p.used)
	if later.solveRate() >= all.solveRate() && all.least() > later.least() {
		return all
	}
	return later
}

// least is the lower end of the 95 % interval of what is solved.
func (v visits) least() float64 { return analysis.Wilson(int(v.solved), int(v.tries))[0] }

// latest are the tries of its latest groups, a quarter of all at most.
func (p *Prompt) latest() visits { return p.pooled(p.used-max(1, p.used/4), p.used) }

// peak is the best part of its groups before those.
func (p *Prompt) peak() (best visits) {
	for k := range p.used - max(1, p.used/4) {
		if v := p.history[k]; best.tries == 0 || v.solveRate() > best.solveRate() {
			best = v
		}
	}
	return best
}

func (p *Prompt) isForgotten() bool {
	peak, now := p.peak(), p.latest()
	if !p.Known || p.Seen < leastSeen || peak.solveRate() < peakFrom || now.solveRate() >= forgottenTo*peak.solveRate() {
		return false
	}
	n, m := float64(peak.tries), float64(now.tries)
	all := float64(peak.solved+now.solved) / (n + m)
	return peak.solveRate()-now.solveRate() > sureErrors*math.Sqrt(all*(1-all)*(1/n+1/m))
}

func (p *Prompt) trendText() string {
	change, err := p.Trend()
	return fmt.Sprintf("%s ± %s", strings.TrimSpace(units.Signed(change)), units.Fixed(err, 2))
}

// String is what is solved of the tries: "14 of 16".
func (v visits) String() string { return fmt.Sprintf("%d of %d", v.solved, v.tries) }

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return units.Count(n) + " times"
}

// Sum is what the prompts of a state, or all of them, are together.
type Sum struct {
	State                                    State
	Prompts, Groups, Signal, Samples, Solved int
	Tokens                                   int64
	Abs                                      float64
}

// Add counts a prompt.
func (s *Sum) Add(p *Prompt) {
	s.Prompts++
	s.Groups, s.Signal, s.Samples, s.Solved = s.Groups+p.Seen, s.Signal+p.Signal, s.Samples+p.Samples, s.Solved+p.Solved
	s.Tokens += p.Tokens
	s.Abs += p.Abs
}

// Saves says how much of all prompts the sum is: "1204 of 8000 prompts; 31% of tokens; 2% of Σ|A|". Of a log without token counts it has
// the share of the characters, of one without lengths that of the samples.
func (s *Sum) Saves(all *Sum, unit model.LengthUnit) string {
	cost, of := unit.String(), float64(s.Tokens)/float64(all.Tokens)
	if all.Tokens == 0 {
		cost, of = "samples", float64(s.Samples)/float64(all.Samples)
	}
	text := fmt.Sprintf("%s of %s; %s of %s", units.Count(s.Prompts), units.Plural(all.Prompts, "prompts"), units.Share(of), cost)
	if all.Abs > 0 {
		text += fmt.Sprintf("; %s of Σ|A|", units.Share(s.Abs/all.Abs))
	}
	return text
}

// Sums returns the sum of each state that occurs, in the order of [Rules], and that of all prompts.
func Sums(prompts []*Prompt) (byState []Sum, all Sum) {
	byState = make([]Sum, len(Rules()))
	for _, p := range prompts {
		byState[p.state].Add(p)
		all.Add(p)
	}
	for k, r := range Rules() {
		byState[k].State = r.State
	}
	return slices.DeleteFunc(byState, func(s Sum) bool { return s.Prompts == 0 }), all
}
