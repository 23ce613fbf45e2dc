package diagnosis

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Agents: turns, calls of tools and what tools answer, over the steps.

// Limits of what turns and tools tell.
const (
	disuseFall    = 0.5  // of its level that the use of tools loses
	disuseLevel   = 0.2  // calls, or further turns, that an answer had before
	disuseLeft    = 0.5  // of them that it has at most now: who takes four turns instead of ten has not stopped
	failedFrom    = 0.1  // of the answers with results of tools have one that is an error, where it was seldom before
	failedAlways  = 0.75 // of them, where it was never otherwise: agents make mistakes, and learn to make fewer
	oneResultFrom = 0.5  // of them have one result from a step on
	cutResults    = 0.5  // of them have a result that is cut off: then the model does not see what it asked for
	leastTools    = 20   // answers with results
	maxResult     = 400  // bytes at the beginning of a result that are looked at for an error
)

// toolUse is what an answer says to tools, and hears of them.
type toolUse struct {
	calls, results int
	failed, cut    bool   // a result is an error, or is cut off
	heard          uint64 // hash of the last result, without its digits
}

// callTags begin a call of a tool, and resultTags what a tool answers, which ends on its closing tag.
var (
	callTags = []string{
		"<tool_call>", "<search>", "<python>", "<code>", "<function_call>", "<tool>", "<action>", "\nAction:",
		"[TOOL_CALL]", "[TOOL_CALLS]", "<|python_tag|>",
	}
	resultTags = []string{
		"<tool_response>", "<information>", "<observation>", "<output>", "<result>", "<interpreter>", "<tool_result>",
		"<function_results>",
	}
	errorWords = []string{
		"error:", "connection refused", "traceback (most recent call last)", "timed out", "timeout",
		"service unavailable", "internal server error", "rate limit", "permission denied", "no such tool", "unauthorized",
		"max retries exceeded", "connection error", "connectionerror", "connection reset", "could not connect", "failed to connect",
		"bad gateway", "too many requests",
	}
)

// toolUseOf reads the calls and results of an answer.
func toolUseOf(text string) (u toolUse) {
	for _, tag := range callTags {
		u.calls += strings.Count(text, tag)
	}
	for _, tag := range resultTags {
		closing := "</" + tag[1:]
		for rest := text; ; {
			_, after, found := strings.Cut(rest, tag)
			if !found {
				break
			}
			result, next, closed := strings.Cut(after, closing)
			if rest = next; !closed {
				break
			}
			u.results++
			u.heard = hashOfResult(result)
			u.cut = u.cut || strings.Contains(result, "truncated")
			begin := strings.ToLower(result[:min(len(result), maxResult)])
			u.failed = u.failed || slices.ContainsFunc(errorWords, func(w string) bool { return strings.Contains(begin, w) })
		}
	}
	return u
}

// hashOfResult is that of the beginning of a result without its digits: an address or a time in an error is another one each time.
func hashOfResult(result string) uint64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, result[:min(len(result), maxResult)]))
	return h.Sum64()
}

// disuse finds an agent that stops calling its tools, though it does not win more without them. A log without turns and calls is of no
// agent.
func disuse(e *evidence) ([]Finding, string) {
	if why := e.tooFew(); why != "" {
		return nil, why
	}
	turns := e.seriesOf(func(s *Observed) Moments {
		more := float64(s.rows - s.Rows)
		return Moments{N: s.Rows, Sum: more, Squares: more}
	})
	uses := []struct {
		series
		name, of string
		title    func(before, after float64) string
	}{
		{turns, "turns of a rollout after its first", "samples", func(before, after float64) string {
			return fmt.Sprintf("a rollout has %s turns, and had %s", units.Short(1+after), units.Short(1+before))
		}},
		{e.calling(), "answers that call a tool", "answers", func(before, after float64) string {
			return fmt.Sprintf("%s of answers call one, and %s did", units.Share(after), units.Share(before))
		}},
	}
	for _, u := range uses {
		k, found := u.shiftOf(-1)
		isLittle := found && k.level.mean() >= disuseLevel && k.settled.mean() <= min(disuseLeft, (1-disuseFall)*k.level.mean())
		if !isLittle {
			continue
		}
		span, rewards := u.span(), e.rewards()
		gain := rewards.compare(k.b-span, k.b, len(rewards)-span, len(rewards))
		if reach := e.High - e.Low; gain.change() > rewardHeld*reach && gain.z > 2 || e.newSourcesOnly(k.a, k.b) {
			continue // it needs them no more, or the task is another one
		}
		f := e.finding(u.series, u.name, k.b, len(u.series), false, u.of)
		if f.Severity = Watch; gain.change() < -rewardHeld*(e.High-e.Low) && gain.z < -2 {
			f.Severity = Alarm
		}
		f.Evidence = append(f.Evidence, e.around(rewards, "reward", k.b, len(rewards), false, "samples"))
		f.Title = "the agent stops calling its tools: " + u.title(k.level.mean(), k.settled.mean()) + "; the reward does not gain by it"
		f.Example = e.example(k.b, func(*GroupFacts) bool { return true })
		return []Finding{f}, ""
	}
	return nil, ""
}

// calling is the share of the answers that were read which call a tool, none if there are none.
func (e *evidence) calling() series {
	if !e.hasTexts() {
		return make(series, len(e.Steps))
	}
	return e.texts.share(func(a *answer) bool { return a.tools.calls > 0 })
}

// toolFailure finds tools whose results are errors, or are cut off.
func toolFailure(e *evidence) ([]Finding, string) {
	if !e.hasTexts() {
		return nil, noTexts
	}
	with := func(has func(*answer) bool) series {
		s := make(series, len(e.Steps))
		for i := range e.texts.answers {
			if a := &e.texts.answers[i]; a.tools.results > 0 {
				x := 0.0
				if has(a) {
					x = 1
				}
				s[a.step].add(x)
			}
		}
		return s
	}
	failed := with(func(a *answer) bool { return a.tools.failed })
	n := len(failed)
	if failed.pooled(0, n).N < leastTools {
		return nil, "" // no agent
	}
	if k, found := failed.shiftOf(1); found && k.settled.mean() >= failedFrom && k.level.mean() <= k.settled.mean()/3 {
		return []Finding{e.ofTools(failed, k.b, "results of tools that are errors", "are errors", Alarm)}, ""
	}
	if all := failed.pooled(0, n).mean(); all >= failedAlways && failed.pooled(n-failed.span(), n).mean() >= failedAlways {
		return []Finding{e.ofTools(failed, 0, "results of tools that are errors", "are errors", Alarm)}, ""
	}
	if one := e.oneResult(with); one != nil {
		return one, ""
	}
	cut := with(func(a *answer) bool { return a.tools.cut })
	if from := cut.beyond(cutResults); from < n && cut.pooled(from, n).mean() >= cutResults && cut[from:].steps() >= leastSteps {
		return []Finding{e.ofTools(cut, from, "results of tools that are cut off", "are cut off, and the model sees only their beginning",
			Watch)}, ""
	}
	return nil, ""
}

// oneResult finds tools that from a step on tell most answers the same, whatever was asked, though they did not before and the reward does
// not gain by it: an error in words of its own, or nothing.
func (e *evidence) oneResult(with func(func(*answer) bool) series) []Finding {
	last := map[uint64]int{} // of the results of the last steps
	for i := range e.texts.answers {
		if a := &e.texts.answers[i]; a.tools.results > 0 && a.step >= len(e.Steps)-e.rewards().span() {
			last[a.tools.heard]++
		}
	}
	if len(last) == 0 {
		return nil
	}
	usual := model.MostCommon(last)
	same := with(func(a *answer) bool { return a.tools.heard == usual })
	k, found := same.shiftOf(1)
	if !found || k.settled.mean() < oneResultFrom || k.level.mean() > k.settled.mean()/3 {
		return nil
	}
	rewards, n := e.rewards(), len(e.Steps)
	gain := rewards.compare(k.b-same.span(), k.b, n-same.span(), n)
	if reach := e.High - e.Low; gain.change() > rewardHeld*reach && gain.z > 2 {
		return nil // "done" is what a tool says of a task that is learned
	}
	return []Finding{e.ofTools(same, k.b, "results of tools that are one text", "are one text, whatever was asked", Alarm)}
}

// ofTools is the finding that a share of the answers with results of tools has some that are no good, from a step on.
func (e *evidence) ofTools(s series, from int, name, what string, severity Severity) Finding {
	f := e.finding(s, name, from, len(s), true, "answers")
	f.Severity = severity
	f.Title = fmt.Sprintf("in %s of the answers with results of tools some %s", units.Share(s.pooled(from, len(s)).mean()), what)
	rewards := e.rewards()
	f.Evidence = append(f.Evidence, e.around(rewards, "reward", from, len(s), false, "samples"))
	f.Example = e.textExample(from, func(a *answer) bool { return a.tools.failed || a.tools.cut })
	return f
}
