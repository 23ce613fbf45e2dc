package decode

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"vantage/loaders/jsonscan"
	"vantage/model"
)

// Layout finds the samples of a record. For each it calls r.BeginRow, passes the fields to r.Pick,
// which knows their names, or values to r.Set, and calls emit. It returns an error, a short sentence
// for a person, if the record cannot be read; what it has emitted is then dropped.
//
// A format without a Layout has one sample per record, a JSON object or a CSV row. Only JSON lines
// without a Layout are read by package decode/fast, several times as fast.
type Layout func(r *RowDecoder, record []byte, emit func()) error

// OneRow begins a row for a record that is one sample, passes its fields to pick and calls finish. It is what such a Layout
// is made of: pick calls r.Pick or r.Set, and finish emit.
func OneRow(r *RowDecoder, record []byte, pick func(key, v jsonscan.Value), finish func()) error {
	r.BeginRow()
	err := jsonscan.ScanObject(record, pick)
	if err == nil {
		finish()
	}
	return err
}

// oneObject is the layout of a format without one.
func oneObject(r *RowDecoder, record []byte, emit func()) error {
	return OneRow(r, record, r.visit, emit)
}

// EachInList begins a row for each object of the list under a key, picks its fields and those beside
// the list, which hold for all of them, and calls finish with the object. It is what a Layout of
// samples in a list is made of: finish calls r.Set, if need be, and emit.
func EachInList(r *RowDecoder, record []byte, key string, finish func(object jsonscan.Value)) error {
	var list jsonscan.Value
	type field struct{ key, value jsonscan.Value }
	var shared []field
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		if string(k.Raw) == key {
			list = v
		} else {
			shared = append(shared, field{k, v})
		}
	})
	if err != nil {
		return err
	}
	list.EachElement(func(e jsonscan.Value) {
		if e.Kind != jsonscan.Object {
			return
		}
		r.BeginRow()
		for _, f := range shared {
			r.Pick(f.key, f.value)
		}
		e.EachField(r.visit)
		finish(e)
	})
	return nil
}

// maxColumns bounds the columns of a record.
const maxColumns = 1024

// ColumnLists is the layout of an object of lists: the values of a sample have the same index in each.
// Values that are no list, and lists of another length, hold for all samples if they are single.
func ColumnLists(r *RowDecoder, record []byte, emit func()) error {
	type column struct {
		key    jsonscan.Value
		values []jsonscan.Value
	}
	var columns []column
	n := 0
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		if len(columns) == maxColumns {
			return
		}
		c := column{key: k, values: v.Elements()}
		if p, ok := r.Fields.Lookup(k.Raw); ok && (p.Role == RolePrompt || p.Role == RoleResponse || p.Role == RoleReward) {
			n = max(n, len(c.values))
		}
		if v.Kind != jsonscan.Array {
			c.values = []jsonscan.Value{v}
		}
		columns = append(columns, c)
	})
	if err != nil {
		return err
	}
	for i := range n {
		r.BeginRow()
		for _, c := range columns {
			switch len(c.values) {
			case n:
				r.Pick(c.key, c.values[i])
			case 1:
				r.Pick(c.key, c.values[0])
			}
		}
		emit()
	}
	return nil
}

// Document is the layout of a whole file: an object, a list of objects, an object with such a list
// under one of a few names or with rewards in it, an object of lists, or lines of objects after all.
func Document(r *RowDecoder, record []byte, emit func()) error {
	s := jsonscan.Scanner{Data: record}
	s.SkipSpace()
	if s.Peek() == '[' {
		return objectList(r, record[s.Pos:], emit)
	}
	if lists := stepLists(record); lists != nil {
		return eachOfSteps(r, lists, emit)
	}
	var key string
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		switch name := string(k.Raw); name {
		case "samples", "rollouts", "results", "rows", "data", "trajectories", "completions":
			if v.Kind == jsonscan.Array {
				key = name
			}
		}
	})
	if err != nil {
		return objectLines(r, record, emit, err)
	}
	list := findSamples(r.Fields, fieldsIn(record), 0)
	switch {
	case list.holds == groupsInside || list.holds == samplesInside && key != string(list.key.Raw):
		return (&nestedRecord{r: r, emit: emit}).read(fieldsIn(record), list, "")
	case key != "":
		return EachInList(r, record, key, func(jsonscan.Value) { emit() })
	case HasGroupLists(r.Fields, record):
		return documentLists(r, record, emit)
	default:
		return oneObject(r, record, emit)
	}
}

// stepList is a list of samples under the number of their step.
type stepList struct {
	step  jsonscan.Value
	value jsonscan.Value
}

// stepLists returns the lists of an object that has nothing but lists of objects, each under its step: {"1": […], "2": […]}. It is nil for
// others.
func stepLists(record []byte) (lists []stepList) {
	isOf := true
	err := jsonscan.ScanObject(record, func(k, v jsonscan.Value) {
		step, ok := stepIn(jsonscan.Value{Kind: jsonscan.String, Raw: k.Raw})
		isOf = isOf && ok && v.Kind == jsonscan.Array && bytes.HasPrefix(bytes.TrimLeft(v.Raw[1:], " \t\r\n"), []byte{'{'})
		lists = append(lists, stepList{step, v})
	})
	if err != nil || !isOf {
		return nil
	}
	return lists
}

func eachOfSteps(r *RowDecoder, lists []stepList, emit func()) error {
	for _, list := range lists {
		list.value.EachElement(func(e jsonscan.Value) {
			r.BeginRow()
			r.Pick(jsonscan.Value{Kind: jsonscan.String, Raw: []byte("step")}, list.step)
			e.EachField(r.visit)
			emit()
		})
	}
	return nil
}

// objectList is the layout of a list of objects, one a sample.
func objectList(r *RowDecoder, record []byte, emit func()) error {
	s := jsonscan.Scanner{Data: record}
	v, err := s.Value()
	if err != nil {
		return err
	}
	if s.SkipSpace(); s.Pos < len(s.Data) {
		return s.Expected("nothing more")
	}
	if list := contentOf(r.Fields, jsonscan.Value{}, v, 0); list.holds == groupsInside { // {"step": 1, "samples": […]}
		nothing := func(func(key, v jsonscan.Value)) error { return nil }
		return (&nestedRecord{r: r, emit: emit}).read(nothing, list, "")
	}
	bad := 0
	v.EachElement(func(e jsonscan.Value) {
		if e.Kind != jsonscan.Object || oneObject(r, e.Raw, emit) != nil {
			bad++
		}
	})
	if bad > 0 {
		return fmt.Errorf("%d elements of the list are not objects", bad)
	}
	return nil
}

// objectLines is the layout of lines of objects, one a sample. It returns notDocument if they are
// not: the error of reading the file as one document.
func objectLines(r *RowDecoder, record []byte, emit func(), notDocument error) error {
	if bytes.IndexByte(record, '\n') < 0 {
		return notDocument
	}
	for line := range bytes.Lines(record) {
		if line = bytes.TrimSuffix(line, []byte{'\n'}); len(line) > 0 && oneObject(r, line, emit) != nil {
			return notDocument
		}
	}
	return nil
}

// Conversation returns turns, each {role, content}, as the value of a prompt or a response: the text
// of a single turn, or the list of several. It is absent if there are none.
func Conversation(turns []jsonscan.Value) jsonscan.Value {
	if len(turns) == 0 {
		return jsonscan.Value{}
	}
	first := turns[0].Message()
	if len(turns) == 1 && first.Content.Kind == jsonscan.String && first.Reasoning.Kind != jsonscan.String {
		return first.Content
	}
	list := []byte{'['}
	for _, turn := range turns {
		list = append(append(list, turn.Raw...), ',')
	}
	return jsonscan.Value{Kind: jsonscan.Array, Raw: jsonscan.AppendEnd(list, ']')}
}

// FromAssistant returns the turns of a conversation from the assistant's first on.
func FromAssistant(conversation jsonscan.Value) []jsonscan.Value {
	turns := conversation.Elements()
	for i, turn := range turns {
		if role := turn.Message().Role; role.Kind == jsonscan.String && string(role.Raw) == "assistant" {
			return turns[i:]
		}
	}
	return nil
}

// Paragraphs joins strings with a blank line between them. It is absent if there are none.
func Paragraphs(texts []jsonscan.Value) jsonscan.Value {
	if len(texts) == 0 {
		return jsonscan.Value{}
	}
	raw := model.Mapped(texts, func(text jsonscan.Value) []byte { return text.Raw })
	return jsonscan.Value{Kind: jsonscan.String, Raw: bytes.Join(raw, []byte(`\n\n`))}
}

// splitConversation moves the answer at the end of a prompt to the response, if the prompt may be
// a whole conversation: otherwise each answer would make a prompt of its own.
func (r *RowDecoder) splitConversation() {
	prompt := r.Values[RolePrompt].Inner(jsonscan.MessagesPrefix)
	if prompt.Kind != jsonscan.Array || r.Has(RoleResponse) || !IsConversationField(r.FieldName(RolePrompt)) {
		return
	}
	turns := prompt.Elements()
	if n := len(FromAssistant(prompt)); 0 < n && n < len(turns) {
		r.Values[RolePrompt] = Conversation(turns[:len(turns)-n])
		r.Values[RoleResponse], r.Ranks[RoleResponse] = Conversation(turns[len(turns)-n:]), derivedRank
	}
}

// WandbTable is the layout {"columns": [names], "data": [rows]} of W&B's tables: a row is a sample,
// or a question with its answers in output_1, score_1, output_2, score_2 and so on.
func WandbTable(r *RowDecoder, record []byte, emit func()) error {
	fields, err := jsonscan.Pluck(record, "columns", "data")
	if err != nil {
		return err
	}
	columns, answers := r.numberedColumns(fields[0].Elements())
	fields[1].EachElement(func(row jsonscan.Value) {
		cells := row.Elements()
		cells = cells[:min(len(cells), len(columns))]
		for answer := 1; answer <= answers; answer++ {
			r.BeginRow()
			isAnswered := answers == 1 // of several answers some rows may have fewer
			for i, v := range cells {
				if c := columns[i]; c.answer == 0 || c.answer == answer {
					r.Pick(c.name, v)
					isAnswered = isAnswered || c.answer == answer && v.Kind != jsonscan.Null
				}
			}
			if isAnswered {
				emit()
			}
		}
	})
	return nil
}

// numberedColumn is a column of a table of which a row may have several answers.
type numberedColumn struct {
	name   jsonscan.Value // without the number of the answer
	answer int            // from 1; 0 for a column of all answers
}

// numberedColumns returns the columns with those names, and how many answers a row has.
func (r *RowDecoder) numberedColumns(names []jsonscan.Value) (columns []numberedColumn, answers int) {
	plain, numbered := make([]numberedColumn, len(names)), make([]numberedColumn, len(names))
	answers, hasResponse, fromZero := 1, false, 0
	for _, name := range names {
		if of, isZero := bytes.CutSuffix(name.Raw, []byte("_0")); isZero {
			if p, ok := r.Fields.Lookup(of); ok && p.Role == RoleResponse {
				fromZero = 1
			}
		}
	}
	for i, name := range names {
		plain[i].name, numbered[i].name = name, name
		at := bytes.LastIndexByte(name.Raw, '_')
		if at < 0 {
			continue
		}
		p, ok := r.Fields.Lookup(name.Raw[:at])
		if n, err := strconv.Atoi(string(name.Raw[at+1:])); ok && err == nil && 1 <= n+fromZero && n <= maxColumns {
			n += fromZero
			numbered[i] = numberedColumn{jsonscan.Value{Kind: jsonscan.String, Raw: name.Raw[:at]}, n}
			answers, hasResponse = max(answers, n), hasResponse || p.Role == RoleResponse
		}
	}
	if !hasResponse { // score_1 is the name of a component
		return plain, 1
	}
	return numbered, answers
}

// wideRow is the layout of an object that has several answers to a prompt in numbered fields: completion_1, reward_1 and so on.
func wideRow(r *RowDecoder, fields fieldsOf, columns []numberedColumn, answers int, emit func()) error {
	for answer := 1; answer <= answers; answer++ {
		r.BeginRow()
		i := 0
		err := fields(func(_, v jsonscan.Value) {
			if c := columns[i]; c.answer == 0 || c.answer == answer {
				r.Pick(c.name, v)
			}
			i++
		})
		if err != nil {
			return err
		}
		emit()
	}
	return nil
}

// wideColumns returns the columns of an object with several answers; answers is 1 for another one.
func wideColumns(f *Fields, fields fieldsOf) (columns []numberedColumn, answers int) {
	var names []jsonscan.Value
	if fields(func(key, _ jsonscan.Value) { names = append(names, key) }) != nil || len(names) > maxColumns {
		return nil, 1
	}
	return NewRowDecoder(f, "").numberedColumns(names)
}

// wrappers are fields of which one holds the sample, or its lists, in a record of [Wrapped].
var wrappers = []string{"data", "sample", "rollout", "payload", "record", "result", "item"}

// Wrapped is the layout {"step": 1, "data": {…}}: the fields of the inner object are those of a sample, or
// of groups as [Groups] reads them, and the others hold for it too.
func Wrapped(r *RowDecoder, record []byte, emit func()) error {
	flat, _, err := Unwrap(record)
	switch {
	case err != nil:
		return err
	case HasGroups(r.Fields, flat):
		return Groups(r, flat, emit)
	}
	return oneObject(r, flat, emit)
}

// Unwrap returns a record with the fields of its inner object among its own, and whether it has one.
func Unwrap(record []byte) (flat []byte, ok bool, err error) {
	flat = append(make([]byte, 0, len(record)+1), '{')
	add := func(key, v jsonscan.Value) {
		flat = append(append(append(flat, '"'), key.Raw...), '"', ':')
		flat = append(v.AppendJSON(flat), ',')
	}
	var inner error
	err = jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if !ok && slices.Contains(wrappers, string(key.Raw)) && v.Kind == jsonscan.Object {
			ok, inner = true, jsonscan.ScanObject(v.Raw, add)
			return
		}
		add(key, v)
	})
	return jsonscan.AppendEnd(flat, '}'), ok, errors.Join(err, inner)
}
