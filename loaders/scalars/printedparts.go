package scalars

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/model/scalars"
)

// What a trainer prints of a step may be spread over several lines, or over the pictures of one progress bar.

// linePrefix is what launchers put in front of each line of a process: "(TaskRunner pid=7)", "[rank0]:".
var linePrefix = regexp.MustCompile(`^(?:\([^()]*\bpid=\d+[^()]*\)|\[(?:rank|default)\d+\]:?)\s*`)

// wrappedDict is a dict of several lines that has not ended.
type wrappedDict struct {
	text  []byte // nil if there is none
	lines int
	depth int // how many braces are open
}

// maxWrapped is how many lines a dict may have, and maxWrappedBytes how long it may be.
const maxWrapped, maxWrappedBytes = 512, 64 << 10

// dictBegins finds where a line opens a dict: a brace with a key behind it, or nothing.
var dictBegins = regexp.MustCompile(`\{\s*(?:['"]|$)`)

// add takes a line. It returns the whole dict if that ends with it, the line itself if that is of none, and nil if the dict goes on.
func (w *wrappedDict) add(line []byte) (whole []byte) {
	if w.text == nil {
		at := dictBegins.FindIndex(line)
		if at == nil || len(line) > maxWrappedBytes {
			return line
		}
		if w.depth = openBraces(line[at[0]:]); w.depth <= 0 {
			return line
		}
		w.text, w.lines = bytes.Clone(line), 1
		return nil
	}
	rest := linePrefix.ReplaceAll(line, nil)
	w.lines++
	isPart := len(rest) > 0 && bytes.ContainsAny(rest[:1], `'"}]`) && w.lines <= maxWrapped && len(w.text)+len(rest) <= maxWrappedBytes
	if !isPart {
		*w = wrappedDict{}
		return line
	}
	w.text = append(append(w.text, ' '), rest...)
	if w.depth += openBraces(rest); w.depth > 0 {
		return nil
	}
	whole = w.text
	*w = wrappedDict{}
	return whole
}

// openBraces returns how many braces more a text opens than it closes, without those between quotes.
func openBraces(text []byte) (depth int) {
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			depth--
		}
	}
	return depth
}

// figuredBar is a progress bar with figures behind its times, as tqdm's set_postfix writes them: "3/40 [00:01<00:20, 1.2it/s, reward=0.5]".
var (
	figuredBar = regexp.MustCompile(`\d+%\|[^|]*\|\s*(\d+)/(\d+)\s*\[[^\],]*,[^\],]*,\s*([^\]]*=[^\]]*)`)
	barFigure  = regexp.MustCompile(`([A-Za-z][\w./@ -]*?) ?= ?([^,\]]+)`)
)

// figuredStep is the name of the step that a bar with figures tells.
const figuredStep = barStep + " with numbers of "

// barFigures are those of a progress bar. Of several pictures at one step the last counts: the bar moves before its figures do.
type barFigures struct {
	held *figures
	done string
}

// add looks for a bar with figures. It returns those of the step before, once another comes.
func (b *barFigures) add(part []byte) (before *figures, isOne bool) {
	if !bytes.Contains(part, []byte("%|")) {
		return nil, false
	}
	m := figuredBar.FindSubmatch(part)
	if m == nil {
		return nil, false
	}
	f, known := &figures{isNamed: true}, false
	for _, pair := range barFigure.FindAllSubmatch(m[3], -1) {
		name := strings.ReplaceAll(strings.TrimSpace(string(pair[1])), " ", "_")
		if v, ok := numberIn(string(pair[2])); ok && formats.StepRank(name) == 0 {
			f.add(name, v)
			known = known || scalars.Known(name)
		}
	}
	done, err := strconv.ParseInt(string(m[1]), 10, 64)
	if !known || err != nil {
		return nil, false
	}
	f.bars = []stepAt{{figuredStep + string(m[2]), done}}
	if at := string(m[1]) + "/" + string(m[2]); at != b.done {
		before, b.done = b.held, at
	}
	b.held = f
	return before, true
}

// take returns the figures of the newest step.
func (b *barFigures) take() *figures {
	f := b.held
	b.held = nil
	return f
}

// Figures may come one a line, below a line that names their step.
var (
	blockHead = regexp.MustCompile(`(?i)^[^\w]*(?:train(?:ing)?[ _]|global[ ` +
		`_])?(?:step|iteration|iter|rollout|update)[\s:#=\[]*(\d+)(?:\s*/\s*\d+)?[^\w]*$`)
	blockPair = regexp.MustCompile(`^[^\w]*([A-Za-z][\w./@()-]*(?: ` +
		`[\w./@()-]+){0,4})\s*[:=│|┃]\s*([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|NaN|inf)) *[A-Za-z/]{0,8}[\s│|┃]*$`)
)

// stepBlock is a step whose figures come one a line.
type stepBlock struct {
	held  *figures
	known bool
}

// add takes a line. It returns the figures of the step before at a line that names the next; isOne is false if the line is neither.
func (b *stepBlock) add(part []byte) (before *figures, isOne bool) {
	const longest = 256
	if len(part) > longest {
		return nil, false
	}
	if m := blockHead.FindSubmatch(part); m != nil {
		before = b.take()
		b.held, b.known = &figures{isNamed: true}, false
		b.held.add("step", jsonscan.Value{Kind: jsonscan.Number, Raw: bytes.Clone(m[1])})
		return before, true
	}
	m := blockPair.FindSubmatch(part)
	if m == nil || b.held == nil {
		return nil, false
	}
	name := strings.ReplaceAll(strings.ToLower(string(m[1])), " ", "_")
	v, ok := numberIn(string(m[2]))
	if ok && formats.StepRank(name) == 0 && !b.held.has(name) {
		b.held.add(name, v)
		b.known = b.known || scalars.Known(name)
	}
	return nil, ok
}

// take returns the figures of the newest step, nil if they mean nothing.
func (b *stepBlock) take() *figures {
	f, known := b.held, b.known
	b.held = nil
	const least = 3 // the step too
	if !known || len(f.names) < least {
		return nil
	}
	return f
}
