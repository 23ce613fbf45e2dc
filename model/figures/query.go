package figures

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/ledger"
)

// MaxQuery is the maximum length of a query in bytes.
const MaxQuery = 400

const maxDepth = 50

// QueryError is a syntax error of a query.
type QueryError struct {
	Column  int // from 1, in characters
	Message string

	Word  string   // what is no field or no fate, "" if it is something else that is wrong
	Known []string // what it could be
}

func (e *QueryError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Message) }

// ParseQuery parses a query; blank text matches everything. The error is an *QueryError.
func ParseQuery(text string) (Query, error) { return parseQuery(text, Fields()) }

// ParsePromptQuery parses a query about prompts, of which only [Query.MatchesPrompt] may be asked.
func ParsePromptQuery(text string) (Query, error) { return parseQuery(text, PromptFields()) }

func parseQuery(text string, fields []Field) (Query, error) {
	if len(text) > MaxQuery {
		return Query{}, &QueryError{Column: MaxQuery, Message: fmt.Sprintf("a query has at most %d bytes", MaxQuery)}
	}
	p := parser{text: text, fields: fields}
	if p.skipSpace(); p.at == len(text) {
		return Query{}, nil
	}
	root, err := p.parseOr()
	if err == nil && p.at < len(p.text) {
		err = p.expected("a term, not a closing parenthesis")
	}
	if err != nil {
		return Query{}, err
	}
	return Query{&root}, nil
}

type parser struct {
	text   string
	fields []Field
	at     int
	depth  int
}

func (p *parser) expected(want string) error {
	return &QueryError{Column: utf8.RuneCountInString(p.text[:p.at]) + 1, Message: "expected " + want}
}

func (p *parser) unknown(want, word string, known []string) error {
	return &QueryError{
		Column:  utf8.RuneCountInString(p.text[:p.at]) + 1,
		Message: fmt.Sprintf("expected %s, one of %s, not %q", want, strings.Join(known, " "), word),
		Word:    word, Known: known,
	}
}

func (p *parser) skipSpace() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

func (p *parser) acceptWord(w string) bool {
	rest, ok := strings.CutPrefix(p.text[p.at:], w)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '(' {
		return false
	}
	p.at += len(w)
	p.skipSpace()
	return true
}

func (p *parser) parseOr() (node, error) {
	return p.parseParts(p.parseAnd, true, func() bool { return p.acceptWord("or") })
}

func (p *parser) parseAnd() (node, error) {
	return p.parseParts(p.parseUnary, false, func() bool {
		p.skipSpace()
		rest := p.text[p.at:]
		if rest == "" || rest[0] == ')' || rest == "or" || strings.HasPrefix(rest, "or ") {
			return false
		}
		_ = p.acceptWord("and")
		return true
	})
}

// parseParts parses parts while there are more, of which all must hold, or any.
func (p *parser) parseParts(parse func() (node, error), anyOf bool, more func() bool) (node, error) {
	var parts []node
	whole := node{matches: func(s subject) bool {
		return anyOf == slices.ContainsFunc(parts, func(n node) bool { return n.matches(s) == anyOf })
	}}
	for {
		part, err := parse()
		if err != nil {
			return part, err
		}
		parts, whole.perSample = append(parts, part), whole.perSample || part.perSample
		if !more() {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return whole, nil
}

func (p *parser) parseUnary() (node, error) {
	p.skipSpace()
	if p.depth++; p.depth > maxDepth {
		return node{}, p.expected(fmt.Sprintf("at most %d nested parts", maxDepth))
	}
	defer func() { p.depth-- }()
	switch {
	case p.at == len(p.text):
		return node{}, p.expected("a term: a field, an operator and a value")
	case p.acceptWord("not"):
		part, err := p.parseUnary()
		return part.not(), err
	case p.text[p.at] == '(':
		p.at++
		part, err := p.parseOr()
		if err == nil && (p.at == len(p.text) || p.text[p.at] != ')') {
			err = p.expected("a closing parenthesis")
		}
		p.at++
		return part, err
	}
	return p.parseTerm()
}

// operators lists longer ones before their prefixes.
var operators = [...]string{"<=", ">=", "!=", "<", ">", "=", ":", "~"}

func (p *parser) parseTerm() (node, error) {
	start := p.at
	isOfName := func(c byte) bool { return c == '_' || c == '.' || c < utf8.RuneSelf && unicode.IsLetter(rune(c)) }
	for p.at < len(p.text) && isOfName(p.text[p.at]) {
		p.at++
	}
	name := p.text[start:p.at]
	p.skipSpace()
	isNext := func(op string) bool { return strings.HasPrefix(p.text[p.at:], op) }
	k := slices.IndexFunc(operators[:], isNext)
	if k < 0 { // a bare word is to be found in the prompt
		p.at = start
		text, err := p.parseLiteral()
		field, _ := p.findField("prompt")
		return field.contains(text, false), err
	}
	field, ok := p.findField(strings.ToLower(name))
	if !ok {
		p.at = start
		names := model.Mapped(p.fields, func(f Field) string { return f.Name })
		return node{}, p.unknown("a field", name, names)
	}
	p.at += len(operators[k])
	p.skipSpace()
	return p.parseValue(field, operators[k])
}

func (p *parser) parseValue(field Field, op string) (node, error) {
	start := p.at
	text, err := p.parseLiteral()
	if err != nil {
		return node{}, err
	}
	if field.Operator == "" {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || op == "~" {
			p.at = start
			return node{}, p.expected("a number to compare " + field.Name + " with")
		}
		return node{field.PerSample, func(s subject) bool { return Holds(field.value(s).Float(), op, x) }}, nil
	}
	isTyped := func(word string) bool { return strings.HasPrefix(word, strings.ToLower(text)) } // so far
	if field.Words != nil && op != "~" && !slices.ContainsFunc(field.Words, isTyped) {
		p.at = start
		return node{}, p.unknown("a "+field.Name, text, field.Words)
	}
	switch op {
	case ":", "=", "~":
		return field.contains(text, op == "=" || op == ":" && field.Words != nil), nil
	case "!=":
		return field.contains(text, true).not(), nil
	}
	p.at = start - len(op)
	return node{}, p.expected("one of : = != ~ after " + field.Name + ", which is text")
}

// parseLiteral parses a quoted text, or one up to a space or parenthesis.
func (p *parser) parseLiteral() (string, error) {
	start := p.at
	if p.at < len(p.text) && p.text[p.at] == '"' {
		end := strings.IndexByte(p.text[p.at+1:], '"')
		if end < 0 {
			return "", p.expected("a closing quote")
		}
		p.at += end + 2
		return p.text[start+1 : p.at-1], nil
	}
	for p.at < len(p.text) && !strings.ContainsRune(" ()", rune(p.text[p.at])) {
		p.at++
	}
	if p.at == start {
		return "", p.expected("a value")
	}
	return p.text[start:p.at], nil
}

// Query is a parsed query. The zero value matches everything.
type Query struct{ root *node }

// node is a part of a query. Unless it is perSample, it matches all or none of the samples of a group.
type node struct {
	perSample bool
	matches   func(subject) bool
}

// subject is what a query is asked of: a sample of a group, or a prompt.
type subject struct {
	in            *analysis.Analysis
	group, sample int
	prompt        *ledger.Prompt
}

func (n node) not() node {
	return node{n.perSample, func(s subject) bool { return !n.matches(s) }}
}

func (f Field) contains(text string, exact bool) node {
	text = strings.ToLower(text)
	return node{perSample: f.PerSample, matches: func(s subject) bool {
		have, _ := f.value(s).Cell().(string)
		have = strings.ToLower(have)
		return have == text || !exact && strings.Contains(have, text)
	}}
}

// MatchesSample reports whether sample i of group g matches; i is an index of the columns
// of a.
func (q Query) MatchesSample(a *analysis.Analysis, g, i int) bool {
	return q.root == nil || q.root.matches(subject{in: a, group: g, sample: i})
}

// MatchesGroup reports whether a sample of group g matches.
func (q Query) MatchesGroup(a *analysis.Analysis, g int) bool {
	if q.root == nil {
		return true
	}
	from, to := a.Table[g].Start, a.Table[g].End
	if !q.root.perSample {
		to = from + 1
	}
	for i := from; i < to; i++ {
		if q.root.matches(subject{in: a, group: g, sample: i}) {
			return true
		}
	}
	return false
}

// MatchesPrompt reports whether a prompt matches.
func (q Query) MatchesPrompt(p *ledger.Prompt) bool {
	return q.root == nil || q.root.matches(subject{prompt: p})
}

// Field is a figure of a group, of a sample or of a prompt that a query can name.
type Field struct {
	Name, Doc string
	PerSample bool
	Operator  string   // that it is always compared by: ":" where its values are known words, "~" where it holds a text, "" for a number, which has several
	Words     []string // that its value is one of; nil: it can be anything

	value func(subject) Number
}

// Fields returns all fields.
func Fields() []Field {
	all := []Field{
		{
			Name: "fate", Operator: ":", Words: model.Mapped(model.Fates(), model.Fate.Key),
			Doc: "fate of the group under the settings: alive, killed, short, correct, wrong, …",
		},
		{Name: "prompt", Operator: "~", Doc: "the beginning of the prompt"},
		{Name: "name", Operator: "~", Doc: "the group's id, or its hash"},
		{Name: "step", Doc: "the step that it is of"},
		{Name: "size", Doc: "how many samples"},
		{Name: "rollouts", Doc: "how many rollouts they are of"},
		{Name: "kept", Doc: "how many of them are kept"},
		{Name: "dropped", Doc: "how many are not"},
		{Name: "pos", Doc: "kept samples above 0"},
		{Name: "neg", Doc: "kept samples below 0"},
		{Name: "nonzero", Doc: "samples whose advantage is not 0: only these train"},
		{Name: "flips", Doc: "kept samples whose sign changed, also from or to 0"},
		{Name: "reward", Doc: "mean reward"},
		{Name: "std", Doc: "std of the rewards, with n-1"},
		{Name: "solved", Doc: "how many samples are solved, if the rewards show it"},
		{Name: "invalid", Doc: "rewards that are NaN or missing"},
		{Name: "sample.reward", Doc: "a sample's reward"},
		{Name: "sample.length", Doc: "its length"},
		{Name: "sample.adv", Doc: "its advantage before the filter"},
		{Name: "sample.new", Doc: "its advantage after filter and recompute"},
		{Name: "sample.kept", Doc: "1 if it is kept, else 0"},
		{Name: "sample.logged", Doc: "its advantage as logged"},
		{Name: "sample.status", Operator: "~", Doc: "its status in the log: trains, cut off, masked, dropped, errored or empty"},
	}
	for i := range all {
		f := &all[i]
		if f.PerSample = strings.HasPrefix(f.Name, "sample."); f.PerSample {
			of := Select(Samples(), f.Name)[0]
			f.value = func(s subject) Number { return of.Value(SampleOf{s.in, s.sample}) }
		} else {
			of := Select(Groups(), f.Name)[0]
			f.value = func(s subject) Number { return of.Value(NewGroupOf(s.in, s.group)) }
		}
	}
	return all
}

// PromptFields returns all fields of a prompt: its figures.
func PromptFields() []Field {
	var all []Field
	for _, of := range Prompts() {
		f := Field{Name: of.AllNames()[0], Doc: of.Meaning, value: func(s subject) Number { return of.Value(s.prompt) }}
		switch f.Name {
		case "state":
			f.Operator, f.Words = ":", ledger.States()
		case "prompt", "name", "state_why":
			f.Operator = "~"
		}
		all = append(all, f)
	}
	return all
}

func (p *parser) findField(name string) (Field, bool) {
	for _, f := range p.fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Holds reports whether a comparison holds: op is one of < <= > >= !=, or anything else for =. NaN equals NaN.
func Holds(x float64, op string, y float64) bool {
	switch op {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "!=":
		return x != y
	}
	return x == y || math.IsNaN(x) && math.IsNaN(y)
}
