package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Span is the steps that a rule judges together.
type Span struct {
	Kind SpanKind
	N    float64 // steps, or with ShareOfSteps a percentage
}

// SpanKind is a kind of span.
type SpanKind int

// The kinds of spans.
const (
	EachStep     SpanKind = iota // no words: the run fails if one step does
	AllSteps                     // "over all steps": the mean of all steps
	MeanOfSteps                  // "over 10 steps": the mean of any 10 steps in a row
	StepsInARow                  // "for 3 steps": any 3 steps in a row fail
	NumberOf                     // "in 5 steps": 5 or more steps fail
	ShareOfSteps                 // "in 20% of steps": 20 % or more of the steps fail
)

// spanWords says which words may follow the number of a rule, with examples.
const spanWords = "over all steps, over 10 steps, for 3 steps, in 5 steps or in 20% of steps"

// String returns the words that follow the number, "" for each step.
func (s Span) String() string {
	n := strconv.FormatFloat(s.N, 'g', -1, 64)
	switch s.Kind {
	case AllSteps:
		return "over all steps"
	case MeanOfSteps:
		return "over " + n + " steps"
	case StepsInARow:
		return "for " + n + " steps"
	case NumberOf:
		return "in " + n + " steps"
	case ShareOfSteps:
		return "in " + n + "% of steps"
	case EachStep:
	}
	return ""
}

// isOfAll reports whether the span has one verdict for all steps, not one for each.
func (s Span) isOfAll() bool {
	return s.Kind == AllSteps || s.Kind == NumberOf || s.Kind == ShareOfSteps
}

// cutSpan divides what follows the operator of a rule into the number and the words of the span.
func cutSpan(text string) (number string, words []string) {
	fields := strings.Fields(text)
	at := slices.IndexFunc(fields, func(f string) bool { return f == "over" || f == "for" || f == "in" })
	if at < 0 {
		at = len(fields)
	}
	return strings.Join(fields[:at], ""), fields[at:]
}

// parseSpan parses the words of a span. Words between, as in "in at least 20% of the steps", may be
// left out. It fails if they are none of spanWords.
func parseSpan(words []string) (Span, error) {
	if len(words) == 0 {
		return Span{}, nil
	}
	fillers := map[string][]string{"over": {"the", "whole"}, "for": {"in", "a", "row"}, "in": {"at", "least", "all", "of", "the"}}[words[0]]
	rest := slices.DeleteFunc(slices.Clone(words[1:]), func(w string) bool {
		return w == "steps" || w == "step" || slices.Contains(fillers, w)
	})
	if len(rest) == 1 {
		if words[0] == "over" && (rest[0] == "all" || rest[0] == "run") {
			return Span{Kind: AllSteps}, nil
		}
		digits, percent := strings.CutSuffix(rest[0], "%")
		kind := map[string]SpanKind{"over": MeanOfSteps, "for": StepsInARow, "in": NumberOf}[words[0]]
		if percent && kind == NumberOf {
			if x, err := strconv.ParseFloat(digits, 64); err == nil && x > 0 && x <= 100 {
				return Span{ShareOfSteps, x}, nil
			}
		} else if n, err := strconv.Atoi(rest[0]); err == nil && n > 0 && n <= maxSpan {
			return Span{kind, float64(n)}, nil
		}
	}
	return Span{}, fmt.Errorf("%q is not understood: after the number may stand %s, such as killed>5%% for 3 steps", strings.Join(words, " "), spanWords)
}

// maxSpan is the most steps that a span can have.
const maxSpan = 1_000_000
