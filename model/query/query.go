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
	holds(a *model.Analysis, g, i int) bool
	bySample() bool
}

// Empty reports whether the query chooses everything.
func (q Query) Empty() bool { return q.root == nil }

// Sample reports whether sample i of group g, an index of the columns of a, is chosen.
func (q Query) Sample(a *model.Analysis, g, i int) bool {
	return q.root == nil || q.root.holds(a, g, i)
}

// Group reports whether a sample of group g is chosen.
func (q Query) Group(a *model.Analysis, g int) bool {
	if q.root == nil {
		return true
	}
	from, to := a.Members(g).Start, a.Members(g).End
	if !q.root.bySample() {
		to = from + 1
	}
	for i := from; i < to; i++ {
		if q.root.holds(a, g, i) {
			return true
		}
	}
	return false
}

type all []node

func (n all) holds(a *model.Analysis, g, i int) bool {
	for _, part := range n {
		if !part.holds(a, g, i) {
			return false
		}
	}
	return true
}

func (n all) bySample() bool { return anyBySample(n) }

type either []node

func (n either) holds(a *model.Analysis, g, i int) bool {
	for _, part := range n {
		if part.holds(a, g, i) {
			return true
		}
	}
	return false
}

func (n either) bySample() bool { return anyBySample(n) }

func anyBySample(parts []node) bool {
	for _, part := range parts {
		if part.bySample() {
			return true
		}
	}
	return false
}

type negated struct{ node }

func (n negated) holds(a *model.Analysis, g, i int) bool { return !n.node.holds(a, g, i) }
