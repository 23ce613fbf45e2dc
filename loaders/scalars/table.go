package scalars

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/model/scalars"
)

// table collects the rows of a log, and says which column is their step once it has seen how each moves: a train/global_step that stays 0
// does not beat a _step that counts. Where no column moves, rows are counted.
type table struct {
	log   *scalars.Log
	notes []string

	held    []row // until the step is known
	points  int   // of these
	steps   []string
	decided bool

	runs  map[string]bool   // that are read, where rows name several; nil: all
	names map[string]string // one string for each name
	turn  map[string]bool   // names of the rows that are counted as one
	turns int64
}

// maxHeld is how many points are looked at before the step is decided: those of 1,000 steps of 500 figures.
const maxHeld = 500_000

// barStep is the name of a step that a progress bar tells.
const barStep = "progress bar"

// row is what was logged at once.
type row struct {
	steps  []stepAt
	points []point
	run    string // that it names
}

type stepAt struct {
	name string
	step int64
}

type point struct {
	name  string
	value float64
}

const maxRow = 4096

// add takes a figure. What is no number is left out, as null is; NaN and infinity count.
func (r *row) add(name string, v jsonscan.Value) {
	if rank := formats.StepRank(name); rank > 0 {
		if step, ok := formats.StepOf(v); ok {
			r.steps = append(r.steps, stepAt{name, step})
		}
		if !formats.IsEpoch(rank) {
			return
		}
	}
	x, ok := 0.0, false
	switch v.Kind {
	case jsonscan.Number, jsonscan.ComputedNumber:
		x, ok = v.ToFloat()
	case jsonscan.String: // a number in quotes, and no truth value
		var err error
		x, err = strconv.ParseFloat(string(v.Raw), 64)
		ok = err == nil || math.IsInf(x, 0)
	default:
	}
	if ok && len(r.points) < maxRow {
		r.points = append(r.points, point{name, x})
	}
}

// addObject takes the figures of a JSON object, nested ones as in {"reward": {"mean": 1}} by their path. verl nests all of them in data.
func (r *row) addObject(record []byte) {
	formats.EachMetric(record, func(name string, v jsonscan.Value) { r.add(strings.TrimPrefix(name, "data/"), v) })
}

// addRecord adds a row that is a JSON object.
func (t *table) addRecord(record []byte) {
	r := row{run: formats.RunOf(record)}
	r.addObject(formats.Widened(record))
	t.add(r)
}

func (t *table) add(r row) {
	if len(r.points) == 0 {
		return
	}
	if t.decided {
		t.write(r)
		return
	}
	for i := range r.points {
		r.points[i].name = t.name(r.points[i].name)
	}
	t.held = append(t.held, r)
	if t.points += len(r.points); t.points > maxHeld {
		t.decide()
	}
}

func (t *table) name(name string) string {
	if t.names == nil {
		t.names = map[string]string{}
	}
	known, ok := t.names[name]
	if !ok && len(t.names) < maxHeld/10 {
		t.names[name], known = name, name
	}
	return cmp.Or(known, name)
}

// decide chooses the columns that are steps and writes the rows held. A row that has none of the surest is at the step of the next sure
// one.
func (t *table) decide() {
	if t.decided {
		return
	}
	t.decided = true
	t.chooseSteps()
	switch {
	case len(t.held) == 0:
	case len(t.steps) == 0:
		t.notes = append(t.notes, "no step: rows are counted")
	case strings.HasPrefix(t.steps[0], barStep):
		t.steps = t.steps[:1]
		t.notes = append(t.notes, "no step in the rows: it is that of the progress bar")
	}
	t.chooseRun()
	for _, r := range t.held {
		t.write(r)
	}
	t.held = nil
}

// chooseRun chooses the first run, where rows name several of which each has steps of its own: one that goes on after another is the same,
// under another name.
func (t *table) chooseRun() {
	var names []string
	last := map[string]int64{}
	same := map[string]bool{}
	for i := range t.held {
		r := &t.held[i]
		step, _ := t.stepOf(r)
		if _, known := last[r.run]; r.run != "" && !known {
			names = append(names, r.run)
			goesOn := len(names) > 1 && step > last[names[len(names)-2]]
			same[r.run] = len(names) == 1 || goesOn && same[names[len(names)-2]]
		}
		last[r.run] = max(last[r.run], step)
	}
	const rowsEach = 3
	isOfRuns := len(names) > 1 && len(t.steps) > 0 && rowsEach*len(names) <= len(t.held)
	if !isOfRuns || !slices.ContainsFunc(names, func(name string) bool { return !same[name] }) {
		return
	}
	t.runs = same
	t.notes = append(t.notes, fmt.Sprintf("the log has %d runs: read is the first, %s; give a file with one for another", len(names),
		names[0]))
}

// stepOf is the step of a row by the surest column that it has.
func (t *table) stepOf(r *row) (step int64, ok bool) {
	for _, name := range t.steps {
		if at := slices.IndexFunc(r.steps, func(s stepAt) bool { return s.name == name }); at >= 0 {
			return r.steps[at].step, true
		}
	}
	return 0, false
}

// chooseSteps finds the columns of the rows held that are steps, the surest first.
func (t *table) chooseSteps() {
	values := map[string]map[int64]bool{}
	for _, r := range t.held {
		for _, s := range r.steps {
			if values[s.name] == nil {
				values[s.name] = map[int64]bool{}
			}
			values[s.name][s.step] = true
		}
		t.countTurn(r)
	}
	most := 0
	for _, distinct := range values {
		most = max(most, len(distinct))
	}
	turns := int(t.turns)
	t.turns, t.turn = 0, nil
	bySurest := func(a, b string) int { return cmp.Or(cmp.Compare(surest(a), surest(b)), strings.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(values), bySurest) {
		distinct := len(values[name])
		const few, half = 20, 2
		isVague := formats.IsEpoch(formats.StepRank(name)) || strings.HasPrefix(name, barStep)
		rows := max(most, turns)
		standsStill := rows > 1 && (distinct == 1 || few*distinct <= rows) || isVague && half*distinct < turns
		if !standsStill && t.isStep(name) {
			t.steps = append(t.steps, name)
		}
	}
}

// isStep reports whether a column that moves is a step: one that a progress bar tells must move as steps do.
func (t *table) isStep(name string) bool {
	switch {
	case strings.HasPrefix(name, figuredStep):
		return t.rises(name)
	case strings.HasPrefix(name, barStep):
		return t.isEven(name)
	}
	return true
}

// surest ranks names of steps, the surest first, bars last.
func surest(name string) int {
	if rank := formats.StepRank(name); rank > 0 {
		return rank
	}
	return math.MaxInt
}

// isEven reports whether a progress bar rises by the same number before each row, but the first and the last: a bar that is drawn late
// shows an earlier step.
func (t *table) isEven(bar string) bool {
	var steps []int64
	for _, r := range t.held {
		at := slices.IndexFunc(r.steps, func(s stepAt) bool { return s.name == bar })
		if at >= 0 {
			steps = append(steps, r.steps[at].step)
		}
	}
	for i := 1; i < len(steps); i++ {
		inside := i > 1 && i < len(steps)-1
		if steps[i] <= steps[i-1] || inside && i > 2 && steps[i]-steps[i-1] != steps[i-1]-steps[i-2] {
			return false
		}
	}
	return 2*len(steps) > len(t.held)
}

// rises reports whether the step of a progress bar with figures rises from row to row, but where the program was started again: the bar of
// a loop within each step begins anew all the time.
func (t *table) rises(bar string) bool {
	last, again, n := int64(0), 0, 0
	for _, r := range t.held {
		for _, s := range r.steps {
			if s.name != bar {
				continue
			}
			if n++; s.step <= last && n > 1 {
				again++
			}
			last = s.step
		}
	}
	const often = 10
	return n > 1 && often*again < n
}

// countTurn counts rows. One without any name of those before it is of the same step, as an evaluation beside training.
func (t *table) countTurn(r row) {
	isNext := t.turn == nil || slices.ContainsFunc(r.points, func(p point) bool { return t.turn[p.name] && formats.StepRank(p.name) == 0 })
	if isNext {
		t.turn = map[string]bool{}
		t.turns++
	}
	for _, p := range r.points {
		t.turn[p.name] = true
	}
}

func (t *table) write(r row) {
	if t.runs != nil && r.run != "" && !t.runs[r.run] {
		return
	}
	step, ok := t.stepOf(&r)
	if len(t.steps) == 0 {
		t.countTurn(r)
		step, ok = t.turns, true
	}
	for _, p := range r.points {
		if ok {
			t.log.Add(step, p.name, p.value)
		}
	}
}
