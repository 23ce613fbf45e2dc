package model

import (
	"cmp"
	"slices"

	"vantage/estimators"
)

// Judged is what an off-policy rule makes of the samples of a log, whose log-probs or versions were read again for it. It never changes
// once it is handed on: its address says which reading it is.
type Judged struct {
	RuleKey
	WhyNone string // why the rule judges nothing, in a sentence: the log lacks what it reads; "" if it does
	Fails   string // what the trainer's own code would raise, at the first step where it does; "" if nowhere
	Inexact string // why the numbers are not those of every update; "" if they are

	samples []judgedSample // in the order of the log
}

// RuleKey is a rule as settings name it, with its options: Judged of equal keys are readings of one rule.
type RuleKey struct {
	Name    string
	Options estimators.Options
}

// Judgement is what a rule makes of a sample. The zero value is that of one that it cannot judge: it trains as without the rule.
type Judgement struct {
	Tokens int32 // that the logged mask lets train

	// BySign is what is left of it if its advantage is below 0, 0 and above 0: no rule looks at more of an advantage than its sign.
	BySign [3]Share
}

// Share is what a rule leaves of a sample, as shares of its tokens: Left of those that still train, and Weight of the sum of their weights.
// The first is 0 if the rule removes the sample, the second NaN if the loss of the trainer becomes so.
type Share struct{ Left, Weight float32 }

// whole is what is left of a sample that no rule judges.
var whole = Share{Left: 1, Weight: 1}

// Of is what is left of the sample if it has an advantage.
func (j *Judgement) Of(advantage float64) Share {
	if j.Tokens == 0 {
		return whole
	}
	switch {
	case advantage > 0:
		return j.BySign[2]
	case advantage < 0:
		return j.BySign[0]
	}
	return j.BySign[1]
}

type judgedSample struct {
	at Place
	of Judgement
}

// NewJudged puts together what a rule makes of samples, by their places.
func NewJudged(of RuleKey, samples map[Place]Judgement) *Judged {
	j := &Judged{RuleKey: of, samples: make([]judgedSample, 0, len(samples))}
	for at, judgement := range samples {
		j.samples = append(j.samples, judgedSample{at, judgement})
	}
	slices.SortFunc(j.samples, func(a, b judgedSample) int { return a.at.Compare(b.at) })
	return j
}

// Over is what the rule makes of samples, and of others what an earlier reading of the log does. nil is none.
func (j *Judged) Over(earlier *Judged) *Judged {
	if earlier == nil {
		return j
	}
	both := *j
	both.Fails, both.Inexact = cmp.Or(earlier.Fails, j.Fails), cmp.Or(j.Inexact, earlier.Inexact)
	both.samples = make([]judgedSample, 0, len(earlier.samples)+len(j.samples))
	rest := j.samples
	for _, x := range earlier.samples {
		for len(rest) > 0 && rest[0].at.Compare(x.at) < 0 {
			both.samples, rest = append(both.samples, rest[0]), rest[1:]
		}
		if len(rest) > 0 && rest[0].at == x.at {
			continue // it was judged again
		}
		both.samples = append(both.samples, x)
	}
	both.samples = append(both.samples, rest...)
	return &both
}

// Of returns what the rule makes of rows of a step.
func (j *Judged) Of(step *Step, rows []int32) []Judgement {
	all := make([]Judgement, len(rows))
	for k, row := range rows {
		i, found := slices.BinarySearchFunc(j.samples, step.Place(int(row)), func(s judgedSample, at Place) int { return s.at.Compare(at) })
		if found {
			all[k] = j.samples[i].of
		}
	}
	return all
}

// Samples is how many samples the rule judges.
func (j *Judged) Samples() int { return len(j.samples) }

// RuleKey is the off-policy rule of the settings with its own options; the zero value if they name none.
func (s Settings) RuleKey() RuleKey {
	if s.OffPolicy == "" {
		return RuleKey{}
	}
	rule, _, err := s.FindOffPolicy()
	if err != nil {
		return RuleKey{Name: s.OffPolicy}
	}
	options, _ := s.StageOptions.Of(rule.Options).Resolve("", rule.Options) // which FindOffPolicy would have refused
	return RuleKey{s.OffPolicy, options}
}

// JudgedBy is what the off-policy rule of the settings makes of the samples; nil if they name none, or it has not been asked yet.
func (s Snapshot) JudgedBy(set Settings) *Judged {
	key := set.RuleKey()
	for _, j := range s.judged {
		if key.Name != "" && j.RuleKey == key {
			return j
		}
	}
	return nil
}

// WithJudged returns the snapshot with what some rules make of its samples.
func (s Snapshot) WithJudged(judged ...*Judged) Snapshot {
	s.judged = judged
	return s
}

// SetJudged says what some rules make of the samples of the log so far. Snapshots that were taken before do not change.
func (s *Store) SetJudged(judged ...*Judged) {
	s.judged = judged
	s.revision++
}
