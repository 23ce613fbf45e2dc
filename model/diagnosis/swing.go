package diagnosis

import (
	"fmt"

	"vantage/model/units"
)

// Swing is a course that goes up and down more and more.
type Swing struct {
	First        int     // index of the best value before the first fall that counts
	Peak, Trough int     // indexes between which it last fell
	Was, Is      float64 // by how much it fell at first, and last
	falls        int
}

// Limits of a swing that grows.
const (
	leastSwings = 4   // falls in a row, with a rise between: three that grow are one of six orders that chance has for them
	LeastSwung  = 100 // steps: in fewer a swing is a few of them
	swingGrows  = 1.5 // times as deep is the later half of them
	swingFalls  = 0.5 // of its height is lost in the last one
)

// SwingAdvice is what to do about one.
const SwingAdvice = "lower the learning rate, or take larger batches and fewer updates of each: the policy overshoots, comes back and " +
	"overshoots again; go back to a checkpoint from before the first swing"

// String says it: "swings wider and wider: it fell by 0.12 at first, and by 0.61 last, 5 times".
func (s *Swing) String() string {
	return fmt.Sprintf("swings wider and wider: it fell by %s at first, and by %s last, %d times", units.Short(s.Was), units.Short(s.Is),
		s.falls)
}

// SwingOf finds a smooth course that falls again and again by at least so much, each time deeper than before, so that the last fall loses
// half of its height above the floor and more. What swings as wide as ever follows its data, as where each epoch ends on hard prompts.
func SwingOf(smooth []float64, floor, least float64) (s Swing, found bool) {
	falls := fallsOf(smooth, least)
	n := len(falls)
	if n < leastSwings {
		return s, false
	}
	depth := func(from, to int) (mean float64) {
		for _, f := range falls[from:to] {
			mean += (smooth[f[0]] - smooth[f[1]]) / float64(to-from)
		}
		return mean
	}
	first, last := falls[0], falls[n-1]
	if n > leastSwings && depth(n-1, n) < depth(n-2, n-1) {
		last = falls[n-2] // the newest may not be at its end
	}
	s = Swing{
		First: first[0], Peak: last[0], Trough: last[1], Was: depth(0, 1), Is: smooth[last[0]] - smooth[last[1]], falls: n,
	}
	grows := depth(n-n/2, n) >= swingGrows*depth(0, n/2) && smooth[last[1]] < smooth[first[1]]
	return s, grows && s.Is >= swingFalls*(smooth[last[0]]-floor)
}

// fallsOf are the indexes of the peak and the trough of each fall of a course by at least so much, with a rise by as much between.
func fallsOf(smooth []float64, least float64) (falls [][2]int) {
	high, low := 0, -1 // of the course since the last turn; low is -1 while it rises
	for i, x := range smooth {
		switch isRising := low < 0; {
		case x != x:
		case isRising && !(x < smooth[high]):
			high = i
		case isRising && smooth[high]-x >= least, !isRising && x <= smooth[low]:
			low = i
		case !isRising && x-smooth[low] >= least:
			falls = append(falls, [2]int{high, low})
			high, low = i, -1
		}
	}
	if low >= 0 {
		falls = append(falls, [2]int{high, low})
	}
	return falls
}
