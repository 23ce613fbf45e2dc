package diagnosis

import (
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// What a data loader does wrong, beyond one batch at every step: it goes back to batches of before, at whatever distance, or lets one
// prompt fill the batches.

// Limits of what batches tell.
const (
	fewestOfBatch = 2    // prompts that a batch has at least: a single one comes again by chance
	visitsKept    = 8    // of a prompt, the last ones: a batch is looked for among these
	fillsFrom     = 0.25 // of the samples of a step are of one prompt
	fillsAlarm    = 0.4
	fillsTimes    = 3    // times as many samples as the next prompt has: groups differ in size
	fillsOthers   = 3    // other prompts that a step has at least
	fillsSame     = 0.8  // of the steps have the same prompt, if it is one
	othersCome    = 0.25 // of the steps have any other prompt at most, where the one stands out only by coming always
)

// replayed finds batches that come again as wholes, at one distance for some steps: a loader that started again. An epoch that is
// shuffled mixes them.
func (e *evidence) replayed() (Finding, bool) {
	if !e.prompts || e.beginAlike() || e.isProbe() {
		return Finding{}, false
	}
	back, batches, pool := e.batchesBefore()
	from, to := longestReplay(back)
	if to-from < stuckSteps {
		return Finding{}, false
	}
	distance, prompts, bits := back[from], 0, 0.0
	for _, n := range batches[from:to] {
		prompts += n
		bits -= float64(n) * math.Log2(min(1, float64(n)/float64(pool)))
	}
	isChance := 2*math.Log2(float64(len(back)))-bits > math.Log2(rare)
	isEpoch := from == distance // what came before them is all that there was
	if isChance || prompts < fewestOfBatch*(to-from) || isEpoch && to-from > distance+stuckSteps {
		return Finding{}, false // epochs in one order
	}
	f := e.finding(replaySeries(back, batches), "batches of an earlier step", from, to, true, "steps")
	f.Severity = Watch
	if !isEpoch && to-from > distance {
		f.Severity = Alarm // it goes round in a few batches
	}
	f.Title = fmt.Sprintf("%s have the very batches of steps %d–%d, %s before: the data loader started again, or goes through the data "+
		"in one order",
		units.Steps(e.Steps[from].Step, e.Steps[to-1].Step), e.Steps[from-distance].Step, e.Steps[to-1-distance].Step,
		units.Plural(distance, "steps"))
	f.Example = e.example(from, func(*GroupFacts) bool { return true })
	f.Advice = "check whether the loader's state is saved and loaded with the checkpoint: after a resume it must go on where it was, or " +
		"the rest of the data is never seen; an epoch that is not shuffled looks the same"
	return f, true
}

// longestReplay is the longest run of steps [from, to) whose batches are those of equally many steps before, and not of the step before.
func longestReplay(back []int) (from, to int) {
	for i := 0; i < len(back); {
		k := i + 1
		for k < len(back) && back[k] == back[i] {
			k++
		}
		if back[i] > 1 && k-i > to-from {
			from, to = i, k
		}
		i = k
	}
	return from, to
}

// replaySeries is by step 1 for a batch of an earlier step and 0 for another one, and nothing where there is no batch.
func replaySeries(back, batches []int) series {
	s := make(series, len(back))
	for i := range s {
		if again := float64(model.Count01(back[i] > 0)); batches[i] > 0 {
			s[i] = Moments{N: 1, Sum: again, Squares: again}
		}
	}
	return s
}

// batchesBefore says of each step how many steps before it the same prompts came together, 0 if they did not; how many prompts it has,
// and how many the run has.
func (e *evidence) batchesBefore() (back, batches []int, pool int) {
	back, batches = make([]int, len(e.Steps)), make([]int, len(e.Steps))
	visits := map[uint32][]int{}
	var prompts []uint32
	together := map[int]int{} // prompts by the step that had them
	for i := range e.Steps {
		prompts = e.Steps[i].appendPrompts(prompts[:0])
		batches[i] = len(prompts)
		clear(together)
		for _, p := range prompts {
			for _, step := range visits[p] {
				together[step]++
			}
		}
		for step, n := range together {
			larger := max(batches[i], batches[step])
			if isWhole := float64(n) >= samePrompts*float64(larger); isWhole && (back[i] == 0 || i-step < back[i]) {
				back[i] = i - step
			}
		}
		for _, p := range prompts {
			visits[p] = append(visits[p], i)
			if n := len(visits[p]); n > visitsKept {
				visits[p] = visits[p][n-visitsKept:]
			}
		}
	}
	return back, batches, len(visits)
}

// appendPrompts appends the prompts of the step, each once.
func (s *Observed) appendPrompts(to []uint32) []uint32 {
	for _, g := range s.Groups {
		if g.Prompt != 0 {
			to = append(to, g.Prompt)
		}
	}
	slices.Sort(to)
	return slices.Compact(to)
}

// onePrompt finds a prompt that fills a good part of each step, while the others come once.
func (e *evidence) onePrompt() (Finding, bool) {
	if !e.prompts || e.areTurns() || e.beginAlike() {
		return Finding{}, false
	}
	s, fills := make(series, len(e.Steps)), make([]uint32, len(e.Steps))
	always := e.alwaysThere()
	for i := range e.Steps {
		if s[i], fills[i] = e.Steps[i].mostOfOnePrompt(); always > 0 {
			s[i], fills[i] = e.Steps[i].shareOfPrompt(always)
		}
	}
	from := s.turn(0, fillsFrom, 1)
	share := s.pooled(from, len(s)).mean()
	if len(s)-from < stuckSteps || s.pooled(len(s)-s.span(), len(s)).mean() < fillsFrom || s.pooled(0, from).mean() > fillsFrom/2 {
		return Finding{}, false
	}
	count := map[uint32]int{}
	for _, p := range fills[from:] {
		count[p]++
	}
	delete(count, 0)
	most := 0
	for _, n := range count {
		most = max(most, n)
	}
	if float64(most) < fillsSame*float64(len(s)-from) {
		return Finding{}, false // such as copies that fill up a batch
	}
	f := e.finding(s, "samples of one prompt", from, len(s), true, "samples")
	if f.Severity = Watch; share >= fillsAlarm && from > 0 {
		f.Severity = Alarm
	}
	f.Title = fmt.Sprintf("one prompt holds %s of the samples of each step", units.Share(share))
	f.Example = e.exampleAt(from, func(step, group int) bool {
		p := e.Steps[step].Groups[group].Prompt
		return p > 0 && p == fills[step]
	})
	f.Advice = "look for the prompt in the data: a row that is there many times, a sampler whose weights run away, or a buffer that " +
		"returns one prompt; draw each prompt once a step"
	return f, true
}

// mostOfOnePrompt counts the samples of a step, and those of its most frequent prompt, which it returns too; none if no prompt stands out.
func (s *Observed) mostOfOnePrompt() (m Moments, prompt uint32) {
	samples := map[uint32]int{}
	for i := range s.Groups {
		samples[s.Groups[i].Prompt] += int(s.Groups[i].N)
	}
	delete(samples, 0)
	first, next := 0, 0
	for p, n := range samples {
		switch {
		case n > first || n == first && p < prompt:
			first, next, prompt = n, max(first, next), p
		default:
			next = max(next, n)
		}
	}
	if m.N = s.Rows; len(samples) <= fillsOthers || first < fillsTimes*next {
		return m, 0
	}
	m.Sum, m.Squares = float64(first), float64(first)
	return m, prompt
}

// alwaysThere returns the prompt that nearly every step of the newer half has beside others, where no other one comes often; 0 if there is
// none. In steps of few prompts none has many times the samples of the next.
func (e *evidence) alwaysThere() (prompt uint32) {
	newer := e.Steps[len(e.Steps)/2:]
	steps, mixed := map[uint32]int{}, 0
	for i := range newer {
		of := map[uint32]bool{}
		for g := range newer[i].Groups {
			of[newer[i].Groups[g].Prompt] = true
		}
		delete(of, 0)
		mixed += model.Count01(len(of) > 1)
		for p := range of {
			steps[p]++
		}
	}
	often, next := 0, 0
	for p, n := range steps {
		if n > often {
			often, next, prompt = n, often, p
		} else {
			next = max(next, n)
		}
	}
	of := float64(len(newer))
	standsOut := float64(often) >= fillsSame*of && float64(next) <= othersCome*of
	if len(newer) < stuckSteps || !standsOut || float64(mixed) < fillsSame*of {
		return 0
	}
	return prompt
}

// shareOfPrompt counts the samples of a step, and those of a prompt, which it returns too; none if the step has none of them.
func (s *Observed) shareOfPrompt(prompt uint32) (m Moments, found uint32) {
	m.N = s.Rows
	for i := range s.Groups {
		if s.Groups[i].Prompt == prompt {
			m.Sum, found = m.Sum+float64(s.Groups[i].N), prompt
		}
	}
	m.Squares = m.Sum
	return m, found
}
