// Package richtext prepares the text of a sample for the screen. In comes what a model wrote;
// out comes a [Document] without control characters, with Markdown and LaTeX rendered lightly
// and thoughts folded, or the word diff of two answers. A Document and a width make a [Page]
// of lines, which can be searched. The view of a group calls it.
//
// All functions are pure. Documents and pages do not change after they are built, so they are
// built in the background: a text may have a megabyte.
//
// A Document is one string. Styles, paragraphs, lines, matches and anchors are byte offsets
// into it, so that a match is found wherever lines break.
package richtext

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
)

// Options say how text is shown.
type Options struct {
	Folded bool // show only the headings of thoughts
	Raw    bool // show text as logged, without Markdown, LaTeX and folding
	ASCII  bool // the terminal has no UTF-8: do not render LaTeX
}

// sign returns a sign, or what stands for it where there is only ASCII.
func (o Options) sign(sign, ascii string) string {
	if o.ASCII {
		return ascii
	}
	return sign
}

// Sample returns prompt, response, truth and the other fields of a sample.
func Sample(t model.Text, o Options) *Document {
	var b builder
	b.sample(t, o)
	return b.document()
}

func (b *builder) sample(t model.Text, o Options) {
	b.section(AnchorPrompt, "prompt", t.Prompt, func(s string) { b.conversation(s, o, false) })
	b.section(AnchorResponse, "response", t.Response, func(s string) { b.conversation(s, o, true) })
	b.section(AnchorTruth, "ground truth", t.Truth, func(s string) { b.prose(s, themes.Plain, o) })
	b.fields(t.Fields)
}

func (b *builder) section(anchor, name, s string, write func(s string)) {
	b.anchor(anchor)
	b.write(themes.Title, name)
	if s == "" {
		b.writeLine(themes.Dim, "  none in the log")
	} else {
		b.writeLine(themes.Dim, "  "+characters(s))
	}
	s, omitted := truncate(s)
	write(s)
	b.writeOmitted(omitted)
	b.endParagraph()
}

func characters(s string) string { return units.Plural(utf8.RuneCountInString(s), "characters") }

func (b *builder) prose(s string, role themes.Role, o Options) {
	s = strings.TrimRight(strings.TrimLeft(s, "\r\n"), "\r\n ")
	if s == "" {
		return
	}
	lines := cleanLines(s)
	if !o.Raw {
		(&markdown{b: b, role: role, ascii: o.ASCII}).write(lines)
		return
	}
	for _, line := range lines {
		b.writeLine(role, line)
	}
}

func (b *builder) fields(all []model.Field) {
	if len(all) == 0 {
		return
	}
	b.anchor(AnchorFields)
	b.writeLine(themes.Title, "other fields of the record")
	for _, f := range all {
		b.current.hang = 4
		b.write(themes.Dim, sanitize.Line(f.Name)+"  ")
		value, omitted := truncate(f.Value)
		b.writeLine(themes.Plain, sanitize.Line(value))
		b.writeOmitted(omitted)
	}
	b.endParagraph()
}

// turn is what one speaker of a conversation says.
type turn struct {
	role  string // system, user, assistant or tool; "" for text before the first turn
	name  string // of the tool or the speaker, "" if it has none
	body  string
	calls []string // of tools, as name(arguments), where the log keeps them apart from the text
}

// turnForm is a way in which texts mark the start of a turn. A text without one of the signs has none. The
// first submatch that is not empty is the role, the next one the name.
type turnForm struct {
	signs []string
	start *regexp.Regexp
}

var (
	// templateTurn finds the special tokens of chat templates: those of Qwen and Gemma, Llama, GLM, and DeepSeek.
	templateTurn = turnForm{
		[]string{
			"<|im_start|>", "<start_of_turn>", "<|start_header_id|>", "<|user|>", "<|assistant|>", "<｜User｜>", "<｜Assistant｜>",
		},
		regexp.MustCompile(`(?:<\|im_start\|>|<start_of_turn>)(\w+)([^\n]*)\n?` +
			`|<\|start_header_id\|>(\w+)<\|end_header_id\|>\n*` +
			`|<\|(system|user|assistant|observation)\|>\n?` +
			`|<｜(User|Assistant)｜>`),
	}

	// messageTurn finds the turns of a list of {role, content}, as a loader writes them.
	messageTurn = turnForm{
		[]string{"assistant:", "user:", "system:", "tool:", "developer:", "function:"},
		regexp.MustCompile(`(?:^|\n\n)(system|developer|user|assistant|tool|function)((?: [^\s:]+)?):[ \n]?`),
	}

	// nakedTurn finds what is left of Qwen's template without its special tokens: the role on a line of its own.
	nakedTurn = turnForm{[]string{"assistant\n", "\nassistant"}, regexp.MustCompile(`(?m)^(system|user|assistant|tool)$\n?`)}

	// speakerTurn finds the turns of a prompt for a base model.
	speakerTurn = turnForm{[]string{"Assistant:"}, regexp.MustCompile(`(?m)^(System|User|Human|Assistant): ?`)}

	// messageCall is a tool call as a loader writes it: name({…}).
	messageCall = regexp.MustCompile(`^[\w./-]+\((?:\{.*\})?\)$`)
)

// maxTurns bounds the turns of one text; the rest is part of the last.
const maxTurns = 2000

// splitTurns returns the turns of a conversation, of another text one turn without a role. A text in which only
// some lines look like a turn, such as one line "user", is no conversation.
func splitTurns(s string) []turn {
	if all := templateTurn.starts(s); all != nil {
		return turnsAt(s, all)
	}
	if all := messageTurn.starts(s); all != nil && all[0][0] == 0 {
		turns := turnsAt(s, all)
		for i := range turns {
			turns[i] = turns[i].withCalls()
		}
		return turns
	}
	for _, form := range []turnForm{nakedTurn, speakerTurn} {
		if all := form.starts(s); bothSpeak(s, all) {
			return turnsAt(s, all)
		}
	}
	return []turn{{body: s}}
}

// starts returns where the turns of a text start, with the places of the submatches.
func (f turnForm) starts(s string) [][]int {
	if !slices.ContainsFunc(f.signs, func(sign string) bool { return strings.Contains(s, sign) }) {
		return nil // quicker than the expression: a text may have a megabyte
	}
	return f.start.FindAllStringSubmatchIndex(s, maxTurns)
}

// bothSpeak reports whether the assistant and somebody else have a turn.
func bothSpeak(s string, starts [][]int) bool {
	isAssistant := func(at []int) bool { return roleOf(s[at[2]:at[3]]) == "assistant" }
	return slices.ContainsFunc(starts, isAssistant) && slices.ContainsFunc(starts, func(at []int) bool { return !isAssistant(at) })
}

func turnsAt(s string, starts [][]int) []turn {
	var all []turn
	if before := s[:starts[0][0]]; strings.TrimSpace(before) != "" {
		all = append(all, turn{body: withoutEnd(before)})
	}
	for i, at := range starts {
		end := len(s)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		t := turn{body: s[at[1]:end]}
		for k := 2; k < len(at); k += 2 {
			switch text := strings.TrimSpace(s[max(0, at[k]):max(0, at[k+1])]); {
			case text == "":
			case t.role == "":
				t.role = roleOf(text)
			default:
				t.name = text
			}
		}
		if i+1 < len(starts) {
			t.body = withoutEnd(t.body)
		}
		all = append(all, t)
	}
	return all
}

func roleOf(word string) string {
	switch word = strings.ToLower(word); word {
	case "human":
		return "user"
	case "model":
		return "assistant"
	case "developer":
		return "system"
	case "function", "observation", "ipython":
		return "tool"
	}
	return word
}

// withoutEnd cuts the token that ends a turn. That of the last turn stays: it says that the answer was not cut.
func withoutEnd(body string) string {
	body = strings.TrimRight(body, "\n ")
	for _, end := range []string{"<|im_end|>", "<end_of_turn>", "<|eot_id|>", "<|eom_id|>", "<｜end▁of▁sentence｜>"} {
		if rest, found := strings.CutSuffix(body, end); found {
			return rest
		}
	}
	return body
}

// withCalls takes the tool calls at the end of an assistant's text out of it.
func (t turn) withCalls() turn {
	for t.role == "assistant" {
		body := strings.TrimRight(t.body, "\n")
		at := strings.LastIndexByte(body, '\n') + 1
		if !messageCall.MatchString(body[at:]) {
			break
		}
		t.calls = append([]string{body[at:]}, t.calls...)
		t.body = body[:at]
	}
	return t
}

// conversation writes the turns of a text below headings with their roles. Those of the assistant in an answer may
// have thoughts.
func (b *builder) conversation(s string, o Options, isAnswer bool) {
	if o.Raw {
		b.prose(s, themes.Plain, o)
		return
	}
	for i, t := range splitTurns(s) {
		if t.role != "" {
			if i > 0 {
				b.endParagraph()
			}
			role := themes.Dim
			switch t.role {
			case "user":
				role = themes.Accent
			case "assistant":
				role = themes.Good
			case "tool":
				role = themes.Key
			}
			rule := o.sign("──", "--")
			b.writeLine(role, rule+" "+cleanLines(strings.TrimSpace(t.role + " " + t.name))[0]+" "+rule)
		}
		switch {
		case t.role == "tool":
			b.gutterText(t.body, themes.Dim)
		case t.role == "system": // it may describe the tags of tools
			b.prose(t.body, themes.Plain, o)
		case isAnswer && (t.role == "" || t.role == "assistant"):
			for _, seg := range splitThoughts(t.body) {
				if seg.thought {
					b.writeThought(seg, o)
				} else {
					b.withTools(seg.logged(), o)
				}
			}
		default:
			b.withTools(t.body, o)
		}
		for _, call := range t.calls {
			b.toolHeading("tool call", true, o)
			b.gutterText(call, themes.Accent)
		}
	}
}

const maxThoughts = 1000 // that are recognised in one response

// segment is a part of a response: a thought, or text outside of thoughts.
type segment struct {
	open, body, close string // tags as logged, "" for a missing one
	thought           bool
}

func (s segment) logged() string { return s.open + s.body + s.close }

func thoughtTags() [][2]string {
	return [][2]string{
		{"<think>", "</think>"},
		{"<thinking>", "</thinking>"},
		{"<reasoning>", "</reasoning>"},
		{"<|begin_of_thought|>", "<|end_of_thought|>"},
	}
}

// splitThoughts splits a response at the tags of its thoughts. The first thought has no
// opening tag if the prompt ends with it, and the last has no closing tag if the response
// was truncated.
func splitThoughts(s string) (all []segment) {
	i := slices.IndexFunc(thoughtTags(), func(tags [2]string) bool { return strings.Contains(s, tags[0]) || strings.Contains(s, tags[1]) })
	if i < 0 {
		return []segment{{body: s}}
	}
	open, end := thoughtTags()[i][0], thoughtTags()[i][1]
	if body, after, closed := strings.Cut(s, end); closed && !strings.Contains(body, open) {
		all = append(all, segment{body: body, close: end, thought: true})
		s = after
	}
	for range maxThoughts {
		before, rest, opened := strings.Cut(s, open)
		all = append(all, segment{body: before})
		if !opened {
			return all
		}
		body, after, closed := strings.Cut(rest, end)
		if !closed {
			return append(all, segment{open: open, body: body, thought: true})
		}
		all = append(all, segment{open: open, body: body, close: end, thought: true})
		s = after
	}
	return append(all, segment{body: s})
}

// withoutThoughts returns a response without its thoughts. A thought without a closing tag
// stays, since the response has nothing else.
func withoutThoughts(s string) string {
	var b strings.Builder
	for _, seg := range splitThoughts(s) {
		if !seg.thought || seg.close == "" {
			b.WriteString(seg.logged())
		}
	}
	return b.String()
}

// writeThought writes a thought, only its heading if it is folded.
func (b *builder) writeThought(s segment, o Options) {
	arrow := o.sign("▾ ", "v ")
	if o.Folded {
		arrow = o.sign("▸ ", "> ")
	}
	b.write(themes.Dim, arrow)
	b.write(themes.Accent, "thought")
	b.write(themes.Dim, "  "+characters(strings.TrimSpace(s.body)))
	if s.close == "" {
		b.write(themes.Warn, " · not closed: "+s.open+" without a closing tag")
	}
	if s.open == "" {
		b.write(themes.Dim, " · opened by the prompt")
	}
	if o.Folded {
		b.writeLine(themes.Dim, " · T unfolds")
		return
	}
	b.endParagraph()
	b.prose(s.body, themes.Dim, o)
	if s.close != "" {
		b.writeLine(themes.Dim, s.close)
	}
}

// toolTag finds the start of a tool call, or of what a tool answers.
var toolTag = regexp.MustCompile(`<(tool_call|function_call|search|tool_response|tool_result|function_response|information)>`)

func isCall(name string) bool { return strings.HasSuffix(name, "_call") || name == "search" }

// withTools writes text with the tool calls and their results set apart. A tag without an end, or without content, is text.
func (b *builder) withTools(s string, o Options) {
	for at := 0; ; {
		found := toolTag.FindStringSubmatchIndex(s[at:])
		if found == nil {
			break
		}
		name, from := s[at+found[2]:at+found[3]], at+found[1]
		n := strings.Index(s[from:], "</"+name+">")
		if n < 0 || strings.TrimSpace(s[from:from+n]) == "" {
			at = from
			continue
		}
		b.prose(s[:at+found[0]], themes.Plain, o)
		b.toolHeading("<"+name+">", isCall(name), o)
		role := themes.Dim
		if isCall(name) {
			role = themes.Accent
		}
		b.gutterText(s[from:from+n], role)
		s, at = s[from+n+len("</"+name+">"):], 0
	}
	b.prose(s, themes.Plain, o)
}

func (b *builder) toolHeading(name string, call bool, o Options) {
	arrow := o.sign("← ", "<- ")
	if call {
		arrow = o.sign("→ ", "-> ")
	}
	b.writeLine(themes.Key, arrow+name)
}

func (b *builder) gutterText(s string, role themes.Role) {
	s = strings.Trim(s, "\r\n ")
	if s == "" {
		return
	}
	for _, line := range cleanLines(s) {
		b.current.gutter = true
		b.writeLine(role, line)
	}
}
