package diagnosis

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/units"
)

// Limits of what logged advantages tell.
const (
	leastContradicted = 16   // groups that contradict the rule: fewer are exceptions
	invalidAdvantages = 0.01 // of samples: a watch
	noAdvantages      = 0.1  // of samples: an alarm
	invertedFrom      = 0.25 // of groups whose best answers are pushed down
	contradictedFrom  = 0.9  // of groups: a bug of the rule is in all of them
	unequalFrom       = 0.5  // of groups with different advantages for equal rewards: others have none that are equal
)

// loggedFacts are those of the groups of a step.
func loggedFacts(step *model.Step, order []int32, offsets []int, rewards []float64) (f match.Facts) {
	advantages, lengths := model.Pick(step.LoggedAdvantages, order), model.Pick(step.Lengths, order)
	for k := range len(offsets) - 1 {
		lo, hi := offsets[k], offsets[k+1]
		f.Add(rewards[lo:hi], advantages[lo:hi], lengths[lo:hi])
	}
	return f
}

const noLoggedAdvantages = "the log has no advantages"

// advantagesDiffer finds logged advantages that are no numbers, or not those of the trainer's rule.
func advantagesDiffer(e *evidence) ([]Finding, string) {
	samples := 0
	for i := range e.Steps {
		samples += e.Steps[i].Logged.Samples
	}
	if samples == 0 {
		return nil, noLoggedAdvantages
	}
	if f, found := e.advantagesNaN(); found {
		return []Finding{f}, ""
	}
	if e.areTurns() || e.snap.Run.EvaluatesOnly {
		return nil, "rows are turns or evaluations, whose advantages are not of their groups alone"
	}
	for _, c := range contradictions() {
		if f, found := e.contradiction(&c); found {
			if !c.sudden && e.isExplained(&f) {
				return nil, ""
			}
			return []Finding{f}, ""
		}
	}
	return nil, ""
}

// advantagesNaN finds logged advantages that are NaN or infinite.
func (e *evidence) advantagesNaN() (Finding, bool) {
	infinite := 0
	s := e.seriesOf(func(s *Observed) Moments {
		n := s.Logged.NaN + s.Logged.Infinite
		return Moments{N: s.Logged.Samples, Sum: float64(n), Squares: float64(n)}
	})
	from := s.turn(0, invalidAdvantages, 1)
	after := s.pooled(from, len(s))
	if after.Sum < leastContradicted || after.mean() < invalidAdvantages {
		return Finding{}, false
	}
	for i := from; i < len(s); i++ {
		infinite += e.Steps[i].Logged.Infinite
	}
	f := e.finding(s, "logged advantages that are NaN or infinite", from, len(s), true, "samples")
	what := "NaN"
	switch {
	case float64(infinite) == after.Sum:
		what = "infinite"
	case infinite > 0:
		what = "NaN or infinite"
	}
	f.Title = fmt.Sprintf("the logged advantages are %s in %s of %s", what, units.Count(int(after.Sum)), units.Plural(after.N, "samples"))
	switch {
	case int(after.Sum) == after.N:
		f.Title += ": no sample trains"
	case after.mean() < noAdvantages:
		f.Severity = Watch
	}
	for k, name := range e.Parts {
		missing := e.seriesOf(func(s *Observed) Moments {
			n := float64(s.part(k).Missing)
			return Moments{N: s.Rows, Sum: n, Squares: n}
		})
		if m := missing.pooled(from, len(s)); m.Sum > 0 && m.mean() < 1 {
			f.Evidence = append(f.Evidence, e.around(missing, name+" that is None or NaN", from, len(s), true, "samples"))
			f.Title += fmt.Sprintf("; %s gave no number in %s of them", name, units.Share(m.mean()))
			f.Advice = "make that reward function return a number for every sample, or have the trainer leave out samples without a " +
				"grade: one NaN spreads through the mean of its group, and through that of the batch to all"
		}
	}
	f.Example = e.example(from, func(*GroupFacts) bool { return true })
	return f, true
}

// contradiction is something that logged advantages show and a rule does not give.
type contradiction struct {
	name    string // of the series
	of      string // what is counted
	limit   float64
	certain bool // no rule gives it: an alarm whoever wrote the log
	sudden  bool // it was otherwise before: some trainers log nothing but that
	count   func(*match.Facts) Moments
	holds   func(all *match.Facts) bool // of all steps since the onset; nil: always
	title   func(e *evidence, all *match.Facts) string
}

// ofLiving counts some of the groups whose rewards differ and that train.
func ofLiving(n func(*match.Facts) int) func(*match.Facts) Moments {
	return func(f *match.Facts) Moments { return shareOf(n(f), f.Living()) }
}

func shareOf(n, of int) Moments { return Moments{N: of, Sum: float64(n), Squares: float64(n)} }

// contradictions are all, the plainest first.
func contradictions() []contradiction {
	sums := func(f *match.Facts) string {
		return units.Count(f.ZeroSum) + " of " + units.Plural(f.Living(), "groups") + " sum to 0"
	}
	row := func(name string, at func(*match.Facts) match.AtRow) contradiction {
		return contradiction{
			name: "groups whose baseline is their " + name + " sample", of: "groups", limit: contradictedFrom, certain: true,
			count: func(f *match.Facts) Moments { return shareOf(at(f).N, at(f).Told()) },
			holds: func(f *match.Facts) bool { return at(f).IsBaseline() },
			title: func(_ *evidence, f *match.Facts) string {
				return fmt.Sprintf("the baseline of the advantages is the reward of the %s sample of each group (%s of %s), not their "+
					"mean: %s",
					name, units.Count(at(f).N), units.Count(at(f).Told()), sums(f))
			},
		}
	}
	return []contradiction{
		{
			name: "groups whose best answers are pushed down", of: "groups", limit: invertedFrom, certain: true,
			count: ofLiving(func(f *match.Facts) int { return f.Inverted }),
			title: func(e *evidence, f *match.Facts) string {
				answers := "right answers"
				if e.continuous {
					answers = "best answers of their groups"
				}
				return fmt.Sprintf("%s of the %s are pushed down: their logged advantage is negative, in %s of %s below that of worse "+
					"ones (0%% under the trainer's rule)",
					units.Share(float64(f.BestDown)/float64(f.Best)), answers, units.Count(f.Inverted), units.Plural(f.Living(), "groups"))
			},
		},
		{
			name: "steps of one advantage", of: "steps", limit: contradictedFrom, certain: true,
			count: func(f *match.Facts) Moments {
				return shareOf(model.Count01(f.IsConstant() && f.Living() > 0), model.Count01(f.Living() > 0))
			},
			title: func(_ *evidence, f *match.Facts) string {
				return fmt.Sprintf("all logged advantages of a step are one value, though rewards differ in %s",
					units.Plural(f.Living(), "groups"))
			},
		},
		row("first", func(f *match.Facts) match.AtRow { return f.First }),
		row("last", func(f *match.Facts) match.AtRow { return f.Last }),
		{
			name: "groups divided by their variance", of: "groups", limit: contradictedFrom, certain: true,
			count: ofLiving(func(f *match.Facts) int { return f.Squared }),
			title: func(_ *evidence, f *match.Facts) string {
				return fmt.Sprintf("the advantages are divided by the deviation twice, in %s of %s",
					units.Count(f.Squared), units.Plural(f.Living(), "groups"))
			},
		},
		{
			name: "groups whose advantages are the reward", of: "groups", limit: contradictedFrom,
			count: ofLiving(func(f *match.Facts) int { return f.Reward }),
			title: func(_ *evidence, f *match.Facts) string {
				return fmt.Sprintf("the advantages are the rewards, from which no baseline was subtracted, as in groups of one: %s",
					sums(f))
			},
		},
		{
			name: "samples pushed one way", of: "samples", limit: 1,
			count: func(f *match.Facts) Moments { return shareOf(max(f.Positive, f.Minus), f.Positive+f.Minus) },
			holds: func(f *match.Facts) bool { return f.Living() >= leastContradicted && min(f.Positive, f.Minus) == 0 },
			title: func(_ *evidence, f *match.Facts) string {
				way, other := "positive", "down"
				if f.Minus > 0 {
					way, other = "negative", "up"
				}
				return fmt.Sprintf("all logged advantages are %s or 0, so that nothing is pushed %s: %s", way, other, sums(f))
			},
		},
		{
			name: "groups with different advantages for equal rewards", of: "groups", limit: unequalFrom,
			count: func(f *match.Facts) Moments { return shareOf(f.Unequal, f.Groups-f.Dead) },
			title: func(_ *evidence, f *match.Facts) string {
				text := fmt.Sprintf("samples of equal reward have different advantages in %s of %s",
					units.Count(f.Unequal), units.Plural(f.Groups, "groups"))
				if lower, ok := f.Longer.Ordered(); ok {
					return text + ": the longer one has the " + lowerOr(lower) + " one in " + ofPairs(f.Longer, lower)
				}
				if lower, ok := f.Later.Ordered(); ok {
					return text + ": the later one has the " + lowerOr(lower) + " one in " + ofPairs(f.Later, lower)
				}
				return text
			},
		},
		{
			name: "steps with one baseline", of: "steps", limit: contradictedFrom,
			count: func(f *match.Facts) Moments {
				is, told := f.OneBaseline()
				return shareOf(model.Count01(is), model.Count01(told))
			},
			title: func(_ *evidence, f *match.Facts) string {
				return fmt.Sprintf("one baseline is subtracted from all groups of a step, not the mean of each: it varies by %s, their "+
					"means by %s; %s",
					units.Short(f.Zeros.Std()), units.Short(f.Means.Std()), sums(f))
			},
		},
		{
			name: "groups with a baseline that is not their mean", of: "groups", limit: contradictedFrom,
			count: ofLiving(func(f *match.Facts) int { return f.Off }),
			title: func(_ *evidence, f *match.Facts) string {
				return "the baseline of the advantages is not the mean of the group: " + sums(f)
			},
		},
		{
			name: "groups without advantages", of: "groups", limit: contradictedFrom, certain: true, sudden: true,
			count: func(f *match.Facts) Moments { return shareOf(f.Dead, f.Differ) },
			title: func(_ *evidence, f *match.Facts) string {
				return fmt.Sprintf("all logged advantages are 0, though rewards differ in %s: no sample trains",
					units.Plural(f.Differ, "groups"))
			},
		},
	}
}

func lowerOr(lower bool) string {
	if lower {
		return "lower"
	}
	return "higher"
}

func ofPairs(p match.Pairs, lower bool) string {
	n := p.Lower
	if !lower {
		n = p.N - p.Lower
	}
	return units.Count(n) + " of " + units.Plural(p.N, "pairs")
}

// contradiction finds one from some step to the last.
func (e *evidence) contradiction(c *contradiction) (Finding, bool) {
	s := e.seriesOf(func(s *Observed) Moments { return c.count(&s.Logged) })
	from := s.turn(0, c.limit/2, 1)
	after, all := s.pooled(from, len(s)), e.factsFrom(from)
	isSeldom := after.Sum < leastSteps || all.Differ < leastContradicted || after.mean() < c.limit
	if before := s.pooled(0, from); c.sudden && !(before.mean() < c.limit/2) {
		return Finding{}, false
	}
	if isSeldom || c.holds != nil && !c.holds(all) || !c.certain && e.mayWeighParts() {
		return Finding{}, false
	}
	f := e.finding(s, c.name, from, len(s), true, c.of)
	v := &f.Evidence[0]
	v.After, v.AfterFrom, v.AfterSamples = after.mean(), e.Steps[from].Step, after.N // all at these steps, as the title says
	if !c.certain && e.snap.Run.Framework == "" {
		f.Severity = Watch
	}
	f.Title = c.title(e, all)
	f.Example = e.example(from, func(g *GroupFacts) bool { return g.Fate == model.FateAlive })
	return f, true
}

func (e *evidence) factsFrom(from int) *match.Facts {
	all := &match.Facts{}
	for i := from; i < len(e.Steps); i++ {
		all.Join(&e.Steps[i].Logged)
	}
	return all
}

// mayWeighParts reports whether the reward is a sum of parts whose weights nothing says: the trainer may weigh them otherwise.
func (e *evidence) mayWeighParts() bool {
	return len(e.snap.Run.SummedColumns()) > 1 && e.set.Reward == ""
}

// isExplained reports whether an estimator, a scale, a filter, clipping, rounding or a rule of the trainer's own gives the logged
// advantages of the steps of a finding after all, or those of nearly all the groups that seem to contradict it; or rows that are not in the
// log.
func (e *evidence) isExplained(f *Finding) bool {
	from := e.Steps[f.first].Index
	r, err := match.Run(context.Background(), e.snap.Only(e.snap.Steps[from:]), e.set, match.DefaultLimit)
	switch {
	case err != nil || r.Outcome() != match.OutcomeNone || r.OwnRule || r.LacksRows:
		return true
	case len(r.Others) == 0:
		return false
	}
	nearest := &r.Others[0]
	return float64(nearest.Groups-nearest.AgreeingGroups) < f.Evidence[0].After/2*float64(nearest.Groups)
}

// Limits of what a few samples may hold.
const (
	fewSamples  = 0.01
	fewHold     = 0.2  // of the sum of all sizes
	fewTimes    = 10.0 // the median
	leastFew    = 500  // samples whose advantage is not 0
	perOctave   = 8    // buckets: within one all sizes are nearly equal
	octaves     = 64
	middleOfAll = octaves / 2 * perOctave
)

// sizes counts advantages by their size.
type sizes struct {
	n   [octaves * perOctave]int
	sum [octaves * perOctave]float64
}

func (z *sizes) add(a float64) {
	if !units.IsFinite(a) || a == 0 {
		return
	}
	a = math.Abs(a)
	at := min(max(0, middleOfAll+int(math.Floor(perOctave*math.Log2(a)))), len(z.n)-1)
	z.n[at], z.sum[at] = z.n[at]+1, z.sum[at]+a
}

// total is how many there are, and their sum.
func (z *sizes) total() (n int, sum float64) {
	for i := range z.n {
		n, sum = n+z.n[i], sum+z.sum[i]
	}
	return n, sum
}

// largest returns about what the largest few hold, and the size of the least of these.
func (z *sizes) largest(few int) (sum, least float64) {
	for i := len(z.n) - 1; i >= 0 && few > 0; i-- {
		if z.n[i] == 0 {
			continue
		}
		least = z.sum[i] / float64(z.n[i])
		n := min(few, z.n[i])
		few, sum = few-n, sum+float64(n)*least
	}
	return sum, least
}

// fewOutweigh finds a few samples that hold much of all advantage.
func fewOutweigh(e *evidence) ([]Finding, string) {
	var z sizes
	for i := range e.Steps {
		advantages := e.snap.Steps[e.Steps[i].Index].LoggedAdvantages
		for _, a := range advantages {
			z.add(a)
		}
	}
	n, sum := z.total()
	if n == 0 {
		return nil, noLoggedAdvantages
	}
	few := int(math.Ceil(fewSamples * float64(n)))
	held, least := z.largest(few)
	_, median := z.largest(n / 2)
	if n < leastFew || held < fewHold*sum || least < fewTimes*median {
		return nil, ""
	}
	s := make(series, len(e.Steps)) // the share that these hold at each step
	largest, at := 0.0, 0
	for i := range e.Steps {
		for _, a := range e.snap.Steps[e.Steps[i].Index].LoggedAdvantages {
			switch size := math.Abs(a); {
			case !units.IsFinite(a) || a == 0:
			case size > largest:
				largest, at = size, i
				fallthrough
			case size >= least:
				s[i].add(1)
			default:
				s[i].add(0)
			}
		}
	}
	first := slices.IndexFunc(s, func(m Moments) bool { return m.Sum > 0 })
	f := e.finding(s, "samples with such advantages", first, len(s), true, "samples")
	f.Severity = Watch
	f.Title = fmt.Sprintf("%s of %s with the largest advantages hold %s of Σ|A|: the largest is %s, the median %s",
		units.Count(few), units.Plural(n, "samples"), units.Share(held/sum), units.Short(largest), units.Short(median))
	f.Example = e.largestAdvantage(at, largest)
	if n, narrow := e.amongEquals(s, least); n > 0 && 2*narrow >= n {
		f.Title += fmt.Sprintf("; in %s of %s of these groups the other rewards hardly differ, and a deviation that leaves the sample "+
			"out is close to 0",
			units.Count(narrow), units.Count(n))
	}
	return []Finding{f}, ""
}

// largestAdvantage is the group of step i that has an advantage of some size.
func (e *evidence) largestAdvantage(i int, size float64) Example {
	step := &e.snap.Steps[e.Steps[i].Index]
	x := Example{Step: e.Steps[i].Step}
	order, offsets, err := e.snap.Layout(e.rule, e.Steps[i].Index)
	if err != nil {
		return x
	}
	for k := range len(offsets) - 1 {
		for _, row := range order[offsets[k]:offsets[k+1]] {
			if math.Abs(step.LoggedAdvantages[row]) == size {
				x.Group = e.groupName(i, k)
			}
		}
	}
	return x
}

// amongEquals counts the samples with an advantage of some size or more, and those of them that are far from the other rewards of their
// group, which hardly differ.
func (e *evidence) amongEquals(at series, size float64) (n, narrow int) {
	const hardly = 0.1 // of how far the sample is from them
	for i := range at {
		if at[i].Sum == 0 {
			continue
		}
		step := &e.snap.Steps[e.Steps[i].Index]
		order, offsets, err := e.snap.Layout(e.rule, e.Steps[i].Index)
		if err != nil {
			continue
		}
		rewards, err := e.snap.Rewards(*step, order, e.set)
		if err != nil {
			continue
		}
		for k := range len(offsets) - 1 {
			for row := offsets[k]; row < offsets[k+1]; row++ {
				if !(math.Abs(step.LoggedAdvantages[order[row]]) >= size) {
					continue
				}
				var others Moments
				for other := offsets[k]; other < offsets[k+1]; other++ {
					if other != row {
						others.add(rewards[other])
					}
				}
				std := math.Sqrt(max(0, others.Squares/float64(others.N)-others.mean()*others.mean()))
				n++
				narrow += model.Count01(std <= hardly*math.Abs(rewards[row]-others.mean()))
			}
		}
	}
	return n, narrow
}
