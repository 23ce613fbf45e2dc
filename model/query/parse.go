package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model"
)

// MaxLength bounds a query, in bytes.
const MaxLength = 400

// maxDepth bounds its parentheses.
const maxDepth = 50

// Error is a place in a query that cannot be understood.
type Error struct {
	Column int // 1-based, in characters
	Want   string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Want) }

// Parse reads a query; no text chooses everything. The error is an *Error.
func Parse(text string) (Query, error) {
	if len(text) > MaxLength {
		return Query{}, &Error{MaxLength, fmt.Sprintf("a query has at most %d bytes", MaxLength)}
	}
	p := parser{text: text}
	if p.space(); p.at == len(text) {
		return Query{}, nil
	}
	root, err := p.either()
	if err == nil && p.at < len(p.text) {
		err = p.fail("a term, not a closing parenthesis")
	}
	if err != nil {
		return Query{}, err
	}
	return Query{root}, nil
}

type parser struct {
	text  string
	at    int
	depth int
}

func (p *parser) fail(want string) error {
	return &Error{utf8.RuneCountInString(p.text[:p.at]) + 1, "expected " + want}
}

func (p *parser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// word takes a word if it stands here by itself.
func (p *parser) word(w string) bool {
	rest, ok := strings.CutPrefix(p.text[p.at:], w)
	if !ok || rest != "" && rest[0] != ' ' && rest[0] != '(' {
		return false
	}
	p.at += len(w)
	p.space()
	return true
}

func (p *parser) either() (node, error) {
	var parts either
	for {
		part, err := p.all()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if !p.word("or") {
			break
		}
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

func (p *parser) all() (node, error) {
	var parts all
	for {
		part, err := p.one()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		p.space()
		rest := p.text[p.at:]
		if rest == "" || rest[0] == ')' || rest == "or" || strings.HasPrefix(rest, "or ") {
			break
		}
		_ = p.word("and")
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return parts, nil
}

func (p *parser) one() (node, error) {
	p.space()
	if p.depth++; p.depth > maxDepth {
		return nil, p.fail(fmt.Sprintf("fewer than %d parts within each other", maxDepth))
	}
	defer func() { p.depth-- }()
	switch {
	case p.at == len(p.text):
		return nil, p.fail("a term: a field, an operator and a value")
	case p.word("not"):
		part, err := p.one()
		return negated{part}, err
	case p.text[p.at] == '(':
		p.at++
		part, err := p.either()
		if err != nil {
			return nil, err
		}
		if p.at == len(p.text) || p.text[p.at] != ')' {
			return nil, p.fail("a closing parenthesis")
		}
		p.at++
		return part, nil
	}
	return p.term()
}

// operators, the longer before those that they begin with.
var operators = [...]string{"<=", ">=", "!=", "<", ">", "=", ":", "~"}

func (p *parser) term() (node, error) {
	start := p.at
	if p.text[p.at] == '"' {
		return p.bare()
	}
	for p.at < len(p.text) && (isNameRune(p.text[p.at]) || p.text[p.at] == '.') {
		p.at++
	}
	name := p.text[start:p.at]
	p.space()
	op := ""
	for _, o := range operators {
		if strings.HasPrefix(p.text[p.at:], o) {
			op = o
			break
		}
	}
	if op == "" {
		p.at = start
		return p.bare()
	}
	field, ok := find(strings.ToLower(name))
	if !ok {
		p.at = start
		return nil, p.fail("a field, one of " + names())
	}
	p.at += len(op)
	p.space()
	return p.value(field, op)
}

func isNameRune(c byte) bool { return c == '_' || unicode.IsLetter(rune(c)) && c < utf8.RuneSelf }

func names() string {
	var all []string
	for _, f := range Fields() {
		all = append(all, f.Name)
	}
	return strings.Join(all, " ")
}

// bare looks for a word in the prompt.
func (p *parser) bare() (node, error) {
	text, err := p.literal()
	if err != nil {
		return nil, err
	}
	field, _ := find("prompt")
	return contains{field, strings.ToLower(text), false}, nil
}

// aFate reports whether text is a fate, or the beginning of one that is being typed.
func aFate(text string) bool {
	return slices.ContainsFunc(model.Fates(), func(f model.Fate) bool { return strings.HasPrefix(f.String(), strings.ToLower(text)) })
}

func (p *parser) value(field Field, op string) (node, error) {
	start := p.at
	text, err := p.literal()
	if err != nil {
		return nil, err
	}
	if field.text != nil {
		if field.Name == "fate" && op != "~" && !aFate(text) {
			p.at = start
			return nil, p.fail("a fate, one of " + strings.Trim(fmt.Sprint(model.Fates()), "[]"))
		}
		switch op {
		case ":", "=", "~":
			return contains{field, strings.ToLower(text), op == "=" || op == ":" && field.Name == "fate"}, nil
		case "!=":
			return negated{contains{field, strings.ToLower(text), true}}, nil
		}
		p.at = start - len(op)
		return nil, p.fail("one of : = != ~ after " + field.Name + ", which is text")
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || op == "~" {
		p.at = start
		return nil, p.fail("a number to compare " + field.Name + " with")
	}
	return comparison{field, op, x}, nil
}

// literal is a text between quotes, or up to a space or a parenthesis.
func (p *parser) literal() (string, error) {
	start := p.at
	if p.at < len(p.text) && p.text[p.at] == '"' {
		end := strings.IndexByte(p.text[p.at+1:], '"')
		if end < 0 {
			return "", p.fail("a closing quote")
		}
		p.at += end + 2
		return p.text[start+1 : p.at-1], nil
	}
	for p.at < len(p.text) && !strings.ContainsRune(" ()", rune(p.text[p.at])) {
		p.at++
	}
	if p.at == start {
		return "", p.fail("a value")
	}
	return p.text[start:p.at], nil
}

// contains is a term over a text.
type contains struct {
	field Field
	text  string // in small letters
	whole bool
}

func (c contains) bySample() bool { return false }

func (c contains) holds(a *model.Analysis, g, _ int) bool {
	group := a.Group(g)
	have := strings.ToLower(c.field.text(a, &group))
	if c.whole {
		return have == c.text
	}
	return strings.Contains(have, c.text)
}
