package diagnosis

import (
	"fmt"
	"maps"
	"slices"

	"vantage/model"
	"vantage/model/units"
)

// Placed is an answer at the prompt where the log has it, or the ground truth of a prompt without one.
type Placed struct {
	Step   int64
	Prompt uint32
	Final  Final    // empty if only the truth is known
	Truths []string // how the ground truth may be given, none if it is unknown
}

// TruthsOf returns the answers that a ground truth stands for.
func TruthsOf(truth string) []string {
	all := slices.DeleteFunc([]string{FinalOf(truth).Answer, plainAnswer(truth)}, func(s string) bool {
		return s == "" || len(s) > resultBytes
	})
	return slices.Compact(all)
}

// Placement says how many final answers are the ground truth of their own prompt, and how many that of another one of their step.
type Placement struct {
	Read, Own, Other int
	Chance           float64 // share of the answers that are a truth of another step
}

// Limits of answers that are not at their prompts.
const (
	leastPlaced = 20  // final answers beside the truths of several prompts
	placedAway  = 0.3 // of them are the truth of another prompt, beyond the share that are one by chance
	otherStep   = 1   // steps further, whose truths are those that a final answer is by chance
)

// IsAway reports whether many answers belong to another prompt than theirs.
func (p *Placement) IsAway() bool {
	away := float64(p.Other) / float64(max(1, p.Read))
	return p.Read >= leastPlaced && p.Other > p.Own && away >= placedAway+p.Chance
}

// String says it: "61% of final answers are the ground truth of another prompt of their step, and 0% that of their own".
func (p *Placement) String() string {
	share := func(n int) string { return units.Share(float64(n) / float64(max(1, p.Read))) }
	return fmt.Sprintf("%s of final answers are the ground truth of another prompt of their step, and %s that of their own",
		share(p.Other), share(p.Own))
}

// add counts others.
func (p *Placement) add(o Placement) {
	chances := p.Chance*float64(p.Read) + o.Chance*float64(o.Read)
	p.Read, p.Own, p.Other = p.Read+o.Read, p.Own+o.Own, p.Other+o.Other
	p.Chance = chances / float64(max(1, p.Read))
}

// PlacementOf looks where answers belong.
func PlacementOf(all []Placed) (sum Placement) {
	for _, p := range placements(all) {
		sum.add(p)
	}
	return sum
}

// placements are those of the steps in which the truths of several prompts are known, by step.
func placements(all []Placed) map[int64]Placement {
	truths := map[int64]map[string]map[uint32]bool{} // by step: the prompts of each truth
	prompts := map[int64]map[uint32]bool{}
	for i := range all {
		p := &all[i]
		if truths[p.Step] == nil {
			truths[p.Step], prompts[p.Step] = map[string]map[uint32]bool{}, map[uint32]bool{}
		}
		for _, truth := range p.Truths {
			if truths[p.Step][truth] == nil {
				truths[p.Step][truth] = map[uint32]bool{}
			}
			truths[p.Step][truth][p.Prompt], prompts[p.Step][p.Prompt] = true, true
		}
	}
	order, next := slices.Sorted(maps.Keys(truths)), map[int64]int64{}
	for i, step := range order {
		next[step] = order[(i+otherStep)%len(order)]
	}
	found := map[int64]Placement{}
	for i := range all {
		p := &all[i]
		if p.Final.Answer == "" || len(p.Truths) == 0 || len(prompts[p.Step]) < 2 {
			continue
		}
		own := slices.Contains(p.Truths, p.Final.Answer)
		other := !own && len(truths[p.Step][p.Final.Answer]) > 0
		promptsNext := truths[next[p.Step]][p.Final.Answer] // whose truth it is there
		isAtOtherStep := next[p.Step] != p.Step && len(promptsNext) > 0 && !promptsNext[p.Prompt]
		byChance := !own && isAtOtherStep
		sum := found[p.Step]
		sum.add(Placement{1, model.Count01(own), model.Count01(other), float64(model.Count01(byChance))})
		found[p.Step] = sum
	}
	return found
}

// Steps in which the truths of all prompts are read, and prompts of each.
const (
	truthSteps   = 16
	truthPrompts = 32
)

// pickTruths asks for a text of each group that was not read, of some of the steps that were.
func (t *Texts) pickTruths() (picks []Pick) {
	read := map[int]map[int]bool{}
	known := false
	for i := range t.answers {
		a := &t.answers[i]
		if read[a.step] == nil {
			read[a.step] = map[int]bool{}
		}
		read[a.step][a.group] = true
		known = known || len(a.truths) > 0
	}
	if !known {
		return nil
	}
	for _, i := range spread(slices.Sorted(maps.Keys(read)), truthSteps) {
		s := &t.o.Steps[i]
		rows, offsets, err := t.o.snap.Layout(t.o.rule, s.Index)
		if err != nil {
			return nil
		}
		for g := range min(len(s.Groups), truthPrompts) {
			if !read[i][g] {
				picks = append(picks, Pick{
					Step: s.Index, Row: int(rows[offsets[g]]), at: i, group: g, prompt: s.Groups[g].Prompt, truthing: true,
				})
			}
		}
	}
	return picks
}

// answersAway finds answers that belong to another prompt of their step.
func (e *evidence) answersAway() (Finding, bool) {
	if !e.hasTexts() {
		return Finding{}, false
	}
	answers := e.texts.all()
	all := slices.Clone(e.texts.truths)
	for i := range answers {
		a := &answers[i]
		all = append(all, Placed{Step: e.Steps[a.step].Step, Prompt: a.prompt, Final: a.final, Truths: a.truths})
	}
	byStep, s, sum := e.ofWholeSteps(placements(all), all), make(series, len(e.Steps)), Placement{}
	for i := range e.Steps {
		p := byStep[e.Steps[i].Step]
		s[i] = Moments{N: p.Read, Sum: float64(p.Other), Squares: float64(p.Other)}
	}
	from := s.beyond(placedAway)
	for i := from; i < len(s); i++ {
		sum.add(byStep[e.Steps[i].Step])
	}
	if from >= len(s) || !sum.IsAway() {
		return Finding{}, false
	}
	f := e.finding(s, "final answers that are the truth of another prompt", from, len(s), true, "answers")
	f.Title = sum.String()
	f.Example = e.textExample(from, func(a *answer) bool { return a.final.Answer != "" && !slices.Contains(a.truths, a.final.Answer) })
	f.Advice = "check how answers are put back to their prompts after generation: an order that differs between sampler and grader, or " +
		"an index that is one off; drop no prompt by these rewards"
	return f, true
}

// ofWholeSteps keeps the placements of steps in which the truths of all prompts were read, if there are any: elsewhere most answers that
// belong to another prompt seem to belong to none.
func (e *evidence) ofWholeSteps(placed map[int64]Placement, all []Placed) map[int64]Placement {
	known := map[int64]map[uint32]bool{}
	for i := range all {
		p := &all[i]
		if known[p.Step] == nil {
			known[p.Step] = map[uint32]bool{}
		}
		known[p.Step][p.Prompt] = known[p.Step][p.Prompt] || len(p.Truths) > 0
	}
	whole := map[int64]Placement{}
	for i := range e.Steps {
		s := &e.Steps[i]
		if p, ok := placed[s.Step]; ok && len(known[s.Step]) >= min(s.prompts, truthPrompts) {
			whole[s.Step] = p
		}
	}
	if len(whole) == 0 {
		return placed
	}
	return whole
}
