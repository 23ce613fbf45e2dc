package decode

import (
	"bytes"
	"errors"
	"fmt"

	"vantage/loaders/jsonscan"
	"vantage/model/units"
)

// RecordGroup is the group of a sample whose record is a group of its own, without an id. Whoever reads
// the record puts its place there: the decoder does not know it.
const RecordGroup = "\x00record"

// GroupLists is the layout of an object that is a group: a list of rewards, and lists of as many
// completions, advantages or lengths. What is no list, or a list of another length that plays no such
// role, holds for all of them. Without a group id the record is the group, unless it lists a prompt or a
// step for each sample. A list of the wrong length is an error: nobody knows which reward is whose.
func GroupLists(r *RowDecoder, record []byte, emit func()) error {
	return eachOfLists(r, record, func(g *groupRecord) {
		if !g.isBatch {
			r.SetRecordGroup()
		}
		emit()
	})
}

// documentLists is the layout of a document of lists: [GroupLists] of a whole log, whose groups are told by
// its prompts or ids alone. A table may stand there as {"0": …, "1": …} instead of lists, as pandas writes it.
func documentLists(r *RowDecoder, record []byte, emit func()) error {
	return eachOfLists(r, record, func(*groupRecord) { emit() })
}

// eachOfLists begins a row for each reward of a record of lists, picks its fields and calls finish.
func eachOfLists(r *RowDecoder, record []byte, finish func(g *groupRecord)) error {
	g, err := scanGroup(r.Fields, record)
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return err
	}
	for i := range g.rewards.values {
		r.BeginRow()
		for _, c := range g.columns {
			r.Pick(c.key, c.at(i, len(g.rewards.values)))
		}
		finish(g)
	}
	return nil
}

// SetRecordGroup makes the record the group of the row, if that has no group id.
func (r *RowDecoder) SetRecordGroup() {
	if !r.Has(RoleGroup) {
		r.Values[RoleGroup] = jsonscan.Value{Kind: jsonscan.String, Raw: []byte(RecordGroup)}
		r.Ranks[RoleGroup] = derivedRank
	}
}

// HasGroupLists reports whether an object is a group of samples: a list of rewards with a list of
// responses, or beside a prompt, a step or an id if neither reward nor response is single, or a list of
// rewards beside a list of as many prompts, steps or ids.
func HasGroupLists(f *Fields, record []byte) bool {
	g, err := scanGroup(f, record)
	if err != nil || g.rewards == nil || g.isTraining {
		return false
	}
	if g.isBatch && (!g.hasSingle || g.check() == nil) {
		return true
	}
	if g.responses != nil {
		return len(g.responses.values) == len(g.rewards.values) || !g.hasSingle
	}
	return g.isNamed && !g.hasSingle && isPlural(g.rewards.key) // score: [0, 1] may be one per token
}

// groupRecord is an object that may be a group.
type groupRecord struct {
	columns    []groupColumn
	rewards    *groupColumn // nil if there is no list of numbers
	responses  *groupColumn // nil if there is no list
	isBatch    bool         // it has a prompt, a step or a group id for each sample
	hasSingle  bool         // it has a reward or a response that is no list
	isNamed    bool         // it has a prompt, a step or a group id
	isTraining bool         // it has the metrics of a training loop
}

type groupColumn struct {
	key    jsonscan.Value
	value  jsonscan.Value
	values []jsonscan.Value // of a list whose elements belong to samples
	index  []byte           // of an object that stands for a list: its keys
	role   FieldRole
}

func (c *groupColumn) at(i, n int) jsonscan.Value {
	switch len(c.values) {
	case n:
		return c.values[i]
	case 1:
		return c.values[0]
	}
	return c.value
}

var errNoRewards = errors.New("no list of rewards, or an empty one")

func scanGroup(f *Fields, record []byte) (*groupRecord, error) {
	g := &groupRecord{}
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if len(g.columns) < maxColumns {
			g.add(f, key, v)
		}
	})
	for i := range g.columns {
		g.assign(&g.columns[i])
	}
	return g, err
}

func (g *groupRecord) add(f *Fields, key, v jsonscan.Value) {
	c := groupColumn{key: key, value: v, role: FieldRole{Role: RoleCount}}
	if role, ok := f.Lookup(key.Raw); ok {
		c.role = role
	}
	if v.Kind == jsonscan.Object {
		c.index, c.values = indexed(v)
	}
	if v.Kind == jsonscan.Array && !isConversation(c.role.Role, key, v) {
		if c.values = v.Elements(); c.values == nil && c.role.Role != RoleReward {
			return // empty: there is none of it
		}
	}
	switch string(key.Raw) {
	case "loss", "lr", "learning_rate", "grad_norm":
		g.isTraining = true
	}
	g.columns = append(g.columns, c)
}

// indexed returns the values of an object whose keys are the numbers of rows, and those keys.
func indexed(object jsonscan.Value) (index []byte, values []jsonscan.Value) {
	isTable := true
	object.EachField(func(key, v jsonscan.Value) {
		isTable = isTable && len(key.Raw) > 0 && len(bytes.Trim(key.Raw, "0123456789")) == 0
		index = append(append(index, key.Raw...), ',')
		values = append(values, v)
	})
	if !isTable {
		return nil, nil
	}
	return index, values
}

// isConversation reports whether a list is one prompt or one completion: messages, which belong to the
// same sample unless the field is named in the plural.
func isConversation(role Role, key, v jsonscan.Value) bool {
	if role != RolePrompt && role != RoleResponse || len(v.Messages()) == 0 {
		return false
	}
	return !isPlural(key) || string(key.Raw) == ConversationField
}

func isPlural(key jsonscan.Value) bool { return bytes.HasSuffix(key.Raw, []byte("s")) }

// assign finds the columns that tell what kind of record it is.
func (g *groupRecord) assign(c *groupColumn) {
	switch isList := c.values != nil; c.role.Role {
	case RoleReward:
		if isList && areNumbers(c.values) {
			if g.rewards == nil || c.role.Rank < g.rewards.role.Rank {
				g.rewards = c
			}
		} else {
			g.hasSingle = g.hasSingle || c.value.Kind == jsonscan.Number || c.value.Kind == jsonscan.Bool
		}
	case RoleResponse:
		if isList {
			g.responses = c
		} else {
			g.hasSingle = g.hasSingle || c.value.Kind == jsonscan.String || c.value.Kind == jsonscan.Array
		}
	case RolePrompt, RoleStep, RoleGroup:
		g.isNamed = true
		g.isBatch = g.isBatch || len(c.values) > 1
	default:
	}
}

// areNumbers reports whether a list has elements, and all are what a reward may be.
func areNumbers(values []jsonscan.Value) bool {
	for _, v := range values {
		if _, ok := v.ToFloat(); !ok || v.Kind == jsonscan.Array {
			return false
		}
	}
	return len(values) > 0
}

// names reports whether a column tells what a sample belongs to: it may do so once for all of them.
func (c *groupColumn) names() bool {
	return c.role.Role == RolePrompt || c.role.Role == RoleStep || c.role.Role == RoleGroup
}

// RaggedError says which lists of a record do not belong together.
type RaggedError string

func (e RaggedError) Error() string { return string(e) }

// check returns which list is not as long as that of the rewards.
func (g *groupRecord) check() error {
	if g.rewards == nil {
		return errNoRewards
	}
	n := len(g.rewards.values)
	for i := range g.columns {
		c := &g.columns[i]
		if len(c.values) == n && c.index != nil && !bytes.Equal(c.index, g.rewards.index) {
			return RaggedError(fmt.Sprintf("%s has other rows than %s", jsonscan.Quote(c.key.Text()), jsonscan.Quote(g.rewards.key.Text())))
		}
		if c.values == nil || len(c.values) == n || c.names() && len(c.values) == 1 {
			continue
		}
		switch c.role.Role {
		case RoleReward, RoleResponse, RolePrompt, RoleAdvantage, RoleLength, RoleStep, RoleGroup:
			return RaggedError(fmt.Sprintf("%s has %s but %d in %s: it is unclear which belong together",
				jsonscan.Quote(c.key.Text()), units.Plural(len(c.values), "values"), n, jsonscan.Quote(g.rewards.key.Text())))
		default:
		}
	}
	return nil
}
