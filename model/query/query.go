// Package query chooses groups and samples by a few words:
//
//	fate:killed std>0.4 reward<0.2 prompt~"triangle"
//	(fate:right or fate:wrong) size>=8 not flips>0
//	sample.length>1000 sample.adv<-1
//
// Terms side by side must all hold; or, not and parentheses join them. A term is a
// field, one of : = != < <= > >= ~ and a value; ~ looks for a text in another, in
// any case of letters. A word by itself is looked for in the prompt. Fields that
// begin with "sample." ask each sample; a group has what one of its samples has.
package query

import (
	"vantage/model"
)

// Query is a parsed choice. The zero value chooses everything.
type Query struct{ root node }

// node is a part of a query. Its answer may differ from sample to sample only if
// it has asked a field of samples.
type node interface {
	matches(a *model.Analysis, g, i int) bool
	perSample() bool
}

// Empty reports whether the query chooses everything.
func (q Query) Empty() bool { return q.root == nil }

// MatchesSample reports whether sample i of group g, an index of the columns of a, is chosen.
func (q Query) MatchesSample(a *model.Analysis, g, i int) bool {
	return q.root == nil || q.root.matches(a, g, i)
}

// MatchesGroup reports whether a sample of group g is chosen.
func (q Query) MatchesGroup(a *model.Analysis, g int) bool {
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

func (n allOf) matches(a *model.Analysis, g, i int) bool {
	for _, part := range n {
		if !part.matches(a, g, i) {
			return false
		}
	}
	return true
}

func (n allOf) perSample() bool { return anyPerSample(n) }

type anyOf []node

func (n anyOf) matches(a *model.Analysis, g, i int) bool {
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

func (n not) matches(a *model.Analysis, g, i int) bool { return !n.node.matches(a, g, i) }
