package offpolicy

import (
	"math"
	"strings"
)

// Batch is the rows that a trainer's function gets at once, in its order.
type Batch struct {
	Rows []Row

	// Step is the number of the step that trains them; weights of version Step − 1 do. Only limits on
	// versions read it.
	Step int
}

// Row is one response. The slices that are there have equal lengths: one number per token of the response,
// those of tools included. A row whose slices differ in length is unscored: see [Outcome].
type Row struct {
	Sampler []float32 // r, by the engine that sampled
	Trainer []float32 // o, by the trainer before the update
	Policy  []float32 // n, by the policy within the update; nil if nobody logged it
	Mask    []bool    // which tokens train; nil if all do

	// Times is how many tokens stand at each place; nil: one. See [Merger].
	Times []int32

	// Advantage is NaN if nobody knows it.
	Advantage float64

	// Versions are the policies of its first and its last token, counted so that weights of version step − 1 train at a step;
	// nil if nobody logged them, or nobody knows from where they count.
	Versions *Versions

	// VersionLag is by how many versions its oldest token is older than the weights that its step trains, and VersionSpan how
	// many updates there were between its oldest and its newest token; nil if the log cannot tell.
	VersionLag, VersionSpan *int
}

// Versions are the numbers of the policies that sampled a row's first and last token.
type Versions struct{ First, Last int }

// NoAdvantage is the advantage of a row of which nobody knows it.
func NoAdvantage() float64 { return math.NaN() }

// Even reports whether a row can be scored: it has numbers of both sides, and all its slices are of one length.
func (r Row) Even() bool {
	n := len(r.Sampler)
	return r.Sampler != nil && r.Trainer != nil && len(r.Trainer) == n &&
		(r.Policy == nil || len(r.Policy) == n) && (r.Mask == nil || len(r.Mask) == n)
}

// Lacks says what a row has not that a comparison needs; empty if it can be scored.
func (r Row) Lacks() string {
	switch {
	case r.Sampler == nil && r.Trainer == nil:
		return "no log-probs"
	case r.Trainer == nil:
		return "no log-probs of the trainer"
	case r.Sampler == nil:
		return "no log-probs of the sampler"
	case !r.Even():
		return "not as many log-probs of one side as of the other, or as tokens"
	}
	return ""
}

// advised reports whether the row's advantage is known.
func (r Row) advised() bool { return r.Advantage == r.Advantage }

// Outcome is what a rule does to one row. All of it is empty if the row is unscored: it lacks what the rule needs.
type Outcome struct {
	// Weights multiply the policy loss of each token; NaN where the logged mask is 0. A weight of the row
	// is on each of its tokens. nil if the rule has no weights: they are 1.
	Weights []float32

	// Kept is what becomes of each token.
	Kept []Kept

	// Tokens counts those that the logged mask lets train, Left those of them that still do, and Clipped those of these whose
	// weight a bound changed.
	Tokens, Left, Clipped int

	// OfRow is true if the weights are one weight of the row: the product of its ratios, or their mean.
	OfRow bool

	// Mean is what the trainer divided the weights of the batch by, 1 if it did not.
	Mean float32

	Unscored bool

	mask, left []bool // as logged, and what is left of it
}

// Letters are those of Kept.
func (o Outcome) Letters() string {
	letters := make([]byte, len(o.Kept))
	for i, kept := range o.Kept {
		letters[i] = byte(kept)
	}
	return string(letters)
}

// Mask is the loss mask afterwards, 1 or 0, and . where the logged one is 0.
func (o Outcome) Mask() string {
	var b strings.Builder
	for i, m := range o.mask {
		switch {
		case !m:
			b.WriteByte(byte(NotTrainable))
		case o.left[i]:
			b.WriteByte('1')
		default:
			b.WriteByte('0')
		}
	}
	return b.String()
}

// Kept is what becomes of a token.
type Kept byte

// What becomes of a token, each with a letter.
const (
	Trains       Kept = '1'
	Removed      Kept = '0' // its weight is 0, or it left the loss mask
	NotANumber   Kept = 'n' // its weight is NaN: so is the trainer's loss
	Infinite     Kept = 'i' // its weight is infinite
	NotTrainable Kept = '.' // the logged mask is 0
)

// row is a row while rules work on it.
type row struct {
	Row
	d         []float32 // Trainer − Sampler, in float32
	policy    []float32 // n, or o where there is none
	mask      []bool    // as logged
	advantage float32

	weights []float32 // nil: none
	clipped []bool    // where a bound changed the weight; nil: nowhere
	ofRow   bool      // the weights are one weight of the row
	divided float32   // what the weights were divided by
	left    []bool    // the mask that is left; nil: as logged

	*memory
}

// memory is where rules have their numbers of rows. What it gave is used again once it is emptied.
type memory struct {
	numbers slab[float32]
	flags   slab[bool]
	fates   slab[Kept]
	ones    []bool
}

// slab hands out parts of one slice.
type slab[T any] struct{ all, left []T }

// take is the next n values, whatever they were before.
func (s *slab[T]) take(n int) []T {
	if len(s.left) < n {
		s.all = make([]T, max(256, n, 2*len(s.all)))
		s.left = s.all
	}
	taken := s.left[:n:n]
	s.left = s.left[n:]
	return taken
}

func (m *memory) empty() {
	m.numbers.left, m.flags.left, m.fates.left = m.numbers.all, m.flags.all, m.fates.all
}

func (m *memory) floats(n int) []float32 { return m.numbers.take(n) }

// truths are as many true. Nobody changes them.
func (m *memory) truths(n int) []bool {
	for len(m.ones) < n {
		m.ones = append(m.ones, true)
	}
	return m.ones[:n:n]
}

// reading is a row for rules that read log-probs.
func (m *memory) reading(r Row) row {
	x := row{Row: r, policy: r.Policy, mask: r.Mask, advantage: float32(r.Advantage), divided: 1, memory: m}
	x.d = x.difference(r.Trainer, r.Sampler)
	if x.policy == nil {
		x.policy = r.Trainer
	}
	if x.mask == nil {
		x.mask = m.truths(len(x.d))
	}
	return x
}

// current is the mask that is left.
func (x *row) current() []bool {
	if x.left != nil {
		return x.left
	}
	return x.mask
}

// reject takes tokens out of the mask.
func (x *row) reject(out func(i int) bool) {
	left := x.flags.take(len(x.mask))
	for i, m := range x.current() {
		left[i] = m && !out(i)
	}
	x.left = left
}

// rejectAll takes the whole row out of the mask.
func (x *row) rejectAll(out bool) { x.reject(func(int) bool { return out }) }

// weigh gives each token a weight, which may follow from the one that it has.
func (x *row) weigh(of func(i int) float32) {
	weights := x.floats(len(x.d))
	for i := range weights {
		weights[i] = of(i)
	}
	x.weights = weights
}

// weighAll gives all tokens one weight, that of the row.
func (x *row) weighAll(w float32) {
	x.weigh(func(int) float32 { return w })
	x.ofRow = true
}

// clip clamps the weights, and marks the tokens whose weight that changes.
func (x *row) clip(low, high float32) {
	for i, w := range x.weights {
		if !beyond(w, low, high) {
			continue
		}
		if x.clipped == nil {
			x.clipped = x.flags.take(len(x.weights))
			clear(x.clipped)
		}
		x.weights[i], x.clipped[i] = clamp(w, low, high), true
	}
}

// cut makes weights that are not within bounds 0.
func (x *row) cut(low, high float32) {
	x.weigh(func(i int) float32 { return orZero(within(x.weights[i], low, high), x.weights[i]) })
}

func (x *row) outcome() Outcome {
	out := Outcome{OfRow: x.ofRow, Mean: x.divided, Weights: x.weights, mask: x.mask, left: x.current()}
	out.Kept = x.fates.take(len(x.mask))
	for i, trains := range x.mask {
		fate := x.fate(i)
		out.Kept[i] = fate
		if !trains {
			if out.Weights != nil {
				out.Weights[i] = float32(math.NaN())
			}
			continue
		}
		n := x.times(i)
		out.Tokens += n
		if fate == Trains {
			out.Left += n
		}
		if fate == Trains && x.clipped != nil && x.clipped[i] {
			out.Clipped += n
		}
	}
	return out
}

// times is how many tokens stand at a place.
func (r Row) times(i int) int {
	if r.Times == nil {
		return 1
	}
	return int(r.Times[i])
}

func (x *row) fate(i int) Kept {
	if !x.mask[i] {
		return NotTrainable
	}
	if !x.current()[i] {
		return Removed
	}
	if x.weights == nil {
		return Trains
	}
	switch w := x.weights[i]; {
	case w != w:
		return NotANumber
	case math.IsInf(float64(w), 0):
		return Infinite
	case w == 0:
		return Removed
	}
	return Trains
}
