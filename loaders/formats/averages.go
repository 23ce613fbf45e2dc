package formats

import (
	"bytes"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// Rows decides whether the rows of a log are samples, or averages of a step each. It looks at what they hold, whatever container they come
// in: a sample has texts, lists, an id of its prompt, or shares its step with others; averages have a step of their own, and words as mean,
// std or ratio in their names. What could be either is [Unsure].
type Rows struct {
	n         int
	isSample  bool // a row has what no average of a step has
	hasReward bool // under a usual name of the reward of a sample
	hasLoop   bool // figures of a loop that trains, as its learning rate: no sample has one
	hasLoss   bool // which a sample may have too
	hasWords  bool // a name says that its values are averages
	hasParts  bool // a column has values that are not whole
	runs      map[string]bool
	isLong    bool // rows have the name of a metric and its value: see ofMetric
	labels    map[string]string
	differ    bool // short texts differ from row to row
	counters  map[string]*counter
}

// counter is a column that may count steps.
type counter struct {
	rank   int
	values map[int64]bool
	seen   map[countedRow]bool
	rows   int
	again  int // rows at whose step another with the same keys was
}

type countedRow struct {
	keys uint64
	step int64
}

// Verdict is what rows are.
type Verdict int

// The verdicts.
const (
	Unsure Verdict = iota
	Samples
	Averages
)

// How many rows settle it. Few are enough where names tell, more where only the step does, which never comes twice.
const (
	MaxRows        = 64 // that are looked at
	namedRows      = 3
	unnamedRows    = 8
	maxLabel       = 64 // bytes; longer texts are of samples
	maxCountedRows = 4 * MaxRows
)

// stepNames are where a row of averages has its step, the surer first: W&B counts its own _step, whatever the trainer counts, and an epoch
// may have many rows.
var stepNames = []string{
	"train/global_step", "trainer/global_step", "training/global_step", "step", "global_step", "global_step/max_steps", "current_steps",
	"rollout/step",
	"train/step", "eval/step", "training_step", "train_step", "trainer_step", "iteration", "iter", "update", "batch", "_step", "epoch",
}

// StepRank returns how sure it is that a column of that name counts steps, 1 for the surest, 0 if it does not.
func StepRank(name string) int { return slices.Index(stepNames, strings.ToLower(name)) + 1 }

// IsEpoch reports whether a step of that rank is an epoch.
func IsEpoch(rank int) bool { return rank == len(stepNames) }

// StepOf reads a step: 7, or "7/438".
func StepOf(v jsonscan.Value) (int64, bool) {
	if step, ok := v.ToInt(); ok {
		return step, true
	}
	done, _, _ := strings.Cut(string(v.Text()), "/")
	step, err := strconv.ParseInt(done, 10, 64)
	return step, err == nil
}

var (
	loopNames = []string{"lr", "learning_rate", "grad_norm", "current_steps", "total_steps", "frac_reward_zero_std"}
	// averageWords are words of names of averages. Samples may have some of them, but not one row a step.
	averageWords = []string{
		"mean", "avg", "average", "median", "std", "var", "min", "max", "frac", "fraction", "ratio", "rate", "pct", "percent", "share", "loss",
		"entropy",
		"kl", "clipfrac", "norm",
	}
	timeNames = []string{
		"recorded_at", "created_at", "timestamp", "time", "date", "datetime", "elapsed_time", "remaining_time", "wall time",
		"wall_time", "eta",
	}
)

// Add looks at one more row, a JSON object.
func (r *Rows) Add(record []byte) {
	if r.n >= maxCountedRows {
		return
	}
	r.n++
	if r.counters == nil {
		r.counters, r.labels, r.runs = map[string]*counter{}, map[string]string{}, map[string]bool{}
	}
	fields := decode.UsualNames()
	if row, isLong := ofMetric(record); isLong {
		record, r.isLong = row, true
	}
	var keys uint64
	steps := map[string]int64{}
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if v.Kind == jsonscan.Null {
			return
		}
		keys ^= jsonscan.Hash64(key.Raw)
		name := string(key.Text())
		if IsRunName(name) && v.Kind == jsonscan.String && len(v.Raw) <= maxLabel {
			keys ^= jsonscan.Hash64(v.Raw) // runs have steps of their own
			r.runs[string(v.Raw)] = true
			return
		}
		if StepRank(name) == 0 {
			r.addField(name, roleOf(fields, key.Raw), v)
		} else if step, ok := StepOf(v); ok {
			steps[name] = step
		}
	})
	EachMetric(record, func(name string, v jsonscan.Value) {
		r.addName(strings.ToLower(name))
		r.addMetric(roleOf(fields, []byte(name[strings.LastIndexByte(name, '/')+1:])), v)
	})
	r.isSample = r.isSample || err != nil || keys == 0 && len(steps) == 0
	for name, step := range steps {
		r.count(name, countedRow{keys, step})
	}
}

// roleOf returns the role of a field name, RoleCount if it has none.
func roleOf(fields *decode.Fields, name []byte) decode.Role {
	if found, ok := fields.Lookup(name); ok {
		return found.Role
	}
	return decode.RoleCount
}

// addField looks at a field of a row that is not its step.
func (r *Rows) addField(name string, role decode.Role, v jsonscan.Value) {
	isNumber := v.Kind == jsonscan.Number || v.Kind == jsonscan.ComputedNumber
	switch {
	case v.Kind == jsonscan.Array, role == decode.RoleAdvantage, role == decode.RoleRollout:
		r.isSample = true
	case role == decode.RoleGroup && role.Accepts(v):
		r.isSample = r.isSample || !r.isRowNumber(v)
	case v.Kind == jsonscan.String:
		r.addText(name, role, v)
	case role == decode.RoleReward && (isNumber || v.Kind == jsonscan.Bool):
		r.hasReward = true
	}
	if x, ok := v.ToFloat(); ok && isNumber && x != math.Trunc(x) {
		r.hasParts = true
	}
}

// addMetric looks at what a metric of a row holds: only samples have texts of a prompt or a response, and only groups of them objects.
func (r *Rows) addMetric(role decode.Role, v jsonscan.Value) {
	isText := v.Kind == jsonscan.String || v.Kind == jsonscan.Array
	isTextOfSample := isText && (role == decode.RolePrompt || role == decode.RoleResponse)
	isListOfObjects := v.Kind == jsonscan.Array && bytes.HasPrefix(bytes.TrimLeft(v.Raw, "[ \t\r\n"), []byte("{")) // as groups of samples
	r.isSample = r.isSample || isListOfObjects || isTextOfSample
}

// count counts a row in a column of steps.
func (r *Rows) count(name string, row countedRow) {
	c := r.counters[name]
	if c == nil {
		c = &counter{rank: StepRank(name), values: map[int64]bool{}, seen: map[countedRow]bool{}}
		r.counters[name] = c
	}
	c.rows++
	if c.seen[row] {
		c.again++
	}
	c.values[row.step], c.seen[row] = true, true
}

// isRowNumber reports whether a value is the number of its row, from 0 or 1, as pandas writes an index.
func (r *Rows) isRowNumber(v jsonscan.Value) bool {
	n, ok := v.ToInt()
	return ok && (n == int64(r.n) || n == int64(r.n)-1)
}

// addText looks at a text. Times, numbers in quotes and a name of the run are no texts of samples.
func (r *Rows) addText(name string, role decode.Role, v jsonscan.Value) {
	if _, isNumber := v.ToFloat(); isNumber || len(v.Raw) == 0 || slices.Contains(timeNames, strings.ToLower(name)) {
		return
	}
	if role == decode.RolePrompt || role == decode.RoleResponse || role == decode.RoleTruth || len(v.Raw) > maxLabel {
		r.isSample = true
		return
	}
	before, known := r.labels[name]
	r.differ = r.differ || known && before != string(v.Raw)
	r.labels[name] = string(v.Raw)
}

func (r *Rows) addName(name string) {
	last := name[strings.LastIndexByte(name, '/')+1:]
	r.hasLoop = r.hasLoop || slices.Contains(loopNames, last)
	r.hasLoss = r.hasLoss || last == "loss"
	if r.hasWords {
		return
	}
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool { return strings.ContainsRune("/_-.: @", c) }) {
		r.hasWords = r.hasWords || slices.Contains(averageWords, word)
	}
}

// step returns the surest column that counts steps: one that moves, if there are several rows; nil if there is none.
func (r *Rows) step() (best *counter) {
	for _, c := range r.counters {
		moves := len(c.values) > 1 || r.n == 1
		if 2*c.rows >= r.n && moves && (best == nil || c.rank < best.rank) {
			best = c
		}
	}
	return best
}

// Verdict says what the rows so far are.
func (r *Rows) Verdict() Verdict {
	step := r.step()
	ofTraining := r.hasLoop || r.hasLoss
	hasText := len(r.labels) > 0 && (r.differ || !ofTraining && !r.hasWords) // one label in all rows names the run
	switch {
	case r.n == 0:
		return Unsure
	case r.isSample, hasText:
		return Samples
	case r.mayShareSteps(step):
		return Unsure
	case r.isLong || !r.hasReward, r.hasLoop:
		return Averages
	case r.comesAgain(step):
		return Samples
	case r.n == 1:
		return Unsure
	case step == nil && !r.hasLoss:
		return Samples
	case r.hasLoss || r.saysAverages():
		return Averages
	}
	return Unsure
}

// saysAverages reports whether names or values of rows say that they are averages.
func (r *Rows) saysAverages() bool {
	return r.hasWords && r.n >= namedRows || r.hasParts && r.n >= unnamedRows
}

// mayShareSteps reports whether the rows so far may be of one step, though each is an average: those of a metric each, or of several runs.
func (r *Rows) mayShareSteps(step *counter) bool {
	if r.isLong && (step == nil || len(step.values) < namedRows) {
		return true
	}
	return len(r.runs) > 1 && r.n < namedRows*len(r.runs)
}

// comesAgain reports whether many rows share their step with others.
func (r *Rows) comesAgain(step *counter) bool {
	const often = 5 // a run that was started again repeats some steps
	standsStill := step == nil && len(r.counters) > 0 && r.n > 1
	return standsStill || step != nil && often*step.again > step.rows
}

// AreAverages says for good, of all rows there are, whether they are averages.
func (r *Rows) AreAverages() bool {
	v := r.Verdict()
	return v == Averages || v == Unsure && (r.n == 1 && r.hasLoss || r.isLong)
}

// HaveReward reports whether a row has the reward of a sample, under a usual name.
func (r *Rows) HaveReward() bool { return r.hasReward }

// HaveOrder reports whether the rows have a step, or are several, whose order can be counted.
func (r *Rows) HaveOrder() bool { return r.step() != nil || r.n > 1 }

// HaveStep reports whether the rows have a step, or say by their names that they are averages: other tables may be of anything.
func (r *Rows) HaveStep() bool { return r.step() != nil || r.hasLoop || r.hasLoss || r.hasWords }

// IsRunName reports whether a column of that name says of which run a row is.
func IsRunName(name string) bool {
	switch strings.ToLower(name) {
	case "run", "run_id", "run_name", "runname", "run.hash", "run_hash", "run_uuid", "experiment", "experiment_name", "exp", "exp_name",
		"trial", "trial_id":
		return true
	}
	return false
}

// RunOf returns the run that a row names, "" if it names none.
func RunOf(record []byte) (run string) {
	_ = jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if run == "" && IsRunName(string(key.Text())) && v.Kind == jsonscan.String && len(v.Raw) <= maxLabel {
			run = string(v.Text())
		}
	})
	return run
}

// maxLongFields is how many fields a row with the name of a metric may have.
const maxLongFields = 12

// ofMetric returns a row that has the name of a metric and its value, as {"step": 1, "metric": "reward", "value": 0.5}, as other rows are:
// {"step": 1, "reward": 0.5}.
func ofMetric(record []byte) (row []byte, ok bool) {
	var name, value jsonscan.Value
	row = []byte{'{'}
	fields, hasStep := 0, false
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		fields++
		switch of := string(key.Text()); strings.ToLower(of) {
		case "name", "metric", "tag", "key", "metric_name", "metricname", "metric.name", "variable":
			name = v
		case "value", "val", "metric_value", "metricvalue", "scalar":
			value = v
		default:
			isStep := StepRank(of) > 0
			if hasStep = hasStep || isStep; isStep || IsRunName(of) {
				row = append(v.AppendJSON(append(jsonscan.AppendText(row, of), ':')), ',')
			}
		}
	})
	x, isNumber := value.ToFloat()
	isName := name.Kind == jsonscan.String && len(name.Raw) > 0 && len(name.Raw) <= maxLabel
	if err != nil || !isName || !isNumber || value.Kind == jsonscan.Array || value.Kind == jsonscan.Absent || !hasStep ||
		fields > maxLongFields {
		return record, false
	}
	row = append(jsonscan.AppendText(row, name.Text()), ':')
	return append(jsonscan.AppendNumber(row, x), '}'), true
}

// Widened returns a row as it is read: that of a metric by its name and value, others as they are.
func Widened(record []byte) []byte {
	row, _ := ofMetric(record)
	return row
}

// rowsOf looks at one record.
func rowsOf(record []byte) (r Rows) {
	r.Add(record)
	return r
}

// IsMetrics reports whether a record alone holds metrics of a step, and is not a sample. A plain {"step": 1, "reward": 0.5} may be a
// sample.
func IsMetrics(record []byte) bool {
	r := rowsOf(record)
	return r.AreAverages()
}

// MayBeAverages reports whether what is read in the format may be averages of steps: any program may write such a file, and no person
// named its columns.
func (f *Format) MayBeAverages() bool { return f.Origin == FromAnyone && f.columns.IsZero() }

// IsAveragesDocument reports whether a JSON document holds averages of steps.
func IsAveragesDocument(document []byte) bool {
	var r Rows
	for row := range DocumentRows(document) {
		if r.Add(row); r.Verdict() != Unsure || r.n >= MaxRows {
			break
		}
	}
	return r.AreAverages()
}

// TableRow returns a row of a CSV table as a JSON object: cells that are empty are left out, numbers are numbers. It is nil if the row has
// another number of cells than the header: which are missing nothing tells.
func TableRow(header [][]byte, row []byte, separator byte) []byte {
	cells := framing.SplitCSV(nil, bytes.TrimSuffix(row, []byte{'\r'}), separator)
	if len(cells) != len(header) {
		return nil
	}
	object := []byte{'{'}
	for i, cell := range cells {
		if cell = bytes.TrimSpace(cell); len(cell) == 0 {
			continue
		}
		object = append(jsonscan.AppendText(object, bytes.TrimSpace(header[i])), ':')
		if separator == ';' && decode.IsDecimalComma(cell) {
			cell = bytes.Replace(cell, []byte{','}, []byte{'.'}, 1)
		}
		x, err := strconv.ParseFloat(string(cell), 64)
		switch {
		case err != nil && !math.IsInf(x, 0):
			object = jsonscan.AppendText(object, cell)
		case math.IsNaN(x) || math.IsInf(x, 0) || !isJSONNumber(cell):
			object = jsonscan.AppendNumber(object, x)
		default:
			object = append(object, cell...)
		}
		object = append(object, ',')
	}
	return jsonscan.AppendEnd(object, '}')
}

// isJSONNumber reports whether a number is written as JSON writes it, so that its digits can be kept.
func isJSONNumber(cell []byte) bool {
	s := jsonscan.Scanner{Data: cell}
	v, err := s.Value()
	return err == nil && v.Kind == jsonscan.Number && s.Pos == len(cell)
}

// TableHeader returns the names of the columns of a CSV table, and what separates them.
func TableHeader(line []byte) (names [][]byte, separator byte) {
	line = bytes.TrimSuffix(jsonscan.TrimByteOrderMark(line), []byte{'\r'})
	separator = framing.CSVSeparator(line)
	return framing.SplitCSV(nil, line, separator), separator
}

// DocumentRows visits the rows of a JSON document: the objects of a list, of the one list of objects in an object, or of an object of
// lists of numbers, a row for each of their elements. Of a document that is cut, the rows before the end are visited.
func DocumentRows(document []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		text := bytes.TrimSpace(jsonscan.TrimByteOrderMark(document))
		switch {
		case bytes.HasPrefix(text, []byte{'['}):
			listRows(text, yield)
		case bytes.HasPrefix(text, []byte{'{'}):
			objectRows(text, yield, true)
		}
	}
}

// listRows visits the objects of a list, as far as it goes.
func listRows(list []byte, yield func([]byte) bool) {
	s := jsonscan.Scanner{Data: list, Pos: 1}
	for s.SkipSpace(); s.Peek() == '{'; s.SkipSpace() {
		from := s.Pos
		if _, err := s.Value(); err != nil || !yield(list[from:s.Pos]) {
			return
		}
		if s.SkipSpace(); s.Peek() == ',' {
			s.Pos++
		}
	}
}

// objectRows visits the rows of an object, or of the one object in it that has any.
func objectRows(object []byte, yield func([]byte) bool, deeper bool) {
	var p objectParts
	s := jsonscan.Scanner{Data: object}
	cut := eachWholeField(&s, p.add)
	if cut != nil && bytes.HasPrefix(cut, []byte{'['}) { // the list goes on beyond what is there
		p.list = cut
		p.lists++
	}
	switch {
	case p.lists == 1:
		listRows(p.list, yield)
	case p.lists == 0 && p.isTable():
		p.tableRows(yield)
	case p.lists == 0 && len(p.pairs) > 0:
		p.pairRows(yield)
	case p.lists == 0 && len(p.steps) > 1 && len(p.steps) == p.objects:
		p.stepRows(yield)
	case p.lists == 0 && p.objects > 0 && deeper:
		if p.objects == 1 || len(p.columns) == 0 {
			objectRows(p.below, yield, false)
		}
	}
}

// objectParts are the fields of an object that may have its rows.
type objectParts struct {
	names   []string // of the columns
	columns [][]jsonscan.Value
	list    []byte // the last list of objects
	lists   int
	below   []byte // the last object
	objects int

	pairs []jsonscan.Value // lists of pairs of a step and a value, by the names before the columns
	of    []string         // the names of these
	steps []stepObject     // objects whose names are steps
}

// stepObject is an object under the number of its step.
type stepObject struct {
	step   string
	object []byte
}

// add looks at one more field.
func (p *objectParts) add(name string, v jsonscan.Value) {
	switch isList := v.Kind == jsonscan.Array; {
	case isList && bytes.HasPrefix(bytes.TrimSpace(v.Raw[1:]), []byte{'{'}):
		p.list = v.Raw
		p.lists++
	case isList && v.Len() > 1 && len(p.columns) < MaxKeys*MaxRows && beginsWithNumbers(v):
		p.names, p.columns = append(p.names, name), append(p.columns, v.Elements())
	case isList && decode.ArePairs(v) && len(p.pairs) < MaxKeys*MaxRows:
		p.of, p.pairs = append(p.of, name), append(p.pairs, v)
	case v.Kind == jsonscan.Object && len(v.Raw) > len("{}"):
		p.below = v.Raw
		p.objects++
		if decode.IsDigits(strings.TrimPrefix(name, "step_")) {
			p.steps = append(p.steps, stepObject{strings.TrimPrefix(name, "step_"), v.Raw})
		}
	}
}

// pairRows visits a row for each pair of a step and a value.
func (p *objectParts) pairRows(yield func([]byte) bool) {
	for i, list := range p.pairs {
		for _, pair := range list.Elements() {
			both := pair.Elements()
			row := both[0].AppendJSON([]byte(`{"step":`))
			row = both[1].AppendJSON(append(jsonscan.AppendText(append(row, ','), p.of[i]), ':'))
			if !yield(append(row, '}')) {
				return
			}
		}
	}
}

// stepRows visits the objects whose names are steps, with these.
func (p *objectParts) stepRows(yield func([]byte) bool) {
	for _, s := range p.steps {
		number := strings.TrimLeft(s.step[:len(s.step)-1], "0") + s.step[len(s.step)-1:]
		row := append(append([]byte(`{"step":`), number...), ',')
		if !yield(append(row, bytes.TrimLeft(s.object, "{")...)) {
			return
		}
	}
}

// beginsWithNumbers reports whether the first elements of a list, as many as are looked at, are numbers or null.
func beginsWithNumbers(v jsonscan.Value) bool {
	for _, e := range v.Elements()[:min(v.Len(), MaxRows)] {
		if e.Kind != jsonscan.Number && e.Kind != jsonscan.Null {
			return false
		}
	}
	return true
}

// isTable reports whether there are several columns, all of one length.
func (p *objectParts) isTable() bool {
	isOfOtherLength := func(c []jsonscan.Value) bool { return len(c) != len(p.columns[0]) }
	return len(p.columns) > 1 && !slices.ContainsFunc(p.columns, isOfOtherLength)
}

// tableRows visits the rows of a table.
func (p *objectParts) tableRows(yield func([]byte) bool) {
	for i := range p.columns[0] {
		row := []byte{'{'}
		for k, name := range p.names {
			row = append(append(append(jsonscan.AppendText(row, name), ':'), p.columns[k][i].Raw...), ',')
		}
		if !yield(jsonscan.AppendEnd(row, '}')) {
			return
		}
	}
}

// eachWholeField visits the fields of an object; of one that is cut, those before, and returns what there is of the value that is cut.
func eachWholeField(s *jsonscan.Scanner, visit func(name string, v jsonscan.Value)) (cut []byte) {
	for s.Pos = 1; ; s.Pos++ {
		s.SkipSpace()
		if s.Peek() != '"' {
			return nil
		}
		key, err := s.Value()
		if s.SkipSpace(); err != nil || s.Peek() != ':' {
			return nil
		}
		s.Pos++
		s.SkipSpace()
		from := s.Pos
		v, err := s.Value()
		if err != nil {
			return s.Data[from:]
		}
		visit(string(key.Text()), v)
		if s.SkipSpace(); s.Peek() != ',' {
			return nil
		}
	}
}
