package match

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/units"
)

// facts are what the logged advantages say of themselves.
type facts struct {
	groups  int // with a logged advantage for every sample, and not all of them 0
	centred int // of these, that sum to 0
	unit    int // of these, whose standard deviation is 1
	pairs   pairs
	n       int
	sum, sq float64
}

// look says what the logged values look like, and what that usually means.
func look(laid []*model.Laid) []string {
	var f facts
	for _, l := range laid {
		for g := range len(l.Offsets) - 1 {
			lo, hi := l.Offsets[g], l.Offsets[g+1]
			f.add(l.Given[lo:hi], l.Rewards[lo:hi], l.Lengths[lo:hi])
		}
	}
	return f.sentences()
}

func (f *facts) add(advantages, rewards []float64, lengths []int32) {
	m := moments(advantages)
	f.n += m.n
	f.sum += m.sum
	f.sq += m.squares
	if m.n < len(advantages) || m.n == 0 {
		return
	}
	f.pairs.add(advantages, rewards, lengths, m.largest)
	if m.largest == 0 {
		return
	}
	f.groups++
	if math.Abs(m.sum) < 1e-3*m.largest*float64(m.n) {
		f.centred++
	}
	std := math.Sqrt(m.squares/float64(m.n) - (m.sum/float64(m.n))*(m.sum/float64(m.n)))
	if unbiased := std * math.Sqrt(float64(m.n)/float64(max(1, m.n-1))); near(std, 1) || near(unbiased, 1) {
		f.unit++
	}
}

func near(x, y float64) bool { return math.Abs(x-y) < 0.02 }

// power are sums over finite values.
type power struct {
	n                     int
	sum, squares, largest float64
}

func moments(values []float64) power {
	var p power
	for _, x := range values {
		if x-x == 0 {
			p.n++
			p.sum += x
			p.squares += x * x
			p.largest = max(p.largest, math.Abs(x))
		}
	}
	return p
}

func (f *facts) sentences() []string {
	var all []string
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	mean := f.sum / float64(f.n)
	std := math.Sqrt(max(0, f.sq/float64(f.n)-mean*mean))
	if text := f.pairs.sentence(); text != "" {
		all = append(all, text)
	}
	switch {
	case f.groups == 0:
		say("every logged advantage is 0, although rewards differ: perhaps they were logged before they were computed")
	case f.centred == f.groups && f.unit == f.groups:
		say("within every group the logged advantages have mean 0 and std 1, so the estimator is of the GRPO kind: the rewards or their weights must differ (see --reward and --weights), or eps does")
	case f.centred == f.groups:
		say("within every group the logged advantages sum to 0, yet no scale fits: perhaps they were divided by the std of another batch than the step, or normalised twice")
	case near(mean, 0) && near(std, 1):
		say("over all samples the logged advantages have mean %+.2f and std %.2f, and sum to 0 in %s: they were normalised over the batch, perhaps a second time", mean, std, few(f.centred, f.groups))
	default:
		say("the logged advantages sum to 0 in %s: the groups may be found by the wrong key (see --group-by), or a baseline of another kind was taken off", few(f.centred, f.groups))
	}
	return all
}

// few writes a share that is less than all.
func few(n, of int) string {
	if n == 0 {
		return fmt.Sprintf("none of %s", units.Plural(of, "groups"))
	}
	return fmt.Sprintf("only %s groups", units.Fraction(n, of))
}
