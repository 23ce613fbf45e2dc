package decode

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/jsonscan"
	"vantage/model/units"
)

// RecordGroup begins the group of a sample whose record, or a part of it, is a group of its own, without an id: behind it comes the
// number of the part, if a record has several. Whoever reads the record puts its place there: the decoder does not know it.
const RecordGroup = "\x00record"

// fieldsOf visits the fields of an object, or of one with those of the objects around it.
type fieldsOf func(visit func(key, v jsonscan.Value)) error

func fieldsIn(record []byte) fieldsOf {
	return func(visit func(key, v jsonscan.Value)) error { return jsonscan.ScanObject(record, visit) }
}

// GroupLists is the layout of an object that is a group: a list of rewards, and lists of as many
// completions, advantages or lengths. What is no list, or a list of another length that plays no such
// role, holds for all of them. Without a group id the record is the group, unless it lists a prompt or a
// step for each sample. A list of the wrong length is an error: nobody knows which reward is whose.
// Where the rewards are lists of lists, each of these is a group, and the record several.
func GroupLists(r *RowDecoder, record []byte, emit func()) error {
	return r.groupLists(fieldsIn(record), "", emit)
}

func (r *RowDecoder) groupLists(fields fieldsOf, part string, emit func()) error {
	return r.eachOfLists(fields, func(g *groupRecord, i int) {
		if g.isNested {
			r.setRecordPart(part + "." + strconv.Itoa(i+1))
		} else if !g.isBatch {
			r.setRecordPart(part)
		}
		emit()
	})
}

// documentLists is the layout of a document of lists: [GroupLists] of a whole log, whose groups are told by
// its prompts or ids alone. A table may stand there as {"0": …, "1": …} instead of lists, as pandas writes it.
func documentLists(r *RowDecoder, record []byte, emit func()) error {
	return r.eachOfLists(fieldsIn(record), func(g *groupRecord, i int) {
		if g.isNested {
			r.setRecordPart("." + strconv.Itoa(i+1))
		}
		emit()
	})
}

// eachOfLists begins a row for each reward of a record of lists, picks its fields and calls finish, of lists of lists with the index of
// the inner one.
func (r *RowDecoder) eachOfLists(fields fieldsOf, finish func(g *groupRecord, i int)) error {
	g, err := scanGroup(r.Fields, fields)
	if err == nil {
		err = g.check()
	}
	if err != nil {
		return err
	}
	n := len(g.rewards.values)
	for i, reward := range g.rewards.values {
		inner := 1
		if g.isNested {
			inner = reward.Len()
		}
		parts := make([][]jsonscan.Value, len(g.columns)) // of lists of lists, what column k has for each sample of the group
		for k := range g.columns {
			if c := &g.columns[k]; g.isNested && len(c.values) == n && c.role.Role != RolePrompt {
				parts[k] = c.values[i].Elements()
			}
		}
		for j := range inner {
			r.BeginRow()
			for k := range g.columns {
				c := &g.columns[k]
				v := c.at(i, n)
				if g.isNested && len(parts[k]) == inner {
					v = parts[k][j]
				}
				r.pickAs(c.shaped, c.key, v)
			}
			finish(g, i)
		}
	}
	return nil
}

// pickAs is Pick for a field whose role its shape tells; RoleCount is none.
func (r *RowDecoder) pickAs(role Role, key, v jsonscan.Value) {
	if role == RoleCount {
		r.Pick(key, v)
		return
	}
	r.Seen.Add(key.Raw)
	if !r.Has(role) && role.Accepts(v) {
		r.Values[role], r.Ranks[role], r.shapedNames[role] = v, shapedRank, string(key.Text())
	}
}

// SetRecordGroup makes the record the group of the row, if that has no group id.
func (r *RowDecoder) SetRecordGroup() { r.setRecordPart("") }

// setRecordPart is SetRecordGroup for a part of the record.
func (r *RowDecoder) setRecordPart(part string) {
	if !r.Has(RoleGroup) {
		r.Values[RoleGroup] = jsonscan.Value{Kind: jsonscan.String, Raw: []byte(RecordGroup + part)}
		r.Ranks[RoleGroup] = derivedRank
	}
}

// HasGroupLists reports whether an object is a group of samples: a list of rewards with a list of
// responses, or beside a prompt, a step or an id if neither reward nor response is single, or a list of
// rewards beside a list of as many prompts, steps or ids.
func HasGroupLists(f *Fields, record []byte) bool { return hasGroupLists(f, fieldsIn(record)) }

func hasGroupLists(f *Fields, fields fieldsOf) bool {
	g, err := scanGroup(f, fields)
	if err != nil || g.rewards == nil {
		return false
	}
	isPaired := g.isPaired()
	isNamedGroup := g.isNamed && !g.hasSingle
	if g.isTraining || g.isNested || g.rewards.shaped != RoleCount {
		return isPaired || g.isNested && isNamedGroup && !g.isTraining
	}
	if g.isWholeBatch() {
		return true
	}
	if g.responses != nil {
		return len(g.responses.values) == len(g.rewards.values) || !g.hasSingle
	}
	return isPaired || isNamedGroup && isPlural(g.rewards.key) // score: [0, 1] may be one per token
}

// isPaired reports whether the rewards are beside a list of as many prompts, steps or ids.
func (g *groupRecord) isPaired() bool { return g.hasCompanion && !g.hasSingle && g.check() == nil }

// isWholeBatch reports whether the record is a batch, of whose samples none is single unless all lists agree.
func (g *groupRecord) isWholeBatch() bool { return g.isBatch && (!g.hasSingle || g.check() == nil) }

// groupRecord is an object that may be a group.
type groupRecord struct {
	columns      []groupColumn
	rewards      *groupColumn // nil if there is no list of numbers, nor one of lists of numbers
	responses    *groupColumn // nil if there is no list
	isNested     bool         // rewards is a list of lists, each a group
	isBatch      bool         // it has a prompt, a step or a group id for each sample
	hasSingle    bool         // it has a reward or a response that is no list
	isNamed      bool         // it has a prompt, a step or a group id
	isTraining   bool         // it has the metrics of a training loop
	hasCompanion bool         // another list has a value for each of two samples or more, which an average of a step has not
}

type groupColumn struct {
	key    jsonscan.Value
	value  jsonscan.Value
	values []jsonscan.Value // of a list whose elements belong to samples
	index  []byte           // of an object that stands for a list: its keys
	role   FieldRole
	shaped Role // that its shape tells, where its name is in no list; RoleCount if none
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

func scanGroup(f *Fields, fields fieldsOf) (*groupRecord, error) {
	g := &groupRecord{}
	err := fields(func(key, v jsonscan.Value) {
		if len(g.columns) < maxColumns {
			g.add(f, key, v)
		}
	})
	for i := range g.columns {
		g.assign(&g.columns[i])
	}
	if g.rewards == nil {
		g.findRewards(f)
	}
	g.findResponses()
	g.findCompanion()
	return g, err
}

func (g *groupRecord) add(f *Fields, key, v jsonscan.Value) {
	c := groupColumn{key: key, value: v, role: FieldRole{Role: RoleCount}, shaped: RoleCount}
	if role, ok := f.Lookup(key.Raw); ok {
		c.role = role
	}
	isSingle := v.Kind == jsonscan.Number || v.Kind == jsonscan.Null
	if isSingle && c.role.Role == RoleCount && isAverageName(string(key.Raw)) {
		return // of the list beside it
	}
	if v.Kind == jsonscan.Object {
		if c.index, c.values = indexed(v); c.values == nil && g.addParts(key, v) {
			return
		}
	}
	if v.Kind == jsonscan.Array && !isConversation(c.role.Role, key, v) {
		if c.values = v.Elements(); c.values == nil && c.role.Role != RoleReward {
			return // empty: there is none of it
		}
	}
	if c.role.Role == RoleCount && len(c.values) > 0 {
		c.key = singular(key)
	}
	switch string(key.Raw) {
	case "loss", "lr", "learning_rate", "grad_norm":
		g.isTraining = true
	}
	g.columns = append(g.columns, c)
}

// addParts adds the lists of an object of the parts of a reward: {"accuracy": [1, 0], "format": [1, 1]}.
func (g *groupRecord) addParts(key, object jsonscan.Value) (added bool) {
	prefix, ok := ComponentPrefix(key.Raw)
	if !ok {
		return false
	}
	if prefix == "" {
		prefix = partsPrefix
	}
	object.EachField(func(name, v jsonscan.Value) {
		values := v.Elements()
		if v.Kind != jsonscan.Array || !areNumbers(values) || len(g.columns) >= maxColumns {
			return
		}
		full := jsonscan.Value{Kind: jsonscan.String, Raw: slices.Concat([]byte(prefix), name.Raw)}
		g.columns = append(g.columns, groupColumn{key: full, value: v, values: values, role: FieldRole{Role: RoleCount}, shaped: RoleCount})
		added = true
	})
	return added
}

// partsPrefix is what stands before the name of a part of a reward in a record of lists.
const partsPrefix = "rewards/"

// singular returns the name of a list of the parts of rewards as that of one part: format_reward for format_rewards.
func singular(key jsonscan.Value) jsonscan.Value {
	one, ok := bytes.CutSuffix(key.Raw, []byte{'s'})
	if isPart := ok && IsComponentName(string(one)) && !IsComponentName(string(key.Raw)) && !isAverageName(string(one)); isPart {
		key.Raw = one
	}
	return key
}

// isAverageName reports whether a component of that name would be the average, or another statistic, of rewards.
func isAverageName(name string) bool {
	isStatistic := func(word string) bool {
		return slices.Contains([]string{"mean", "avg", "average", "std", "min", "max"}, word)
	}
	return IsComponentName(name) && slices.ContainsFunc(nameWords(name), isStatistic)
}

// nameWords are the words of the name of a field, in lower case.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return strings.ContainsRune("_-./ ", c) })
}

func hasWord(key jsonscan.Value, words ...string) bool {
	return slices.ContainsFunc(nameWords(string(key.Raw)), func(word string) bool { return slices.Contains(words, word) })
}

// findRewards takes a list for that of the rewards whose name is not usual: a person named it, or it is the only one whose name has
// the word. Several such lists are the parts of a reward.
func (g *groupRecord) findRewards(f *Fields) {
	var named []*groupColumn
	for i := range g.columns {
		c := &g.columns[i]
		isList := len(c.values) > 1 && (areNumbers(c.values) || areLists(c.values))
		switch {
		case !isList || c.role.Role != RoleCount:
		case f.IsRequested(c.key.Raw):
			g.setRewards(c)
			return
		case hasWord(c.key, rewardWords()...):
			named = append(named, c)
		}
	}
	isPart := func(c *groupColumn) bool { return f.IsComponent(string(c.key.Text())) }
	switch {
	case len(named) == 1:
		g.setRewards(named[0])
		g.rewards.shaped = RoleReward
	case len(named) > 1 && !slices.ContainsFunc(named, func(c *groupColumn) bool { return !isPart(c) }):
		g.setRewards(named[0])
	}
}

func (g *groupRecord) setRewards(c *groupColumn) { g.rewards, g.isNested = c, areLists(c.values) }

// findResponses takes the list of texts whose name has the word for the responses, if no name is usual and there is one such list.
func (g *groupRecord) findResponses() {
	if g.responses != nil || g.rewards == nil || g.hasSingle {
		return
	}
	var found *groupColumn
	for i := range g.columns {
		c := &g.columns[i]
		isText := len(c.values) == len(g.rewards.values) && (areTexts(c.values) || g.isNested && areTextLists(c.values))
		if !isText || c.role.Role != RoleCount || !hasWord(c.key, responseWords()...) {
			continue
		}
		if found != nil {
			return
		}
		found = c
	}
	if found != nil {
		found.shaped, g.responses = RoleResponse, found
	}
}

// NamesReward reports whether the name of a field has a word for rewards.
func NamesReward(name string) bool {
	return hasWord(jsonscan.Value{Kind: jsonscan.String, Raw: []byte(name)}, rewardWords()...)
}

// namesSamples reports whether a list of that name may hold rewards, responses, or samples with both.
func namesSamples(name string) bool {
	words := append(append(rewardWords(), responseWords()...), "groups", "samples", "rollouts", "results", "answers", "candidates", "attempts")
	return hasWord(jsonscan.Value{Kind: jsonscan.String, Raw: []byte(name)}, words...)
}

// rewardWords are words in the names of fields that hold rewards.
func rewardWords() []string {
	return []string{"reward", "rewards", "score", "scores", "return", "returns"}
}

// responseWords are words in the names of fields that hold what a model wrote.
func responseWords() []string {
	return []string{"completion", "completions", "response", "responses", "generation", "generations", "output", "outputs", "text", "texts"}
}

// areGroups reports whether a column has lists as long as those of the rewards.
func (g *groupRecord) areGroups(c *groupColumn) bool {
	return slices.EqualFunc(c.values, g.rewards.values, func(a, b jsonscan.Value) bool {
		return a.Kind == jsonscan.Array && a.Len() == b.Len()
	})
}

// findCompanion looks for a list that has a value for each sample, of lists of lists one for each sample of a group.
func (g *groupRecord) findCompanion() {
	if g.rewards == nil {
		return
	}
	n := len(g.rewards.values)
	for i := range g.columns {
		c := &g.columns[i]
		switch {
		case c == g.rewards || len(c.values) != n:
		case g.isNested:
			g.hasCompanion = g.hasCompanion || g.areGroups(c)
		case n > 1:
			isOfSamples := c.role.Role == RoleAdvantage || c.role.Role == RoleResponse || c.role.Role == RoleLength
			g.hasCompanion = g.hasCompanion || isOfSamples || areTexts(c.values)
		}
	}
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
	return !isPlural(key) || IsConversationField(string(key.Raw))
}

func isPlural(key jsonscan.Value) bool { return bytes.HasSuffix(key.Raw, []byte("s")) }

// assign finds the columns that tell what kind of record it is.
func (g *groupRecord) assign(c *groupColumn) {
	switch isList := c.values != nil; c.role.Role {
	case RoleReward:
		if isList && (areNumbers(c.values) || areLists(c.values) || areParts(c)) {
			if g.rewards == nil || c.role.Rank < g.rewards.role.Rank {
				g.setRewards(c)
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

// areLists reports whether a list has elements, and all are lists of what a reward may be, of which one has several.
func areLists(values []jsonscan.Value) (yes bool) {
	for _, v := range values {
		inner := v.Elements()
		if v.Kind != jsonscan.Array || !areNumbers(inner) {
			return false
		}
		yes = yes || len(inner) > 1
	}
	return yes && !arePairs(values)
}

// ArePairs reports whether a list has pairs of a step and a value, by rising steps: [[1, 0.5], [2, 0.25], [3, 0.5]].
func ArePairs(list jsonscan.Value) bool { return arePairs(list.Elements()) }

func arePairs(values []jsonscan.Value) bool {
	const least = 3
	last := int64(-1)
	for _, v := range values {
		pair := v.Elements()
		if v.Kind != jsonscan.Array || len(pair) != 2 || pair[1].Kind != jsonscan.Number {
			return false
		}
		step, ok := pair[0].ToInt()
		if !ok || step <= last {
			return false
		}
		last = step
	}
	return len(values) >= least
}

// areParts reports whether a list of rewards has for each sample an object of their parts.
func areParts(c *groupColumn) bool {
	if _, ok := ComponentPrefix(c.key.Raw); !ok || len(c.values) == 0 {
		return false
	}
	return !slices.ContainsFunc(c.values, func(v jsonscan.Value) bool { return !isOfParts(v) })
}

// isOfParts reports whether an object has nothing but numbers: it is the parts of a reward, and no sample.
func isOfParts(object jsonscan.Value) bool {
	isOf, n := object.Kind == jsonscan.Object, 0
	object.EachField(func(_, v jsonscan.Value) {
		_, ok := v.ToFloat()
		n++
		isOf = isOf && ok && v.Kind != jsonscan.String && v.Kind != jsonscan.Array
	})
	return isOf && n > 1
}

func areTexts(values []jsonscan.Value) bool {
	return !slices.ContainsFunc(values, func(v jsonscan.Value) bool { return v.Kind != jsonscan.String && v.Kind != jsonscan.Null })
}

func areTextLists(values []jsonscan.Value) bool {
	return !slices.ContainsFunc(values, func(v jsonscan.Value) bool { return v.Kind != jsonscan.Array || !areTexts(v.Elements()) })
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
	if g.isNested && g.responses != nil && !g.areGroups(g.responses) {
		return errNoRewards // a list for each sample: rewards of several kinds
	}
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
