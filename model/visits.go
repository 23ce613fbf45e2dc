package model

import (
	"fmt"

	"vantage/model/units"
)

// visits are the runs of consecutive rows of one key, a group id or a prompt. In a log without steps a task that comes again later is
// another visit, and mostly another group.
type visits struct {
	runs, keys int
	size       int  // rows of every run; the last may have fewer. 0 if runs differ
	isCycle    bool // keys come in turn, one row each, and begin again in the same order, as an index within a batch does
}

// visitsOf counts the runs of keys in an order of rows, nil for input order. Keys are numbered when they first come.
func visitsOf(keys []uint32, order []int32) visits {
	at := func(i int) uint32 {
		if order == nil {
			return keys[i]
		}
		return keys[order[i]]
	}
	v, length, isFull := visits{isCycle: true}, 0, true
	seen := newDenseIndex(keys)
	var t turn
	for i := range keys {
		key := at(i)
		v.keys = max(v.keys, int(seen.indexOf(key))+1)
		isNext := t.takes(uint32(i), key)
		v.isCycle = v.isCycle && isNext
		length++
		if i+1 < len(keys) && at(i+1) == key {
			continue
		}
		if v.runs++; v.runs == 1 {
			v.size = length
		}
		isLast := i+1 == len(keys)
		isFull = isFull && (length == v.size || isLast && length < v.size)
		length = 0
	}
	v.isCycle = v.isCycle && t.length > 0
	if !isFull {
		v.size = 0
	}
	return v
}

// turn is the order in which keys come that begin again when each has come once.
type turn struct {
	first  uint32 // the first key
	length uint32 // how many keys there are in a turn, 0 until it has ended
}

// takes takes the key of row i, and reports whether it is the one whose turn it is.
func (t *turn) takes(i, key uint32) bool {
	switch {
	case i == 0:
		t.first = key
	case t.length == 0 && key == t.first:
		t.length = i
	}
	if t.length == 0 {
		return key == t.first+i
	}
	return t.length > 1 && key == t.first+i%t.length
}

// add adds those of another step.
func (v *visits) add(o visits) {
	switch {
	case o.runs == 0:
		return
	case v.runs == 0:
		*v = o
		return
	case v.size != o.size:
		v.size = 0
	}
	v.runs, v.keys, v.isCycle = v.runs+o.runs, v.keys+o.keys, v.isCycle && o.isCycle
}

// comeAgain reports whether keys come again after rows of others.
func (v *visits) comeAgain() bool { return v.runs > v.keys }

// areGroups reports whether each run may be taken for a group.
func (v *visits) areGroups() bool { return v.comeAgain() && v.size > 1 }

// visitsOf are those of the keys of a rule, none where the log has steps, or where the order of its rows tells nothing.
func (s Snapshot) visitsOf(by GroupBy) visits {
	switch {
	case !s.Run.Stepless || !s.Run.Positional:
	case by == GroupByID:
		return s.groupEvidence.idVisits
	case by == GroupByPrompt:
		return s.groupEvidence.promptVisits
	}
	return visits{}
}

// assumedSize is how many consecutive rows of an id or a prompt are assumed to be a group, 0 if all of them are one.
func (s Snapshot) assumedSize(by GroupBy) int {
	if v := s.visitsOf(by); v.areGroups() {
		return v.size
	}
	return 0
}

// withVisits adds to the doubt that ids or prompts come again in a log without steps, and what was made of it.
func (s Snapshot) withVisits(g Grouping) Grouping {
	v := s.visitsOf(g.By)
	if !v.comeAgain() || g.Proved || g.Divides() && !g.Assumed {
		return g
	}
	noun := map[GroupBy]string{GroupByID: "ids", GroupByPrompt: "prompts"}[g.By]
	often := fmt.Sprintf("the log has no step, and %s come again after others, %s in %d runs", noun, units.Plural(v.keys, noun), v.runs)
	if g.Assumed {
		g.Visits = fmt.Sprintf("are consecutive rows of one %s, assumed: %s of %d rows", noun[:len(noun)-1], often, v.size)
	} else {
		g.Visits = "may merge several visits: " + often + " of rows"
	}
	if g.Doubt != "" {
		g.Doubt += "; "
	}
	g.Doubt += "groups " + g.Visits
	return g
}
