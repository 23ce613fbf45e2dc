package diagnosis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// The words on a run, beside the kind of its worst alarm.
const (
	Healthy = "healthy" // enough was looked at, and nothing was found
	Watched = "watch"   // nothing but watches was found
	Unknown = "unknown" // too little was looked at
)

// Grounds are what a word on a run rests on.
type Grounds struct {
	RewardSteps int    // steps that the course of a logged reward covers
	SampleSteps int    // complete steps of samples
	Groups      int    // of these
	Still       string // what is one value throughout, so that nothing shows whether the run is well; "" if nothing is
	Uncompared  string // why no sample trains, though none of that is an illness that was found; "" if some do
	Lacks       string // what to log, if there is no reward
}

// How much must have been looked at to call a run healthy.
const (
	leastCourse  = 50 // steps of a reward
	leastSampled = 6  // steps of samples, and leastGroups in them
)

// Health is the state of a run in a word, and of its worst alarm since when: "healthy", "reward_hacking since 61", "grader_outage from 5
// to 8".
func (d *Diagnosis) Health() string {
	switch {
	case d.Alarms() > 0:
		worst := &d.Findings[0]
		if worst.Lasting {
			return fmt.Sprintf("%s since %d", worst.Kind, worst.Since)
		}
		return fmt.Sprintf("%s from %d to %d", worst.Kind, worst.Since, worst.Until)
	case d.count(Watch) > 0:
		return Watched
	case d.WhyUnknown() != "":
		return Unknown
	}
	return Healthy
}

// HealthText is the same as a person reads it, in every output: "reward hacking since 61 +1", "watch: kl drift", "unknown",
// "healthy · 18 of 31 looked for", "healthy · 1 over".
func (d *Diagnosis) HealthText() string {
	switch word := d.Health(); {
	case d.Alarms() > 0:
		text := strings.ReplaceAll(word, "_", " ")
		if more := d.Alarms() - 1; more > 0 {
			text += fmt.Sprintf(" +%d", more)
		}
		return text
	case word == Watched:
		return "watch: " + d.Findings[0].Kind.Words()
	case word == Unknown:
		return word
	case d.Overs() > 0:
		return fmt.Sprintf("%s · %d over", word, d.Overs())
	default:
		looked, kinds := d.Looked()
		return fmt.Sprintf("%s · %d of %d looked for", word, looked, kinds)
	}
}

// HealthReason is the same, of an unknown one with the reason: "unknown: the log has no reward …".
func (d *Diagnosis) HealthReason() string {
	if text := d.HealthText(); text != Unknown {
		return text
	}
	return Unknown + ": " + d.WhyUnknown()
}

// LearningText is one line on by how much the reward gains.
func (d *Diagnosis) LearningText() string {
	if d.Learning == nil {
		return "not known: fewer than two steps have a reward"
	}
	return d.Learning.String()
}

// WhyUnknown says why nothing can be said of a run in which nothing was found; "" if it is not unknown.
func (d *Diagnosis) WhyUnknown() string {
	if d.Alarms() > 0 || d.count(Watch) > 0 {
		return ""
	}
	g := &d.Grounds
	ofSamples, unseen := 0, 0
	for _, k := range Kinds() {
		if !k.Name.OfScalars() && !k.Name.OfLogProbs() && !k.ofAdvantages {
			ofSamples++
			unseen += model.Count01(slices.ContainsFunc(d.Blind, func(b Blind) bool { return b.Kind == k.Name }))
		}
	}
	isEnough := g.SampleSteps >= leastSampled && g.Groups >= leastGroups
	samplesTell := isEnough && 2*unseen < ofSamples
	switch {
	case g.Still != "":
		return g.Still
	case g.Uncompared != "" && g.RewardSteps < leastCourse:
		return g.Uncompared
	case g.RewardSteps >= leastCourse, samplesTell:
		return ""
	case g.Lacks != "":
		return g.Lacks
	case isEnough:
		return fmt.Sprintf("%d of %d kinds that samples can show could not be looked for", unseen, ofSamples)
	}
	early := fmt.Sprintf("too early to tell: %s with %s", units.Plural(g.SampleSteps, "complete steps"), units.Plural(g.Groups, "groups"))
	if g.RewardSteps > 0 {
		early += fmt.Sprintf(", %s of the trainer's reward", units.Plural(g.RewardSteps, "steps"))
	}
	return early
}

// Alarms returns the number of findings that are alarms, 0 if d is nil.
func (d *Diagnosis) Alarms() int { return d.count(Alarm) }

// Overs returns the number of findings that are over.
func (d *Diagnosis) Overs() int { return d.count(Over) }

func (d *Diagnosis) count(s Severity) (n int) {
	if d == nil {
		return 0
	}
	for i := range d.Findings {
		n += model.Count01(d.Findings[i].Severity == s)
	}
	return n
}

// Looked returns how many kinds could be looked for, and how many there are: without log-probs of tokens those that they tell are none.
func (d *Diagnosis) Looked() (looked, kinds int) {
	for _, k := range Kinds() {
		kinds += model.Count01(d.LogProbs || !k.Name.OfLogProbs())
	}
	return kinds - len(d.Blind), kinds
}

// Blindness is kinds that cannot be told for one reason.
type Blindness struct {
	Kinds []Kind
	Why   string
}

// String says it: "4 kinds: the log has no texts", "grader noise: …".
func (b Blindness) String() string {
	const fewNames = 2
	if n := len(b.Kinds); n > fewNames {
		return strconv.Itoa(n) + " kinds: " + b.Why
	}
	return strings.Join(model.Mapped(b.Kinds, Kind.Words), ", ") + ": " + b.Why
}

// NotChecked is one line on the answers that were not read and the kinds that cannot be told, and why; "" if all were, and can.
func (d *Diagnosis) NotChecked() string {
	all := d.Blindnesses()
	slices.SortStableFunc(all, func(a, b Blindness) int { return len(b.Kinds) - len(a.Kinds) }) // a line that is cut keeps what most lack
	parts := model.Mapped(all, Blindness.String)
	if unread := d.Answers.Unread(); unread != "" {
		parts = slices.Insert(parts, 0, unread)
	}
	if len(parts) == 0 {
		return ""
	}
	return "not checked: " + strings.Join(parts, "; ")
}

// Blindnesses returns the kinds that cannot be told, by the reason, in the order of Kinds.
func (d *Diagnosis) Blindnesses() (all []Blindness) {
	for _, b := range d.Blind {
		i := slices.IndexFunc(all, func(x Blindness) bool { return x.Why == b.Why })
		if i < 0 {
			i, all = len(all), append(all, Blindness{Why: b.Why})
		}
		all[i].Kinds = append(all[i].Kinds, b.Kind)
	}
	return all
}
