package model

import (
	"math"

	"vantage/estimators"
)

// sums are over advantages that are not zero, around a pivot that is like them.
type sums struct {
	pivot                 float64
	n, live, tokens       int     // advantages, those over tokens, and the tokens
	abs                   float64 // of |A|
	advantage, advantage2 float64 // of what they lie above the pivot
	push, push2           float64 // the same over tokens
}

// fall takes in a group whose advantages fall along the order, and counts its signs and the
// tokens of each; false if they do not fall. Half of them are positive, but which is hard to
// guess: no branch asks.
func (t *sums) fall(s *ordered) (signs traits, above, below int, ok bool) {
	n := len(s.order)
	pos, tokens, pivot, last := 0, 0, t.pivot, math.Inf(1)
	abs, push, push2, advantage, advantage2 := t.abs, t.push, t.push2, t.advantage, t.advantage2
	for _, i := range s.order {
		x, l := s.advantages[i], s.count[i]
		if !(x <= last) {
			return signs, 0, 0, false
		}
		last = x
		plus := one(x > 0)
		pos += plus
		above += int(l) & -plus
		tokens += int(l)
		abs += math.Abs(x)
		d := x - pivot
		advantage += d
		advantage2 += d * d
		w := float64(l) * d
		push += w
		push2 += w * d
	}
	t.abs, t.push, t.push2, t.advantage, t.advantage2 = abs, push, push2, advantage, advantage2
	t.n, t.live, t.tokens = t.n+n, t.live+s.live(0, n), t.tokens+tokens
	neg := s.zeros(pos)
	if neg > pos {
		tokens -= t.without(s, pos, neg)
	}
	return traits{pos: int32(pos), zero: int32(neg - pos), neg: int32(n - neg)}, above, tokens - above, true
}

// without takes a stretch of zeros out again, and returns how many tokens they have.
func (t *sums) without(s *ordered, from, to int) (tokens int) {
	for _, i := range s.order[from:to] {
		tokens += int(s.count[i])
	}
	n, pivot := float64(to-from), t.pivot
	t.n, t.live, t.tokens = t.n-(to-from), t.live-s.live(from, to), t.tokens-tokens
	t.advantage += n * pivot
	t.advantage2 -= n * pivot * pivot
	t.push += float64(tokens) * pivot
	t.push2 -= float64(tokens) * pivot * pivot
	return tokens
}

// add takes in a stretch of advantages of which none is zero.
func (t *sums) add(s *ordered, from, to int) {
	tokens, pivot := 0, t.pivot
	abs, push, push2, advantage, advantage2 := t.abs, t.push, t.push2, t.advantage, t.advantage2
	for _, i := range s.order[from:to] {
		x, l := s.advantages[i], s.count[i]
		tokens += int(l)
		abs += math.Abs(x)
		d := x - pivot
		advantage += d
		advantage2 += d * d
		w := float64(l) * d
		push += w
		push2 += w * d
	}
	t.n, t.live, t.tokens = t.n+to-from, t.live+s.live(from, to), t.tokens+tokens
	t.abs, t.push, t.push2, t.advantage, t.advantage2 = abs, push, push2, advantage, advantage2
}

// alike reports whether advantages differ so little from one another, beside what they do from
// the pivot, that one of them has to be the pivot.
func (t *sums) alike() bool {
	const tiny = 1e-6
	return rest(t.push2, t.push, float64(t.tokens)) < tiny*t.push2 || rest(t.advantage2, t.advantage, float64(t.n)) < tiny*t.advantage2
}

// less returns the sums without others around the same pivot.
func (t sums) less(o *sums) sums {
	t.n, t.live, t.tokens = t.n-o.n, t.live-o.live, t.tokens-o.tokens
	t.abs -= o.abs
	t.push, t.push2 = t.push-o.push, t.push2-o.push2
	t.advantage, t.advantage2 = t.advantage-o.advantage, t.advantage2-o.advantage2
	return t
}

// addEach takes in stretches of advantages of which none is zero.
func (t *sums) addEach(s *ordered, stretches *[3]estimators.Stretch) {
	for _, x := range stretches {
		if x.From < x.To {
			t.add(s, int(x.From), int(x.To))
		}
	}
}
