package scalars

import (
	"bufio"
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/model/scalars"
)

// printed reads what a trainer prints: nohup.out, train.log, slurm-123.out. Figures stand in lines among progress bars and warnings:
//
//	{'loss': 0.0, 'reward': 0.31, 'epoch': 0.01}              TRL, Unsloth, ms-swift, LLaMA-Factory: transformers' trainer_callback.py, a dict
//	step 3: {'rollout/raw_reward': 0.5}                       slime and miles
//	step:1 - critic/score/mean:0.3 - actor/lr:np.float64(0.1) verl's verl/utils/logger/aggregate_logger.py
//	Step 3 | Time: 1.2s | Reward: 0.5000                      prime-rl's orchestrator
//	step=3 reward=0.5 loss=0.1                                loops of one's own
//	Iter 3: Total loss 0.1, Total rewards mean 0.5            mlx-lm-lora's grpo_trainer.py
//	 8%|#  | 3/40 [00:01<00:20, 1.2it/s, reward=0.5]          tqdm's set_postfix, as of OpenRLHF
//	=== Step 3/40 ===, below it "• Avg Reward: 0.5"           NeMo-RL's grpo.py, tables of rich as tinker-cookbook's
type printed struct {
	dict  wrappedDict
	bar   barFigures
	block stepBlock

	bars   []stepAt // the newest of each progress bar without a name
	others int      // lines that are none of the above
	last   string   // the last of them that says why a program ended
	isSure bool     // figures came that are no sentence: then only such lines count
}

const maxBars = 4

// add reads a line, of which a carriage return may have been written over parts. It returns the figures, nil if it has none.
func (p *printed) add(line []byte) (found []*figures) {
	for part := range bytes.SplitSeq(plain(line), []byte{'\r'}) {
		if part = bytes.TrimSpace(part); len(part) == 0 {
			continue
		}
		if part = p.dict.add(part); part != nil {
			found = append(found, p.figuresOf(part)...)
		}
	}
	return found
}

// figuresOf returns the figures in a part of a line, and those that end with it.
func (p *printed) figuresOf(part []byte) (found []*figures) {
	isBar := p.addBar(part)
	if all := figuresIn(part); len(all) > 0 && (!all[0].isNamed || !p.isSure) {
		p.isSure = p.isSure || !all[0].isNamed
		for _, f := range all {
			f.bars = slices.Clone(p.bars)
		}
		return all
	}
	before, isOfBar := p.bar.add(part)
	isOfBlock := false
	if !isOfBar {
		before, isOfBlock = p.block.add(part)
	}
	switch {
	case before != nil && !p.isSure:
		found = append(found, before)
	case !isBar && !isOfBar && !isOfBlock:
		p.others++
		if start := part[:min(len(part), maxQuoted)]; endOfProgram.Match(start) || bytes.Contains(start, []byte("ut of memory")) {
			p.last = string(jsonscan.Clip(part, maxQuoted))
		}
	}
	return found
}

// end returns the figures that no line ended.
func (p *printed) end() (found []*figures) {
	for _, f := range []*figures{p.bar.take(), p.block.take()} {
		if f != nil && !p.isSure {
			found = append(found, f)
		}
	}
	return found
}

const maxQuoted = 80

// endOfProgram is a line that says why a program ended.
var endOfProgram = regexp.MustCompile(`^([\w.]*(Error|Exception|Interrupt|Exit|Killed)\b|Killed|Terminated|Segmentation ` +
	`fault|slurmstepd: error|srun: error)`)

func (p *printed) note() string {
	switch {
	case p.others == 0:
		return ""
	case p.last != "" && p.others == 1:
		return "1 other line: " + p.last
	case p.last != "":
		return fmt.Sprintf("%d other lines: %s", p.others, p.last)
	case p.others == 1:
		return "1 other line is not read"
	}
	return fmt.Sprintf("%d other lines are not read", p.others)
}

// bar is a progress bar of tqdm: what it is of, how many are done, of how many.
var bar = regexp.MustCompile(`([^\s|%][^|%]*:)?\s*\d+%\|[^|]*\|\s*(\d+)/(\d+)\s*\[`)

// addBar looks for progress bars. Those with a name are of loading and generating, and tell no step.
func (p *printed) addBar(part []byte) bool {
	if !bytes.Contains(part, []byte("%|")) {
		return false
	}
	all := bar.FindAllSubmatch(part, -1)
	for _, m := range all {
		done, err := strconv.ParseInt(string(m[2]), 10, 64)
		if len(bytes.TrimSpace(m[1])) > 0 || err != nil {
			continue
		}
		name := barStep + " of " + string(m[3])
		at := slices.IndexFunc(p.bars, func(s stepAt) bool { return s.name == name })
		switch {
		case at >= 0:
			p.bars[at].step = done
		case len(p.bars) < maxBars:
			p.bars = append(p.bars, stepAt{name, done})
		}
	}
	return len(all) > 0
}

// escape is a sequence that colours a terminal, moves its cursor or sets its title.
var escape = regexp.MustCompile(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?|[ -/]*[0-~])`)

// plain takes escape sequences off a line.
func plain(line []byte) []byte {
	if bytes.IndexByte(line, 0x1b) < 0 {
		return line
	}
	return escape.ReplaceAll(line, nil)
}

// figures are those of a line.
type figures struct {
	names  []string
	values []jsonscan.Value // numbers and short texts
	bars   []stepAt

	isNamed bool // see namedFigures
}

func (f *figures) add(name string, v jsonscan.Value) {
	if len(f.names) < maxRow {
		f.names, f.values = append(f.names, name), append(f.values, v)
	}
}

func (f *figures) has(name string) bool { return slices.Contains(f.names, name) }

// record returns the figures as a JSON object, with the step that their own progress bar tells.
func (f *figures) record() []byte {
	object := []byte{'{'}
	if isOfBar := len(f.bars) > 0 && strings.HasPrefix(f.bars[0].name, figuredStep); isOfBar {
		object = append(strconv.AppendInt(append(object, `"step":`...), f.bars[0].step, 10), ',')
	}
	for i, name := range f.names {
		object = append(jsonscan.AppendText(object, name), ':')
		if v := f.values[i]; v.Kind == jsonscan.ComputedNumber {
			object = jsonscan.AppendNumber(object, v.Float)
		} else {
			object = v.AppendJSON(object)
		}
		object = append(object, ',')
	}
	return jsonscan.AppendEnd(object, '}')
}

func (f *figures) row() (r row) {
	for i, name := range f.names {
		r.add(strings.TrimPrefix(name, "data/"), f.values[i])
	}
	r.steps = append(r.steps, f.bars...)
	return r
}

// hasMeaning reports whether figures are those of a step: numbers, of which one has a known meaning, and no settings of the run.
func (f *figures) hasMeaning() bool {
	known := false
	for i, name := range f.names {
		isText := f.values[i].Kind == jsonscan.Bool || f.values[i].Kind == jsonscan.String
		if isText && formats.StepRank(name) == 0 {
			return false
		}
		known = known || scalars.Known(name)
	}
	return known
}

// figuresIn returns the figures in a line, nil if it has none: of several dicts those of each.
func figuresIn(line []byte) []*figures {
	const maxPrinted = 256 << 10
	if len(line) > maxPrinted {
		return nil
	}
	if all := dictsIn(line); all != nil {
		return all
	}
	for _, parse := range []func([]byte) *figures{verlFigures, namedFigures} {
		if f := parse(line); f != nil {
			return []*figures{f}
		}
	}
	return nil
}

// stepBefore is a step in front of a dict.
var stepBefore = regexp.MustCompile(`(?i)\b(?:step|rollout|iteration|iter)\s*[:=#]?\s*(\d+)\s*(?:/\s*\d+)?\s*[:|,-]?\s*$`)

// dictsIn reads the Python dicts or JSON objects in a line that have figures.
func dictsIn(line []byte) (all []*figures) {
	const most = 4 // braces that are tried, one after the other
	from, at := 0, 0
	for tries := 0; tries < most; tries++ {
		i := bytes.IndexByte(line[at:], '{')
		if i < 0 {
			break
		}
		at += i
		f := &figures{}
		d := dict{text: line, pos: at}
		if isDict := d.object("", f, 0) && f.hasMeaning() && len(f.names) > 1; !isDict {
			at++
			continue
		}
		if m := stepBefore.FindSubmatch(line[from:at]); m != nil {
			f.add("step", jsonscan.Value{Kind: jsonscan.Number, Raw: m[1]})
		}
		all, from, at, tries = append(all, f), d.pos, d.pos, 0
	}
	return all
}

// ofProcess is how Ray begins the lines of a process.
var ofProcess = regexp.MustCompile(`^\([^()]*\bpid=\d+[^()]*\)\s*`)

// verlFigures reads a line of verl's console logger.
func verlFigures(line []byte) *figures {
	const begin, between = "step:", " - "
	if !bytes.Contains(line, []byte(begin)) {
		return nil
	}
	line = ofProcess.ReplaceAll(line, nil)
	at := bytes.Index(line, []byte(begin))
	if at < 0 || at > 0 && line[at-1] != ' ' && line[at-1] != ')' && line[at-1] != ']' {
		return nil
	}
	f := &figures{}
	for i, pair := range strings.Split(string(line[at:]), between) {
		colon := strings.LastIndexByte(pair, ':')
		if colon < 0 {
			continue
		}
		v, ok := numberIn(pair[colon+1:])
		if i == 0 && !ok {
			return nil
		}
		if ok {
			f.add(strings.TrimSpace(pair[:colon]), v)
		}
	}
	if len(f.names) < 2 {
		return nil
	}
	return f
}

var (
	// namedStep is a step within a line of names and figures.
	namedStep = regexp.MustCompile(`(?i)(?:^|[\s|,:\[(>-])(?:train(?:ing)?[ _]?|global[ ` +
		`_]?)?(?:step|iteration|iter)\s*[:=#]?\s*\[?(\d+)(?:\s*/\s*\d+)?\]?`)
	// pair is a name of at most three words and its figure.
	pair = regexp.MustCompile(`([A-Za-z][\w./@()-]*(?: [\w./@()-]+){0,2}) ?[:=] ?([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|NaN|inf))\s*(%)?`)
	// listedPair is the same in a list with commas or bars, with nothing but a space between, and perhaps a unit: "Total rewards mean 0.5,
	// Peak mem 9 GB".
	listedPair = regexp.MustCompile(`(?:^|,) *([A-Za-z][\w./@()-]*(?: ` +
		`[A-Za-z][\w./@()-]*){0,3}) ([-+]?(?:\d[\d.]*(?:[eE][-+]?\d+)?|nan|NaN|inf)) *(%)?(?:[A-Za-z/]{1,8})?(?: *,| *$)`)
)

// namedFigures reads a line with a step near its start and pairs behind it, as "Step 3 | Reward: 0.5 | Loss: 0.1", "step=3 reward=0.5". At
// least two of them must be figures, one with a known meaning, and they must be most of the line: a sentence may name a step too.
func namedFigures(line []byte) *figures {
	const longest, start = 4 << 10, 96
	first := line[:min(len(line), start)]
	if len(line) > longest || !bytes.Contains(first, []byte("tep")) && !bytes.Contains(first, []byte("ter")) &&
		!bytes.Contains(first, []byte("STEP")) {
		return nil
	}
	match := namedStep.FindSubmatchIndex(first)
	if match == nil {
		return nil
	}
	f := &figures{isNamed: true}
	f.add("step", jsonscan.Value{Kind: jsonscan.Number, Raw: line[match[2]:match[3]]})
	known, told := 0, 0
	rest := line[match[1]:]
	pairs := pair.FindAllSubmatch(rest, -1)
	if listed := listedPairs(rest); len(listed) > len(pairs) {
		pairs = listed
	}
	for _, m := range pairs {
		v, ok := numberIn(string(m[2]))
		name := strings.ReplaceAll(strings.ToLower(string(m[1])), " ", "_")
		told += len(m[0])
		if !ok || formats.StepRank(name) > 0 {
			continue
		}
		if x, _ := v.ToFloat(); len(m[3]) > 0 {
			v = jsonscan.FromFloat(x / 100)
		}
		if f.add(name, v); scalars.Known(name) {
			known++
		}
	}
	if known == 0 || len(f.names) < 3 || 2*told < len(rest) {
		return nil
	}
	return f
}

// listedPairs returns the pairs of a list with commas or bars. Each ends where the next begins.
func listedPairs(rest []byte) (all [][][]byte) {
	for piece := range bytes.FieldsFuncSeq(rest, func(c rune) bool { return c == ',' || c == '|' }) {
		if m := listedPair.FindSubmatch(bytes.Trim(piece, " :-")); m != nil {
			all = append(all, m)
		}
	}
	return all
}

// numberIn reads a number as Python prints it, maybe of numpy or torch: np.float64(0.3), tensor(0.3, device='cuda:0').
func numberIn(text string) (jsonscan.Value, bool) {
	text = strings.TrimSpace(text)
	if name, inner, ok := strings.Cut(text, "("); ok && isNumberType(name) {
		text, _, _ = strings.Cut(strings.TrimSuffix(inner, ")"), ",")
	}
	v := jsonscan.Value{Kind: jsonscan.String, Raw: []byte(strings.TrimSpace(text))}
	x, ok := v.ToFloat()
	return jsonscan.FromFloat(x), ok
}

func isNumberType(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "np."), "numpy.")
	return name == "tensor" || strings.HasPrefix(name, "float") || strings.HasPrefix(name, "int") || strings.HasPrefix(name, "bfloat")
}

// dict reads a Python dict or a JSON object.
type dict struct {
	text []byte
	pos  int
}

const maxDictDepth = 4

func (d *dict) skipSpace() {
	for d.pos < len(d.text) && (d.text[d.pos] == ' ' || d.text[d.pos] == '\t') {
		d.pos++
	}
}

func (d *dict) take(c byte) bool {
	d.skipSpace()
	if d.pos < len(d.text) && d.text[d.pos] == c {
		d.pos++
		return true
	}
	return false
}

// object reads the fields of an object, those of others in it by their path. It is not ok if that is none, or if it holds a list.
func (d *dict) object(prefix string, f *figures, depth int) (ok bool) {
	if !d.take('{') || depth > maxDictDepth {
		return false
	}
	for !d.take('}') {
		name, ok := d.quoted()
		if !ok || !d.take(':') || !d.value(prefix+name, f, depth) {
			return false
		}
		if d.take(',') {
			continue
		}
		return d.take('}')
	}
	return true
}

func (d *dict) value(name string, f *figures, depth int) bool {
	d.skipSpace()
	rest := d.text[d.pos:]
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '{':
		return d.object(name+"/", f, depth+1)
	case '\'', '"':
		text, ok := d.quoted()
		v, isNumber := numberIn(text)
		isAmount := text == "" || text[0] >= '0' && text[0] <= '9' // 3m 5s, 5.00%
		switch {
		case isNumber, formats.StepRank(name) > 0:
			if !isNumber {
				v = jsonscan.FromText([]byte(text))
			}
			f.add(name, v)
		case !isAmount:
			f.add(name, jsonscan.FromText([]byte(text)))
		}
		return ok
	}
	return d.bare(name, f)
}

// bare reads a value without quotes: a number, a word, tensor(0.5).
func (d *dict) bare(name string, f *figures) bool {
	rest := d.text[d.pos:]
	end, depthOf := 0, 0
	for ; end < len(rest); end++ {
		c := rest[end]
		if depthOf == 0 && (c == ',' || c == '}') {
			break
		}
		switch c {
		case '(':
			depthOf++
		case ')':
			depthOf--
		case '[', '{', '\n':
			return false
		}
	}
	d.pos += end
	switch text := strings.TrimSpace(string(rest[:end])); text {
	case "None", "null", "":
		return text != ""
	case "True", "False", "true", "false":
		f.add(name, jsonscan.Value{Kind: jsonscan.Bool, Raw: []byte(strings.ToLower(text))})
		return true
	default:
		v, ok := numberIn(text)
		if ok {
			f.add(name, v)
		}
		return ok
	}
}

// quoted reads a text between single or double quotes.
func (d *dict) quoted() (string, bool) {
	d.skipSpace()
	if d.pos >= len(d.text) || d.text[d.pos] != '\'' && d.text[d.pos] != '"' {
		return "", false
	}
	quote, from := d.text[d.pos], d.pos+1
	for i := from; i < len(d.text); i++ {
		switch d.text[i] {
		case '\\':
			i++
		case quote:
			d.pos = i + 1
			return string(d.text[from:i]), true
		}
	}
	return "", false
}

// readPrinted reads what a trainer prints.
func readPrinted(t *table, in *input) error {
	var p printed
	lines := bufio.NewReaderSize(in.text, 1<<16)
	for {
		line, err := readLine(lines)
		all := p.add(line)
		if err != nil {
			all = append(all, p.end()...)
		}
		for _, f := range all {
			t.add(f.row())
		}
		if err != nil {
			if note := p.note(); note != "" {
				t.notes = append(t.notes, note)
			}
			return fileio.IgnoreEnd(err)
		}
	}
}

// isPrinted reports whether a text has lines with figures among others, and they are no samples.
func isPrinted(in *input) bool {
	if beginsDocument(in.head) {
		return false
	}
	var p printed
	var rows formats.Rows
	const enough = 8 // lines of JSON alone are another log
	objects, lines := 0, 0
	seen := map[string]bool{}
	look := func(all []*figures) {
		for _, f := range all {
			names := strings.Join(f.names, "\n")
			if f.isNamed && !seen[names] { // a sentence does not come twice
				seen[names] = len(seen) < maxRow
				continue
			}
			rows.Add(f.record())
		}
	}
	for line := range in.wholeLines() {
		lines++
		if objects == lines-1 && jsonscan.ScanObject(line, nil) == nil {
			objects++
		}
		if objects == enough {
			return false
		}
		look(p.add(line))
	}
	look(p.end())
	isText := objects < lines
	return isText && rows.Verdict() != formats.Samples && rows.HaveOrder()
}

// beginsDocument reports whether a text is a JSON document of several lines, whose lines may look like what is printed.
func beginsDocument(text []byte) bool {
	text = bytes.TrimSpace(text)
	if inList, ok := bytes.CutPrefix(text, []byte{'['}); ok {
		return bytes.HasPrefix(bytes.TrimSpace(inList), []byte{'{'})
	}
	first, _, _ := bytes.Cut(text, []byte{'\n'})
	isPython := bytes.HasPrefix(first, []byte("{'"))
	return bytes.HasPrefix(first, []byte{'{'}) && !isPython && figuresIn(first) == nil && jsonscan.ScanObject(first, nil) != nil
}
