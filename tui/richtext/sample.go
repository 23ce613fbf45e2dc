package richtext

import (
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
)

// Options say how a text is shown.
type Options struct {
	Folded bool // thoughts are one line
	Raw    bool // as logged: neither Markdown nor LaTeX is set, nothing is folded
	ASCII  bool // of the screen: LaTeX stays, since its characters could not be shown
}

// Sample sets a sample: prompt, response, truth, and the other fields of its
// record.
func Sample(t model.Text, o Options) *Document {
	var b builder
	b.part(AnchorPrompt, "prompt", t.Prompt, o)
	b.response(t.Response, o)
	b.part(AnchorTruth, "ground truth", t.Truth, o)
	b.fields(t.Fields)
	return b.finish()
}

// part is a heading with a text under it.
func (b *builder) part(mark, name, s string, o Options) {
	b.heading(mark, name, s)
	s, more := cut(s)
	b.prose(s, themes.Plain, o)
	b.sayMore(more)
	b.end()
}

func (b *builder) heading(mark, name, s string) {
	b.mark(mark)
	b.say(themes.Title, name)
	if s == "" {
		b.line(themes.Dim, "  none in the log")
		return
	}
	b.line(themes.Dim, "  "+characters(s))
}

func characters(s string) string { return units.Plural(utf8.RuneCountInString(s), "characters") }

// response is the part that may hold thoughts.
func (b *builder) response(s string, o Options) {
	b.heading(AnchorResponse, "response", s)
	s, more := cut(s)
	for _, p := range thoughts(s) {
		switch {
		case !p.thought || o.Raw:
			b.prose(p.text(), themes.Plain, o)
		case o.Folded:
			b.folded(p, o)
		default:
			b.unfolded(p, o)
		}
	}
	b.sayMore(more)
	b.end()
}

// prose sets a text in paragraphs of a role.
func (b *builder) prose(s string, role themes.Role, o Options) {
	s = strings.TrimRight(strings.TrimLeft(s, "\r\n"), "\r\n ")
	if s == "" {
		return
	}
	lines := clean(s)
	if o.Raw {
		for _, line := range lines {
			b.line(role, line)
		}
		return
	}
	m := setter{b: b, role: role, latex: !o.ASCII, ascii: o.ASCII}
	m.set(lines)
}

// fields lists what else the record holds.
func (b *builder) fields(all []model.Field) {
	if len(all) == 0 {
		return
	}
	b.line(themes.Title, "other fields of the record")
	for _, f := range all {
		b.begun.hang = 4
		b.say(themes.Dim, sanitize.Line(f.Name)+"  ")
		value, more := cut(f.Value)
		b.line(themes.Plain, sanitize.Line(value))
		b.sayMore(more)
	}
	b.end()
}
