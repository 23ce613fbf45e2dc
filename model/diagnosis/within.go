package diagnosis

import "math"

// How many groups of a source, and of prompts that come again, tell whether they change.
const leastOfSource, leastOfPrompts = 8, 32

func meanOfGroup(g *GroupFacts) float64 { return float64(g.Mean) }

// within returns which part of the change of a figure, between groups of two ranges of steps, the sources that have groups in both change
// by themselves, or the prompts: the smaller one, and that of the prompts, each NaN where it is not known. The rest is another mixture.
// Of a prompt all visits before the end of the first range count.
func (e *evidence) within(of func(*GroupFacts) float64, before, after [2]int) (least, ofPrompts float64) {
	ofSources, ofPrompts := math.NaN(), math.NaN()
	if e.texts != nil {
		ofSources = withinParts(e, e.texts.sourceOf, leastOfSource, leastOfSource, 0, of, before, after)
	}
	if e.byPrompt {
		prompt := func(i, k int) uint32 { return e.Steps[i].Groups[k].Prompt }
		ofPrompts = withinParts(e, prompt, 1, leastOfPrompts, 0.5, of, [2]int{0, before[1]}, after)
	}
	return fmin(ofSources, ofPrompts), ofPrompts
}

// withinParts is within for the parts that a key divides the groups into; its zero value is unknown. A part counts if it has at least so
// many groups on both sides. It returns NaN if those that count have fewer groups than all on the later side, or a smaller share of them:
// prompts that come again are no fair sample of the others; of a new source nothing was seen before, however large it is.
func withinParts[K comparable](
	e *evidence, key func(step, group int) K, least, all int, share float64, of func(*GroupFacts) float64, before, after [2]int,
) float64 {
	type part struct{ was, is Moments }
	var none K
	var whole part
	var parts []part
	place := map[K]int{} // of a part, in the order in which they come: sums in the order of a map differ in their last bits
	add := func(steps [2]int, side func(*part) *Moments) {
		for i := steps[0]; i < steps[1]; i++ {
			for k := range e.Steps[i].Groups {
				g := &e.Steps[i].Groups[k]
				name, x := key(i, k), of(g)
				if name == none || g.Valid == 0 || x != x {
					continue
				}
				at, known := place[name]
				if !known {
					at = len(parts)
					place[name], parts = at, append(parts, part{})
				}
				side(&parts[at]).add(x)
				side(&whole).add(x)
			}
		}
	}
	add(before, func(p *part) *Moments { return &p.was })
	add(after, func(p *part) *Moments { return &p.is })
	change, groups := 0.0, 0
	for _, p := range parts {
		if min(p.was.N, p.is.N) >= least {
			change += float64(p.is.N) * (p.is.mean() - p.was.mean())
			groups += p.is.N
		}
	}
	if groups < all || float64(groups) < share*float64(whole.is.N) {
		return math.NaN()
	}
	return change / float64(groups) / (whole.is.mean() - whole.was.mean())
}

// newSourcesOnly reports whether sources are known and none comes both in steps [a, b) and after b, but for the steps around b, which is as
// exact as noise allows: then nothing shows that the model became worse.
func (e *evidence) newSourcesOnly(a, b int) bool {
	if e.texts == nil || len(e.texts.sources) == 0 {
		return false
	}
	names := func(from, to int) map[string]bool {
		all := map[string]bool{}
		for i := from; i < to; i++ {
			for k := range e.Steps[i].Groups {
				if name := e.texts.sourceOf(i, k); name != "" {
					all[name] = true
				}
			}
		}
		return all
	}
	n, near := len(e.Steps), e.rewards().span()/2
	before, after := names(a, max(a+1, b-near)), names(min(b+near, n-1), n)
	for name := range after {
		if before[name] {
			return false
		}
	}
	return len(before) > 0 && len(after) > 0
}
