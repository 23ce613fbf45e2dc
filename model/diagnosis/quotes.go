package diagnosis

import (
	"fmt"

	"vantage/model/sanitize"
	"vantage/model/units"
)

// Quote is how an answer of the log begins, which shows what a finding is about.
type Quote struct {
	Step       int64
	Reward     float64
	Text       string // sanitised, in one line; "" if there is none
	Characters int    // of the whole answer
}

// quoteRunes is how much of an answer is quoted.
const quoteRunes = 240

// String is the quotation as a person reads it: step 62, reward 1, 812 characters: “Let me think …”.
func (q *Quote) String() string {
	return fmt.Sprintf("step %d, reward %s, %s: “%s”", q.Step, units.Short(q.Reward), units.Plural(q.Characters, "characters"), q.Text)
}

func quoteOf(e *evidence, a *answer) Quote {
	q := Quote{Step: e.Steps[a.step].Step, Reward: a.reward, Text: sanitize.Line(a.begin), Characters: a.characters}
	if r := []rune(q.Text); len(r) > quoteRunes {
		q.Text = string(r[:quoteRunes-1]) + "…"
	}
	return q
}

// quote gives a finding two answers, one from before its onset and one from after it: see tellsMore and isCloserTo for which. It gives none
// if the texts cannot be read, or the finding begins with the log.
func (e *evidence) quote(f *Finding) {
	if !e.hasTexts() || f.first == 0 {
		return
	}
	all := e.texts.all()
	var after, before *answer
	for i := range all {
		a := &all[i]
		if isOfIt := a.step >= f.first && a.step <= f.last && a.characters > 0; isOfIt && (after == nil || e.tellsMore(f, a, after)) {
			after = a
		}
	}
	for i := range all {
		a := &all[i]
		if after == nil || a.step >= f.first {
			break
		}
		if a.characters > 0 && (before == nil || !after.isCloserTo(before, a, f.Kind)) {
			before = a
		}
	}
	if before != nil {
		f.Before, f.After = quoteOf(e, before), quoteOf(e, after)
	}
}

// tellsMore reports whether an answer from after the onset is quoted rather than another, which is not later in the log: it shows what ails
// the run, is of the example's group, or has the lower reward; of reward_hacking the higher one.
func (e *evidence) tellsMore(f *Finding, a, than *answer) bool {
	if x, y := a.shows(f.Kind), than.shows(f.Kind); x != y {
		return x
	}
	isExample := func(a *answer) bool {
		return e.Steps[a.step].Step == f.Example.Step && e.groupName(a.step, a.group) == f.Example.Group
	}
	if x, y := isExample(a), isExample(than); x != y {
		return x
	}
	if a.step != than.step {
		return false
	}
	if a.reward == than.reward {
		return a.begin < than.begin // the same one of equal ones each time
	}
	return (a.reward > than.reward) == (f.Kind == RewardHacking)
}

// isCloserTo reports whether an answer from before the onset is quoted next to a rather than a later one: it does not show what ails the
// run, is to the same prompt as a, or has the higher reward.
func (a *answer) isCloserTo(before, later *answer, k Kind) bool {
	if k == DegenerateText || k == Truncation {
		if x, y := before.shows(k), later.shows(k); x != y {
			return y
		}
	}
	if x, y := before.prompt == a.prompt, later.prompt == a.prompt; x != y {
		return x
	}
	if before.step == later.step && before.reward == later.reward {
		return before.begin < later.begin // the same one of equal ones each time
	}
	return before.reward > later.reward
}

// shows reports whether an answer itself is what a kind is about, as far as one answer can be.
func (a *answer) shows(k Kind) bool {
	switch k {
	case DegenerateText:
		return a.loops || a.control || a.foreign || a.broken
	case Truncation:
		return a.cut || a.unfinished
	default:
		return true
	}
}
