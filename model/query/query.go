package query

import (
	"vantage/model/analysis"
)

// Query is a parsed query. The zero value matches everything.
type Query struct{ root node }

// node is a node of the syntax tree. Unless it is perSample, it matches all or none of the
// samples of a group.
type node interface {
	matches(a *analysis.Analysis, g, i int) bool
	perSample() bool
}

// MatchesSample reports whether sample i of group g matches; i is an index of the columns
// of a.
func (q Query) MatchesSample(a *analysis.Analysis, g, i int) bool {
	return q.root == nil || q.root.matches(a, g, i)
}

// MatchesGroup reports whether a sample of group g matches.
func (q Query) MatchesGroup(a *analysis.Analysis, g int) bool {
	if q.root == nil {
		return true
	}
	from, to := a.Table[g].Start, a.Table[g].End
	if !q.root.perSample() {
		to = from + 1
	}
	for i := from; i < to; i++ {
		if q.root.matches(a, g, i) {
			return true
		}
	}
	return false
}

type allOf []node

func (n allOf) matches(a *analysis.Analysis, g, i int) bool {
	for _, part := range n {
		if !part.matches(a, g, i) {
			return false
		}
	}
	return true
}

func (n allOf) perSample() bool { return anyPerSample(n) }

type anyOf []node

func (n anyOf) matches(a *analysis.Analysis, g, i int) bool {
	for _, part := range n {
		if part.matches(a, g, i) {
			return true
		}
	}
	return false
}

func (n anyOf) perSample() bool { return anyPerSample(n) }

func anyPerSample(parts []node) bool {
	for _, part := range parts {
		if part.perSample() {
			return true
		}
	}
	return false
}

type not struct{ node }

func (n not) matches(a *analysis.Analysis, g, i int) bool { return !n.node.matches(a, g, i) }
