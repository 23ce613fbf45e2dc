package decode

import (
	"bytes"
	"slices"
	"strconv"

	"vantage/loaders/jsonscan"
)

// Groups is the layout of an object that holds a group or several, whatever their lists are called: lists as [GroupLists] reads them,
// a list of samples {"responses": [{"text": …, "reward": …}]}, or a list of such objects {"groups": […]}.
func Groups(r *RowDecoder, record []byte, emit func()) error {
	if columns, answers := wideColumns(r.Fields, fieldsIn(record)); answers > 1 {
		return wideRow(r, fieldsIn(record), columns, answers, emit)
	}
	if list := findSamples(r.Fields, fieldsIn(record), 0); list.holds != noSamples {
		return (&nestedRecord{r: r, emit: emit}).read(fieldsIn(record), list, "")
	}
	return GroupLists(r, record, emit)
}

// HasGroups reports whether an object is what [Groups] reads.
func HasGroups(f *Fields, record []byte) bool {
	if HasGroupLists(f, record) {
		return true
	}
	if _, answers := wideColumns(f, fieldsIn(record)); answers > 1 {
		return true
	}
	list := findSamples(f, fieldsIn(record), 0)
	return list.holds == groupsInside || list.holds == samplesInside && (list.isGroup || list.isOfSeveral)
}

// listContent is what the elements of a list are.
type listContent int

const (
	noSamples     listContent = iota
	samplesInside             // objects with a reward
	groupsInside              // objects that hold groups, or lists of samples
)

// sampleList is the list of a record in which its samples are.
type sampleList struct {
	key, value  jsonscan.Value
	holds       listContent
	isGroup     bool // its samples are the answers to one prompt
	isOfSeveral bool // its samples name their prompts or groups
}

// maxNesting is how many lists samples may be within, and maxProbed of how many elements of a list the kind is looked at.
const (
	maxNesting = 3
	maxProbed  = 4
)

// findSamples returns the list of samples or of groups in an object, none if a reward is next to it: then the list may be the steps of
// a sample, as are those whose names say so.
func findSamples(f *Fields, fields fieldsOf, depth int) (found sampleList) {
	hasSingle, isNamed, lists := false, false, 0
	_ = fields(func(key, v jsonscan.Value) {
		role, hasRole := f.Lookup(key.Raw)
		isNumber := v.Kind == jsonscan.Number || v.Kind == jsonscan.Bool
		hasSingle = hasSingle || hasRole && role.Role == RoleReward && isNumber
		isNamed = isNamed || hasRole && (role.Role == RolePrompt || role.Role == RoleGroup) && role.Role.Accepts(v)
		if !mayHoldSamples(f, key, v, depth) {
			return
		}
		if list := contentOf(f, key, v, depth); list.holds != noSamples {
			found, lists = list, lists+1
		}
	})
	if hasSingle || lists != 1 {
		return sampleList{}
	}
	isOfAnswers := hasWord(found.key, append(responseWords(), "answers", "candidates", "attempts")...)
	found.isGroup = !found.isOfSeveral && (isOfAnswers || isNamed)
	return found
}

// mayHoldSamples reports whether a field is a list of objects or lists, and not of the steps of a sample by its name.
func mayHoldSamples(f *Fields, key, v jsonscan.Value, depth int) bool {
	if depth == 0 && listsTrainingSteps(f, key, v) {
		return true
	}
	isOfSteps := func() bool {
		return !hasWord(key, "groups") && hasWord(key,
			"turn", "turns", "step", "steps", "trajectory", "messages", "history", "actions", "transitions", "interactions", "tokens")
	}
	return v.Kind == jsonscan.Array && beginsNested(v) && !isOfSteps() && !listsParts(key, v)
}

// listsTrainingSteps reports whether a list of steps has the samples of each, with its number, and not the turns of one sample.
func listsTrainingSteps(f *Fields, key, list jsonscan.Value) bool {
	if list.Kind != jsonscan.Array || string(key.Raw) != "steps" {
		return false
	}
	all, probed := true, 0
	list.EachElement(func(e jsonscan.Value) {
		if probed++; probed > maxProbed {
			return
		}
		hasStep := false
		e.EachField(func(key, v jsonscan.Value) {
			role, ok := f.Lookup(key.Raw)
			hasStep = hasStep || ok && role.Role == RoleStep && role.Role.Accepts(v)
		})
		all = all && hasStep && findSamples(f, fieldsIn(e.Raw), 1).holds == samplesInside
	})
	return all && probed > 0
}

// listsParts reports whether a list next to the samples has the parts of their rewards, or of one reward.
func listsParts(key, list jsonscan.Value) bool {
	if _, ok := ComponentPrefix(key.Raw); !ok {
		return false
	}
	first := jsonscan.Value{}
	list.EachElement(func(e jsonscan.Value) {
		if first.Kind == jsonscan.Absent {
			first = e
		}
	})
	return isOfParts(first) || areNamedParts(key, list)
}

// beginsNested reports whether the first element of a list is an object or a list.
func beginsNested(list jsonscan.Value) bool {
	rest := bytes.TrimLeft(bytes.TrimPrefix(list.Raw, []byte{'['}), " \t\r\n")
	return len(rest) > 0 && (rest[0] == '{' || rest[0] == '[')
}

// contentOf looks at the first elements of a list.
func contentOf(f *Fields, key, list jsonscan.Value, depth int) sampleList {
	found, probed := sampleList{key: key, value: list}, 0
	isAlike := true
	list.EachElement(func(e jsonscan.Value) {
		if probed++; probed > maxProbed {
			return
		}
		holds := noSamples
		switch {
		case e.Kind == jsonscan.Object:
			var isNamed bool
			holds, isNamed = contentOfObject(f, e, depth)
			found.isOfSeveral = found.isOfSeveral || holds == samplesInside && isNamed
		case e.Kind == jsonscan.Array && depth < maxNesting && contentOf(f, key, e, depth+1).holds == samplesInside:
			holds = groupsInside
		}
		isAlike = isAlike && (probed == 1 || holds == found.holds)
		found.holds = holds
	})
	if !isAlike {
		return sampleList{}
	}
	return found
}

// contentOfObject looks at an object in a list: what it holds, and whether it has a prompt or a group id.
func contentOfObject(f *Fields, object jsonscan.Value, depth int) (holds listContent, isNamed bool) {
	hasReward, isMessage := false, false
	object.EachField(func(key, v jsonscan.Value) {
		hasReward = hasReward || isReward(f, key, v)
		role, ok := f.Lookup(key.Raw)
		isNamed = isNamed || ok && (role.Role == RolePrompt || role.Role == RoleGroup) && role.Role.Accepts(v)
		isMessage = isMessage || string(key.Raw) == "role"
	})
	switch {
	case isMessage:
	case hasGroupLists(f, fieldsIn(object.Raw)), depth < maxNesting && findSamples(f, fieldsIn(object.Raw), depth+1).holds != noSamples:
		holds = groupsInside
	case hasReward:
		holds = samplesInside
	}
	return holds, isNamed
}

// isReward reports whether a field is a reward, or one of its parts.
func isReward(f *Fields, key, v jsonscan.Value) bool {
	role, ok := f.Lookup(key.Raw)
	switch v.Kind {
	case jsonscan.Number, jsonscan.Bool:
		name := string(key.Raw)
		return ok && role.Role == RoleReward || f.IsComponent(name) && !f.IsPlainPart(name)
	case jsonscan.Object:
		_, holdsComponents := ComponentPrefix(key.Raw)
		return holdsComponents
	default:
		return false
	}
}

// nestedRecord reads the samples in the lists of a record.
type nestedRecord struct {
	r      *RowDecoder
	emit   func()
	groups int // so far, of a record of several
}

// read reads the samples of a list; fields are those around it, which hold for all of them.
func (n *nestedRecord) read(fields fieldsOf, list sampleList, part string) error {
	around := func(visit func(key, v jsonscan.Value)) error {
		return fields(func(key, v jsonscan.Value) {
			if !slices.Equal(key.Raw, list.key.Raw) && !isAverageName(string(key.Raw)) {
				visit(key, v)
			}
		})
	}
	if list.holds == samplesInside {
		return n.readSamples(around, list, part)
	}
	var err error
	list.value.EachElement(func(e jsonscan.Value) {
		n.groups++
		if of := n.readGroup(around, e, "."+strconv.Itoa(n.groups)); err == nil {
			err = of
		}
	})
	return err
}

// readGroup reads an element of a list of groups, with the fields around that list.
func (n *nestedRecord) readGroup(around fieldsOf, e jsonscan.Value, part string) error {
	if e.Kind == jsonscan.Array {
		return n.readSamples(around, sampleList{value: e, isGroup: true}, part)
	}
	fields := func(visit func(key, v jsonscan.Value)) error {
		if err := around(visit); err != nil {
			return err
		}
		return jsonscan.ScanObject(e.Raw, visit)
	}
	if hasGroupLists(n.r.Fields, fieldsIn(e.Raw)) {
		return n.r.groupLists(fields, part, n.emit)
	}
	inner := findSamples(n.r.Fields, fieldsIn(e.Raw), 0)
	inner.isGroup = inner.isGroup || !inner.isOfSeveral
	return n.read(fields, inner, part)
}

func (n *nestedRecord) readSamples(around fieldsOf, list sampleList, part string) (err error) {
	r := n.r
	list.value.EachElement(func(e jsonscan.Value) {
		if e.Kind != jsonscan.Object {
			return
		}
		r.BeginRow()
		if aroundErr := around(r.visit); aroundErr != nil && err == nil {
			err = aroundErr
		}
		e.EachField(r.visit)
		if list.isGroup {
			r.setRecordPart(part)
		}
		n.emit()
	})
	return err
}
