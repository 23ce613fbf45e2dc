package plan

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Rates is how the solve rates of a run's prompts are distributed: a mixture of parts, whose shares add
// up to 1.
type Rates []Part

// Part is a share of the prompts, whose solve rates are Beta(A, B) distributed. If it is a point all of
// them have the rate A/(A+B): with A = 0 none is ever solved, with B = 0 always.
type Part struct{ Share, A, B float64 }

// pointSum is A+B of points between 0 and 1, beyond that of any Beta that is fitted.
const pointSum = 1e6

// IsPoint reports whether all prompts of the part have one rate.
func (p Part) IsPoint() bool { return p.A == 0 || p.B == 0 || p.A+p.B > pointSum/2 }

// Mean returns the mean solve rate of the part.
func (p Part) Mean() float64 { return p.A / (p.A + p.B) }

// Mean returns the mean solve rate.
func (r Rates) Mean() (mean float64) {
	for _, p := range r {
		mean += p.Share * p.Mean()
	}
	return mean
}

// shapes are the mixtures that are tried: one or two Betas, up to four points, or one of each, and each
// of these with a share of prompts that are never solved, or always, or both.
func shapes() (all []Rates) {
	for _, n := range [][2]int{{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 1}} {
		for ends := range 4 {
			if n == [2]int{0, 1} && ends == 0 {
				continue // of which few groups are no proof: a Beta comes as near as many want
			}
			var r Rates
			if ends&1 > 0 {
				r = append(r, Part{0.2, 0, 1})
			}
			if ends&2 > 0 {
				r = append(r, Part{0.2, 1, 0})
			}
			parts := n[0] + n[1]
			share := (1 - 0.2*float64(len(r))) / float64(parts)
			for i := range parts {
				mean, sum := (float64(i)+0.5)/float64(parts), pointSum
				if i < n[0] {
					sum = []float64{1.5, 6}[parts-1]
				}
				r = append(r, Part{share, mean * sum, (1 - mean) * sum})
			}
			all = append(all, r)
		}
	}
	return all
}

func (r Rates) parameters() int {
	n := len(r) - 1
	for _, p := range r {
		switch {
		case p.A == 0 || p.B == 0:
		case p.IsPoint():
			n++
		default:
			n += 2
		}
	}
	return n
}

// rateFit is the mixture that suits the counts best, and all that they leave possible.
type rateFit struct {
	Rates
	Near  [][]Rates   // each of the possible ones, fitted again to each of the draws
	Drawn [][]float64 // prompts drawn again, with replacement: how many groups of each count
}

// span returns the range of a figure: from the 5th to the 95th percentile of what values adds for the draws, of whichever of the possible
// mixtures reaches farther.
func (f rateFit) span(values func(near, draw int, to []float64) []float64) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for near := range f.Near {
		var all []float64
		for draw := range f.Drawn {
			all = values(near, draw, all)
		}
		if slices.Sort(all); len(all) > 0 {
			low, high = min(low, all[len(all)/20]), max(high, all[len(all)-1-len(all)/20])
		}
	}
	return low, high
}

// solvedOf writes to chances, which has size+1, how likely 0 to size of size more samples are solved, for
// the prompt of a group that was seen.
func (r Rates) solvedOf(c Count, chances []float64) {
	clear(chances)
	size, total := len(chances)-1, 0.0
	relative := make([]float64, len(chances))
	for _, p := range r {
		switch {
		case p.A > 0 && p.B > 0:
			a, b := p.A+float64(c.Solved), p.B+float64(c.Size-c.Solved)
			weight := p.Share * math.Exp(logBeta(a, b)-logBeta(p.A, p.B))
			near := int(float64(size) * a / (a + b)) // from where the chances of more, and of less, do not overflow
			next := func(k int) float64 {            // the chance of k+1 solved, against that of k
				return float64(size-k) * (a + float64(k)) / (float64(k+1) * (b + float64(size-k-1)))
			}
			relative[near] = 1
			sum := 1.0
			for k := near; k < size; k++ {
				relative[k+1] = relative[k] * next(k)
				sum += relative[k+1]
			}
			for k := near; k > 0; k-- {
				relative[k-1] = relative[k] / next(k-1)
				sum += relative[k-1]
			}
			for k, x := range relative {
				chances[k] += weight * x / sum
			}
			total += weight
		case p.A == 0 && c.Solved == 0:
			chances[0] += p.Share
			total += p.Share
		case p.B == 0 && c.Solved == c.Size:
			chances[size] += p.Share
			total += p.Share
		}
	}
	for k := range chances {
		chances[k] /= max(total, math.SmallestNonzeroFloat64)
	}
}

// What decides which mixtures are possible. The price of a number that is fitted is in the logarithm of the likelihood, as is what a
// mixture of several parts costs besides, and how far below the best one a mixture may be: farther where there are few samples a prompt.
// They are such that ranges hold the truth in 95 % of runs of made prompts of every kind in the table of tuning.md, on which they were set.
const (
	draws     = 20
	price     = 2.5
	mixed     = 2
	stillNear = 6.
	nearOfFew = 7.5
	few       = 16 // samples
)

// fitRates fits mixtures of all shapes, and takes that of the highest likelihood less its price. Few samples a prompt often leave it open
// whether a prompt can be solved at all, and a range must hold for each mixture that is left: they are fitted again to prompts drawn from
// those of the run.
func fitRates(counts []Count) rateFit {
	f := newFitter(counts)
	groups, upTo, total := make([]float64, len(counts)), make([]int, len(counts)), 0
	for i, c := range counts {
		groups[i] = float64(c.Groups)
		total += c.Groups
		upTo[i] = total
	}
	var all []Rates
	var scores []float64
	for _, r := range shapes() {
		if r.parameters() > max(2, f.largest) { // groups of n samples tell n numbers of a distribution
			continue
		}
		score := f.fit(r, groups, 200) - price*float64(r.parameters())
		if len(r) > 1 {
			score -= mixed
		}
		all, scores = append(all, r), append(scores, score)
	}
	best, least := slices.Max(scores), stillNear
	if f.largest < few {
		least = nearOfFew
	}
	fit := rateFit{Rates: all[slices.Index(scores, best)]}
	random := rand.New(rand.NewPCG(1, 2)) // equal logs have equal ranges
	for range draws {
		drawn := make([]float64, len(counts))
		for range total {
			at, _ := slices.BinarySearch(upTo, 1+random.IntN(total))
			drawn[at]++
		}
		fit.Drawn = append(fit.Drawn, drawn)
	}
	for i, r := range all {
		if scores[i] < best-least {
			continue
		}
		var again []Rates
		for i, drawn := range fit.Drawn {
			r := slices.Clone(r)
			least := f.fit(r, drawn, 20) - 1
			if other := withShares(r, random); i%2 > 0 && f.fit(other, drawn, 60) > least {
				r = other
			}
			again = append(again, r)
		}
		fit.Near = append(fit.Near, again)
	}
	return fit
}

// withShares returns a mixture with other shares of its parts. Where few samples do not tell the parts apart a fit stays near where it
// began.
func withShares(r Rates, random *rand.Rand) Rates {
	r, sum := slices.Clone(r), 0.0
	for i := range r {
		r[i].Share = random.ExpFloat64()
		sum += r[i].Share
	}
	for i := range r {
		r[i].Share /= sum
	}
	return r
}

// fitter fits mixtures to counts by expectation and maximisation.
type fitter struct {
	counts  []Count
	largest int // size of a group

	chances [][]float64  // by part and count: of being of that part
	weights []float64    // by count, of the part that is fitted
	powers  [3][]float64 // of a+i, b+i and a+b+i in its likelihood, or the products of all up to i
}

func newFitter(counts []Count) *fitter {
	const most = 256 // a larger group says little more of its prompt, and costs its size
	f := &fitter{counts: slices.Clone(counts), weights: make([]float64, len(counts))}
	for i := range f.counts {
		if c := &f.counts[i]; c.Size > most {
			if c.Solved > 0 {
				c.Solved = max(1, c.Solved*most/c.Size)
			}
			c.Size = most
		}
		f.largest = max(f.largest, f.counts[i].Size)
	}
	for i := range f.powers {
		f.powers[i] = make([]float64, f.largest+1)
	}
	return f
}

// fit makes a mixture the most likely of its shape, in at most so many rounds, if groups[i] groups have
// counts[i]. It returns the logarithm of their likelihood.
func (f *fitter) fit(r Rates, groups []float64, rounds int) float64 {
	total := 0.0
	for _, n := range groups {
		total += n
	}
	sum := f.expect(r, groups)
	for range rounds {
		for j := range r {
			share := 0.0
			for i := range f.counts {
				f.weights[i] = f.chances[j][i] * groups[i]
				share += f.weights[i]
			}
			if r[j].Share = share / total; share > 1e-6 && r[j].A > 0 && r[j].B > 0 {
				f.maximise(&r[j])
			}
		}
		last := sum
		if sum = f.expect(r, groups); sum-last < 1e-7*total {
			break
		}
	}
	return sum
}

// expect sets the chances and returns the logarithm of the likelihood, less what no mixture changes.
func (f *fitter) expect(r Rates, groups []float64) (sum float64) {
	for len(f.chances) < len(r) {
		f.chances = append(f.chances, make([]float64, len(f.counts)))
	}
	for j, p := range r {
		unit := 1 / (p.A + p.B + float64(f.largest)/math.E) // in which products neither overflow nor vanish
		for k, x := range []float64{p.A, p.B, p.A + p.B} {
			product := 1.0
			for i := range f.powers[k] {
				f.powers[k][i] = product
				product *= (x + float64(i)) * unit
			}
		}
		for i, c := range f.counts {
			f.chances[j][i] = p.Share * f.powers[0][c.Solved] * f.powers[1][c.Size-c.Solved] / f.powers[2][c.Size]
		}
	}
	for i := range f.counts {
		all := math.SmallestNonzeroFloat64
		for j := range r {
			all += f.chances[j][i]
		}
		for j := range r {
			f.chances[j][i] /= all
		}
		if groups[i] > 0 {
			sum += groups[i] * math.Log(all)
		}
	}
	return sum
}

// maximise moves a part towards the most likely one for the weights. A Beta has the diffuse density
// (a+b)^(−5/2) of Gelman et al., Bayesian Data Analysis, 5.3, which keeps a few groups from proving that
// all prompts have one rate, or that it is 0.
func (f *fitter) maximise(p *Part) {
	if p.IsPoint() {
		solved, samples := 0.0, 0.0
		for i, c := range f.counts {
			solved += f.weights[i] * float64(c.Solved)
			samples += f.weights[i] * float64(c.Size)
		}
		const least = 1e-4
		p.A = pointSum * min(max(solved/samples, least), 1-least)
		p.B = pointSum - p.A
		return
	}
	for k := range f.powers {
		clear(f.powers[k])
	}
	for i, c := range f.counts {
		f.powers[0][c.Solved] += f.weights[i]
		f.powers[1][c.Size-c.Solved] += f.weights[i]
		f.powers[2][c.Size] += f.weights[i]
	}
	for k := range f.powers { // a group with s solved has the factors a, a+1, …, a+s−1
		for i := f.largest; i > 0; i-- {
			f.powers[k][i-1] += f.powers[k][i]
		}
	}
	derivatives := func(k int, x, diffuse float64) (first, second float64) {
		first, second = diffuse/x, -diffuse/(x*x)
		for i, power := range f.powers[k][1:] {
			if power == 0 {
				break
			}
			q := 1 / (x + float64(i))
			first += power * q
			second -= power * q * q
		}
		return first, second
	}
	for range 3 { // Newton's method, in the logarithms of A and B
		a1, a2 := derivatives(0, p.A, 1)
		b1, b2 := derivatives(1, p.B, 1)
		n1, n2 := derivatives(2, p.A+p.B, 2.5)
		a, b := p.A*(a1-n1), p.B*(b1-n1)
		aa, bb, ab := p.A*p.A*(a2-n2)+a, p.B*p.B*(b2-n2)+b, -p.A*p.B*n2
		da, db := a/(math.Abs(aa)+1e-9), b/(math.Abs(bb)+1e-9)
		if determinant := aa*bb - ab*ab; aa < 0 && determinant > 0 {
			da, db = (ab*b-bb*a)/determinant, (ab*a-aa*b)/determinant
		}
		longest := max(math.Abs(da), math.Abs(db))
		const least, most = 1e-5, 1e4
		p.A = min(max(p.A*math.Exp(da/max(1, longest)), least), most)
		p.B = min(max(p.B*math.Exp(db/max(1, longest)), least), most)
		if longest < 1e-3 {
			return
		}
	}
}
