package overlong

import (
	"fmt"

	"vantage/estimators"
)

// Shaping is how one framework lowers the rewards of long responses. It is a value in the list [All].
type Shaping struct {
	estimators.Entry

	// FilterSeesRaw: a filter of groups of this framework looks at the reward before shaping.
	FilterSeesRaw bool

	// ramp returns the penalty that the options give. The error is a *estimators.Refusal.
	ramp func(v estimators.Values) (ramp, error)
}

// catalogue lists the shapings, in the order of package estimators.
func catalogue() estimators.Catalogue[*Shaping] {
	return estimators.Catalogue[*Shaping]{
		NoFramework: "no overlong shaping of the framework %q is known: choose %s", NoName: "%s has no overlong shaping %q: it has %s",
		Lists: []estimators.List[*Shaping]{
			{Framework: "verl", Entries: verl},
			{Framework: "trl", Entries: trl},
			{Framework: "ms-swift", Entries: swift},
			{Framework: "openrlhf", Entries: openRLHF},
			{Framework: "nemo-rl", Entries: nemoRL},
			{Framework: "skyrl", Entries: skyRL},
			{Framework: "areal", Entries: areal},
			{Framework: "easyr1-upstream", Entries: easyR1Upstream},
			{Framework: "tunix", Entries: tunix},
		},
	}
}

// All returns the shapings.
func All() []*Shaping { return catalogue().All() }

// Find returns the shaping of a framework by its name; "" is the only one that it has. The error lists the
// alternatives.
func Find(framework, name string) (*Shaping, error) {
	if name == "" {
		return catalogue().Default(framework)
	}
	return catalogue().Find(framework, name)
}

// Shape writes the shaped rewards to dst and returns how many were changed. dst, rewards and lengths,
// the response tokens, have equal lengths; dst may be rewards. A reward that is not a number stays as
// it is. v are values of s.Options.
//
// The error is a *estimators.Refusal: what the trainer raises or, of the kind estimators.KindMissing,
// what is missing. dst then has the rewards unchanged.
func (s *Shaping) Shape(dst, rewards []float64, lengths []int32, v estimators.Values) (changed int, err error) {
	copy(dst, rewards)
	if s.NotComputable != "" {
		return 0, &estimators.Refusal{Kind: estimators.KindMissing, Text: s.NotComputable}
	}
	if lengths == nil {
		return 0, &estimators.Refusal{Kind: estimators.KindMissing, Text: "response lengths"}
	}
	p, err := s.ramp(v)
	if err != nil {
		return 0, err
	}
	for i, l := range lengths {
		if r := rewards[i]; r == r && int(l) > p.from {
			dst[i] = p.shape(r, int(l))
			changed++
		}
	}
	return changed, nil
}

// ramp is a penalty that grows with each token after from.
type ramp struct {
	from, buffer int
	factor       float64

	beyond beyond // what is longer than from + buffer
	float  float  // precision
}

type beyond int

const (
	grows  beyond = iota // the penalty grows on
	levels               // it stays at factor
	zero                 // the reward is 0
)

type float int

const (
	penalty32 float = iota // the penalty is computed in float32, and so is the sum
	sum32                  // the penalty is computed in float64, the sum in float32
	all64                  // the sum is rounded to float32 by what follows
)

// shape returns the shaped reward of a response of l tokens, more than from.
func (p ramp) shape(r float64, l int) float64 {
	exceeds := l - p.from
	if exceeds > p.buffer {
		switch p.beyond {
		case levels:
			exceeds = p.buffer
		case zero:
			return 0
		case grows:
		}
	}
	if p.float == penalty32 {
		return float64(float32(r) + float32(-exceeds)/float32(p.buffer)*float32(p.factor))
	}
	penalty := -p.factor
	if exceeds != p.buffer { // a buffer of 0 divides nothing
		penalty = float64(-exceeds) / float64(p.buffer) * p.factor
	}
	if p.float == sum32 {
		return float64(float32(r) + float32(penalty))
	}
	return r + penalty
}

// rampOf returns the ramp that ends at longest after buffer tokens.
func rampOf(longest, buffer, factor float64, b beyond, f float) ramp {
	return ramp{from: int(longest) - int(buffer), buffer: int(buffer), factor: factor, beyond: b, float: f}
}

// given returns what is missing if an option that has no default is not given.
func given(v estimators.Values, keys ...string) error {
	for _, key := range keys {
		if v.Text(key) == "none" {
			return &estimators.Refusal{Kind: estimators.KindMissing, Text: "the option " + key + ", which has no default"}
		}
	}
	return nil
}

func assertion(format string, args ...any) error {
	return &estimators.Refusal{Kind: "AssertionError", Text: fmt.Sprintf(format, args...)}
}
