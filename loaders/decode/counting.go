package decode

import (
	"slices"

	"vantage/loaders/jsonscan"
)

// A field with the name of a step may count something else where another counts the steps: global_step the rows beside step, step the turns
// of an episode beside iteration. What a field counts is seen in the first rows of a log, if that has several.

// StepRows is how many rows decide which field counts the steps, and minStepRows how many of them a short log must have.
const (
	StepRows    = 32
	minStepRows = 8
	minPairs    = 4 // of neighbours with one prompt
	minFalls    = 2 // to the first turn
)

// MayMiscount reports whether a row has several fields of which each may count the steps.
func MayMiscount(f *Fields, record []byte) bool { return len(countedIn(f, record).by) > 1 }

// CountingSteps returns fields that take the step from the field that counts it in the first rows of a log: f if that is the preferred one.
func CountingSteps(f *Fields, records [][]byte) *Fields {
	rows := make([]counted, 0, len(records))
	for _, record := range records {
		if row := countedIn(f, record); len(row.by) > 0 {
			rows = append(rows, row)
		}
	}
	if len(rows) < minStepRows {
		return f
	}
	ranks := rows[0].ranks()
	preferred := ranks[0]
	var what string
	switch {
	case countsRows(rows, preferred):
		what = "rows"
	case countsTurns(rows, preferred):
		what = "turns"
	default:
		return f
	}
	for _, rank := range ranks[1:] {
		if countsSteps(rows, rank) {
			names := f.names[RoleStep]
			return f.preferringStep(names[rank], names[preferred]+" counts "+what)
		}
	}
	return f
}

// preferringStep returns fields that take the step from one before all others, and say why.
func (f *Fields) preferringStep(name, why string) *Fields {
	with := f.WithColumns(Columns{Step: name, Group: f.chosen[RoleGroup], Prompt: f.chosen[RolePrompt], Inputs: f.requested})
	with.chosen, with.whyStep = f.chosen, why
	return with
}

// counted is what a row has in the fields that may count steps, by the rank of their names. An epoch counts none.
type counted struct {
	by     map[int]int64
	prompt uint64 // a hash of its text, 0 if there is none
}

func countedIn(f *Fields, record []byte) counted {
	row := counted{by: map[int]int64{}}
	if f.chosen[RoleStep] != "" {
		return row
	}
	best := nullPenalty
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		p, ok := f.LookupFor(key.Raw, v)
		switch {
		case !ok, IsEpoch(p.Role, key.Raw):
		case p.Role == RolePrompt && p.Role.Accepts(v) && p.Rank < best:
			row.prompt, best = jsonscan.Hash64(v.Raw), p.Rank
		case p.Role == RoleStep:
			if step, isWhole := v.ToInt(); isWhole {
				row.by[p.Rank] = step
			}
		}
	})
	if err != nil {
		clear(row.by)
	}
	return row
}

// ranks are those of the fields, the preferred one first.
func (c counted) ranks() []int {
	ranks := make([]int, 0, len(c.by))
	for rank := range c.by {
		ranks = append(ranks, rank)
	}
	slices.Sort(ranks)
	return ranks
}

// countsRows reports whether a field differs in all neighbours of one prompt, whose answers are of one step.
func countsRows(rows []counted, rank int) bool {
	pairs := 0
	for i := 1; i < len(rows); i++ {
		if rows[i].prompt == 0 || rows[i].prompt != rows[i-1].prompt {
			continue
		}
		if pairs++; rows[i].by[rank] == rows[i-1].by[rank] {
			return false
		}
	}
	return pairs >= minPairs
}

// countsTurns reports whether a field begins anew again and again, and else goes on by one at most.
func countsTurns(rows []counted, rank int) bool {
	falls, first := 0, rows[0].by[rank]
	for i := 1; i < len(rows); i++ {
		switch step := rows[i].by[rank]; {
		case step < rows[i-1].by[rank] && step == first:
			falls++
		case step < rows[i-1].by[rank], step > rows[i-1].by[rank]+1:
			return false
		}
	}
	return falls >= minFalls && first <= 1
}

// countsSteps reports whether a field never falls and is mostly that of the row before. All rows have it, and neighbours of one prompt
// have one.
func countsSteps(rows []counted, rank int) bool {
	changes := 0
	for i := range rows {
		step, ok := rows[i].by[rank]
		if !ok || i > 0 && step < rows[i-1].by[rank] {
			return false
		}
		if i > 0 && step != rows[i-1].by[rank] {
			changes++
			if rows[i].prompt != 0 && rows[i].prompt == rows[i-1].prompt {
				return false
			}
		}
	}
	return 2*changes < len(rows)
}
