package estimators

import (
	"fmt"
	"math"
)

// Refusal is the exception that the framework's own code raises for a batch or, with
// the kind [KindMissing], what the estimator needs and the batch lacks.
type Refusal struct {
	Kind   string // the exception's type: "ValueError"
	Text   string // its message
	Groups []int  // the groups that cause it; nil if the batch as a whole does
}

// Error returns type and message, like the last line of a traceback.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s", r.Kind, r.Text) }

func valueError(format string, values ...any) error {
	return &Refusal{Kind: "ValueError", Text: fmt.Sprintf(format, values...)}
}

// groupsOfOne lists the groups that have a single sample.
func groupsOfOne(b Batch) []int {
	var groups []int
	for g := range b.Groups() {
		if b.Offsets[g+1]-b.Offsets[g] == 1 {
			groups = append(groups, g)
		}
	}
	return groups
}

// refuseGroupsOfOne returns f for a framework that asserts n > 1: groups of one get
// NaN and an AssertionError.
func refuseGroupsOfOne(f formula, text string) formula {
	return refuseGroupsOfOneWith(f, "AssertionError", text)
}

// refuseGroupsOfOneWith is [refuseGroupsOfOne] with another exception.
func refuseGroupsOfOneWith(f formula, kind, text string) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		groups := groupsOfOne(b)
		if groups == nil {
			return err
		}
		for _, g := range groups {
			dst[b.Offsets[g]] = math.NaN()
		}
		return &Refusal{Kind: kind, Text: text, Groups: groups}
	}
}

// refuseRagged returns f for a framework that holds the batch as a tensor of rows of
// one size: it raises what torch raises for groups of different sizes.
//
// If the number of samples happens to be a multiple of the size, torch raises nothing
// and the framework compares samples of different prompts; that is refused here too.
func refuseRagged(f formula) formula {
	return refuseRaggedWith(f, "RuntimeError", "shape '[-1, %[2]d]' is invalid for input of size %[1]d")
}

// refuseRaggedWith is [refuseRagged] with another exception. format takes the number
// of samples and the common size of a group.
func refuseRaggedWith(f formula, kind, format string) formula {
	return func(dst []float64, b Batch, s Scale) error {
		if err := f(dst, b, s); err != nil {
			return err
		}
		groups := raggedGroups(b.Offsets, 1)
		if groups == nil {
			return nil
		}
		return &Refusal{Kind: kind, Text: fmt.Sprintf(format, len(b.Rewards), commonSize(b.Offsets)), Groups: groups}
	}
}
