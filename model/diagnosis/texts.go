package diagnosis

import (
	"cmp"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model"
)

// Texts are the answers that were read: of some groups of some steps, more where something seems to begin. The caller reads what Next
// asks for until it asks for nothing:
//
//	texts := NewTexts(o, most)
//	for picks := texts.Next(); len(picks) > 0; picks = texts.Next() {
//		for _, p := range picks {
//			texts.add(p, texts.digest(text of p))
//		}
//	}
type Texts struct {
	o       *Observations
	most    int
	asked   int
	rounds  int
	picked  map[int]bool // steps of o that were asked for
	answers []answer     // ascending by step and group, once sorted
	sorted  bool
	empty   int // answers without a text
	seed    maphash.Seed
	found   map[Kind]detected // when so many texts were asked for
	foundOf int

	phrases   []phrase // that are new: see findPhrases
	phrasesOf int      // how many answers they are of

	replies map[int][]reply              // to prompts whose answers are all wrong, by step of o: see pickAlike
	every   bool                         // all texts are asked for
	truths  []Placed                     // ground truths of prompts whose answers were not read
	sources map[uint64]string            // by what comes from one source: see sourceKey
	fields  map[string]map[uint64]string // values of each field that may be a source, by the same
}

// detected is what looking for a kind gave.
type detected struct {
	findings []Finding
	blind    string
}

// Pick is a sample whose text is wanted.
type Pick struct {
	Step int // index in the snapshot
	Row  int // of the step, in input order

	at, group int // index in Observations.Steps; ordinal of the group
	reward    float64
	prompt    uint32
	sourcing  bool // only its fields are wanted
	truthing  bool // only its ground truth is wanted
	likening  bool // only what the answers of its step have in common is wanted
}

// answer is what is kept of a text.
type answer struct {
	step, group int
	reward      float64
	parts       []float64 // by reward column
	prompt      uint32
	whole       uint64 // hash of its words; 0 if it has none
	words       int
	bag         []uint64 // hashes of its first words with the one before, each once, ascending
	begin       string   // at most sampleBytes
	asks        string   // the same of the prompt
	asked       int      // bytes of the prompt
	tail        []string // its last words, as letters
	ending      string   // its last word: see endingOf
	unfinished  bool     // it does not end like a text that is complete
	cut         bool     // the trainer says that it was cut off
	tools       toolUse
	loops       bool
	control     bool
	end         string // the control token that it ends on
	foreign     bool   // it is in another script than its prompt, or in many
	broken      bool   // it is one character, or a few words, again and again
	row         int    // of its step
	characters  int
	said        spoken
	finish      string // its last bytes, beyond those of begin
	reply       reply
	file        string // that seems to hold the result, and that its prompt does not name
	result
}

// How much is read and kept.
const (
	coarseSteps  = 64   // over which the first texts are spread: an onset is looked for between two of them afterwards
	stepTexts    = 20   // of a step at least, so that a share of a tenth is seen
	stepGroups   = 2    // of a step at least: what is alike in one group may be its prompt's
	groupTexts   = 16   // of a group at most
	sourceTexts  = 1024 // of prompts whose source is not known yet
	maxRounds    = 5    // of Next
	bagWords     = 256  // of an answer are compared with those of others
	sampleBytes  = 800
	finishBytes  = 300
	tailWords    = 12  // at the end of an answer, where the result stands
	maxLoopWords = 400 // that are looked at for a loop, from the end
)

// NewTexts returns texts of which none is read. At most so many are asked for.
func NewTexts(o *Observations, most int) *Texts {
	return &Texts{
		o: o, most: most, seed: maphash.MakeSeed(),
		picked: map[int]bool{}, replies: map[int][]reply{}, sources: map[uint64]string{}, fields: map[string]map[uint64]string{},
	}
}

// Next returns the texts to read next, none if nothing is left to ask.
func (t *Texts) Next() []Pick {
	t.rounds++
	var picks []Pick
	switch {
	case t.rounds > maxRounds || len(t.o.Steps) == 0:
	case t.rounds == 1: // to see whether there are texts at all; from the start, from which a compressed file is read on
		picks = t.pickStep(0)
	case t.empty == len(t.answers) && t.rounds == 2:
		t.answers = nil
		picks = t.pickSources()
	case len(t.answers) == 0:
	case t.rounds == 2:
		steps := model.Indexes(len(t.o.Steps))
		if !t.every {
			steps = spread(steps, coarseSteps)
		}
		for _, i := range steps {
			picks = append(picks, t.pickStep(i)...)
		}
	default:
		for _, i := range t.doubtful() {
			picks = append(picks, t.pickStep(i)...)
		}
		if t.rounds == 3 && t.sourceField() != "" {
			picks = append(picks, t.pickSources()...)
		}
		if t.rounds == 3 {
			picks = append(picks, t.pickTruths()...)
		}
	}
	picks = picks[:min(len(picks), t.most-t.asked)]
	t.asked += len(picks)
	return picks
}

// spread returns at most k of some values, evenly, with the first and the last.
func spread[T any](all []T, k int) []T {
	if len(all) <= k {
		return all
	}
	some := make([]T, k)
	for i := range some {
		some[i] = all[i*(len(all)-1)/(k-1)]
	}
	return some
}

// pickStep asks for texts of some groups of a step: those with the least hash of what they hold, so that the order of rows does not
// matter.
func (t *Texts) pickStep(i int) []Pick {
	if t.picked[i] {
		return nil
	}
	t.picked[i] = true
	s := &t.o.Steps[i]
	order := model.Indexes(len(s.Groups))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.Groups[a].Print, s.Groups[b].Print) })
	step := t.o.snap.Steps[s.Index]
	rows, offsets, err := t.o.snap.Layout(t.o.rule, s.Index)
	if err != nil {
		return nil
	}
	rewards, err := t.o.snap.Rewards(step, rows, t.o.set)
	if err != nil {
		return nil
	}
	var picks []Pick
	var group []int32 // where in rows its samples are: a group may have millions
	for n, g := range order {
		if n >= stepGroups && len(picks) >= stepTexts && !t.every {
			break
		}
		group = group[:0]
		for at := offsets[g]; at < offsets[g+1]; at++ {
			if _, last := step.CountedAs(int(rows[at])); last {
				group = append(group, int32(at))
			}
		}
		some := group
		if len(group) > groupTexts && !t.every {
			slices.SortFunc(group, func(a, b int32) int {
				x, y := rows[a], rows[b]
				return cmp.Or(cmp.Compare(step.Lengths[x], step.Lengths[y]), cmp.Compare(rewards[a], rewards[b]), cmp.Compare(x, y))
			})
			some = spread(group, groupTexts)
		}
		for _, at := range some {
			row := int(rows[at])
			picks = append(picks, Pick{Step: s.Index, Row: row, at: i, group: g, reward: rewards[at], prompt: step.PromptNumber(row)})
		}
	}
	return picks
}

// doubtful returns the steps between the onset of what texts show and the last step read before it.
func (t *Texts) doubtful() []int {
	if len(t.picked) == len(t.o.Steps) {
		return nil
	}
	var steps []int
	t.found, t.foundOf = map[Kind]detected{}, t.asked
	(&evidence{t.o, t}).findPhrases()
	for _, k := range Kinds() {
		if !k.texts {
			continue
		}
		findings, why := k.detect(&evidence{t.o, t})
		t.found[k.Name] = detected{findings, why}
		for _, f := range findings {
			lo, hi := f.first-1, f.first
			for lo >= 0 && !t.picked[lo] {
				lo--
			}
			for hi < len(t.o.Steps) && !t.picked[hi] {
				hi++
			}
			for i := max(0, lo-1); i <= min(hi, len(t.o.Steps)-1); i++ {
				if !t.picked[i] {
					steps = append(steps, i)
				}
			}
		}
	}
	slices.Sort(steps)
	return spread(slices.Compact(steps), coarseSteps/2)
}

// sourceKey is what comes from one source: a prompt, or a group where the log has no prompts.
func (t *Texts) sourceKey(step, group int) uint64 {
	if prompt := t.o.Steps[step].Groups[group].Prompt; prompt > 0 {
		return uint64(prompt)
	}
	return 1<<63 | uint64(step)<<32 | uint64(group)
}

// sourceOf is the source of a group, "" if it is not known.
func (t *Texts) sourceOf(step, group int) string { return t.sources[t.sourceKey(step, group)] }

// pickSources asks for a text of prompts whose source is not known, if records name any.
func (t *Texts) pickSources() []Pick {
	if len(t.fields) == 0 {
		return nil
	}
	var picks []Pick
	asked := map[uint64]bool{}
	for i := range t.o.Steps {
		s := &t.o.Steps[i]
		var rows []int32
		var offsets []int
		for g := range s.Groups {
			key := t.sourceKey(i, g)
			if asked[key] || t.sources[key] != "" {
				continue
			}
			if rows == nil {
				var err error
				if rows, offsets, err = t.o.snap.Layout(t.o.rule, s.Index); err != nil {
					return nil
				}
			}
			asked[key] = true
			picks = append(picks, Pick{
				Step: s.Index, Row: int(rows[offsets[g]]), at: i, group: g, prompt: s.Groups[g].Prompt, sourcing: true,
			})
		}
	}
	hash := func(p Pick) uint64 { return t.o.Steps[p.at].Groups[p.group].Print }
	sort.Slice(picks, func(i, k int) bool { return hash(picks[i]) < hash(picks[k]) })
	return picks[:min(len(picks), sourceTexts)]
}

// hasWords reports whether an answer that was read has a text.
func (t *Texts) hasWords() bool { return t.empty < len(t.answers) }

// digest is what is kept of a text: an answer without what is of its sample, and the fields that tell something.
type digest struct {
	answer
	fields []model.Field
}

func (t *Texts) add(p Pick, d digest) {
	if p.likening {
		t.replies[p.at] = append(t.replies[p.at], d.reply)
		return
	}
	cut := t.takeFields(p, d.fields)
	if p.truthing {
		t.truths = append(t.truths, Placed{Step: t.o.Steps[p.at].Step, Prompt: p.prompt, Truths: d.truths})
	}
	if p.sourcing || p.truthing {
		return
	}
	if d.words == 0 {
		t.empty++
	}
	a := d.answer
	a.step, a.group, a.row, a.reward, a.prompt, a.cut, a.parts = p.at, p.group, p.Row, p.reward, p.prompt, cut, t.partsOf(p)
	t.answers = append(t.answers, a)
	t.sorted = false
}

func (t *Texts) digest(text model.Text) digest {
	words := wordsOf(text.Response)
	a := answer{
		words: len(words), begin: firstBytes(text.Response, sampleBytes), asks: firstBytes(text.Prompt, sampleBytes),
		asked: len(text.Prompt),
		tail:  lastWords(words), ending: endingOf(words), tools: toolUseOf(text.Response),
		unfinished: unfinished(text.Response), loops: loops(text.Response, words),
	}
	a.control, a.end = controls(text.Response)
	a.foreign = foreign(a.asks, a.begin)
	a.broken, a.finish, a.result = isBroken(a.begin, words), lastBytesOf(text.Response[len(a.begin):], finishBytes), resultOf(text)
	a.said, a.reply = spokenOf(words, scriptOf(a.begin) == han), t.replyOf(text.Response)
	a.characters, a.file = utf8.RuneCountInString(text.Response), secretFileIn(text, words)
	if len(words) > 0 {
		last := uint64(0)
		for k, w := range words {
			one := maphash.String(t.seed, w)
			a.whole = mix(a.whole ^ one)
			if k < bagWords {
				a.bag = append(a.bag, mix(last)^one)
				last = one
			}
		}
		slices.Sort(a.bag)
		a.bag = slices.Compact(a.bag)
	}
	return digest{a, tellingFields(text.Fields)}
}

// partsOf are the values of the reward columns of a sample.
func (t *Texts) partsOf(p Pick) []float64 {
	var all []float64
	for _, column := range t.o.snap.Steps[p.Step].Components {
		x := math.NaN()
		if column != nil {
			x = column[p.Row]
		}
		all = append(all, x)
	}
	return all
}

// wordsOf returns the words of a text; of writings without spaces each character is one.
func wordsOf(text string) []string {
	words := strings.Fields(text)
	if scriptOf(firstBytes(text, sampleBytes)) != han {
		return words
	}
	var all []string
	for _, w := range words {
		start := 0
		for i, r := range w {
			if r >= 0x2e80 {
				if start < i {
					all = append(all, w[start:i])
				}
				_, size := utf8.DecodeRuneInString(w[i:]) // 1 of a byte that is no character
				start = i + size
				all = append(all, w[i:start])
			}
		}
		if start < len(w) {
			all = append(all, w[start:])
		}
	}
	return all
}

func firstBytes(text string, n int) string {
	if len(text) <= n {
		return strings.Clone(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return strings.Clone(text[:n])
}

func lastBytesOf(text string, n int) string {
	from := max(0, len(text)-n)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return strings.Clone(text[from:])
}

// all returns the answers by step, group, and what they hold.
func (t *Texts) all() []answer {
	if !t.sorted {
		sort.Slice(t.answers, func(i, k int) bool { return t.answers[i].compare(&t.answers[k]) < 0 })
		t.sorted = true
	}
	return t.answers
}

// compare orders answers by step, group, and what they hold, the same way at each look: not by their hashes, whose seed is drawn.
func (a *answer) compare(b *answer) int {
	if order := cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.group, b.group), cmp.Compare(a.reward, b.reward)); order != 0 {
		return order
	}
	return cmp.Or(
		strings.Compare(a.begin, b.begin), strings.Compare(a.finish, b.finish), cmp.Compare(a.characters, b.characters),
		cmp.Compare(a.row, b.row))
}

// byGroup calls f with the answers of each group that was read.
func (t *Texts) byGroup(f func([]answer)) {
	all := t.all()
	for lo := 0; lo < len(all); {
		hi := lo + 1
		for hi < len(all) && all[hi].step == all[lo].step && all[hi].group == all[lo].group {
			hi++
		}
		f(all[lo:hi])
		lo = hi
	}
}

// share is the series of how many answers have a property.
func (t *Texts) share(has func(*answer) bool) series {
	s := make(series, len(t.o.Steps))
	for i := range t.answers {
		s[t.answers[i].step].add(float64(model.Count01(has(&t.answers[i]))))
	}
	return s
}

// sourceNames are the names of fields that say where a prompt comes from, in the order in which they are asked.
var sourceNames = []string{
	"data_source", "source", "dataset", "dataset_name", "env_name", "env_id", "env", "environment", "scenario", "task_type", "task_name",
	"domain", "subject", "category", "ability", "level", "difficulty", "tags", "task",
}

// SourceOf is where the prompt of a record comes from, by the first of its fields that may say it; "" if none does.
func SourceOf(fields []model.Field) string {
	telling := tellingFields(fields)
	for _, name := range sourceNames {
		if i := slices.IndexFunc(telling, func(f model.Field) bool { return f.Name == name }); i >= 0 {
			return telling[i].Value
		}
	}
	return ""
}

// maxSources is how many sources a run has at most: a field with more values numbers prompts.
const maxSources = 24

// takeFields notes what the other fields of a record say: the source of the prompt, and whether the answer was cut off.
func (t *Texts) takeFields(p Pick, fields []model.Field) (cut bool) {
	for _, f := range fields {
		if f == cutOff {
			cut = true
			continue
		}
		if t.fields[f.Name] == nil {
			t.fields[f.Name] = map[uint64]string{}
		}
		t.fields[f.Name][t.sourceKey(p.at, p.group)] = f.Value
	}
	if name := t.sourceField(); name != "" {
		t.sources = t.fields[name]
	}
	return cut
}

// cutOff is the field by which a record says that its answer was cut off, in whatever words it does.
var cutOff = model.Field{Name: "cut off"}

// tellingFields are those of a record that name a source, by the last part of their names, and cutOff.
func tellingFields(fields []model.Field) (telling []model.Field) {
	for _, f := range fields {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		switch {
		case slices.Contains(sourceNames, name) && len(f.Value) <= 200:
			if value := nameIn(f.Value); value != "" {
				telling = append(telling, model.Field{Name: strings.Clone(name), Value: strings.Clone(value)})
			}
		case saysCut(name, f.Value) && !slices.Contains(telling, cutOff):
			telling = append(telling, cutOff)
		}
	}
	return telling
}

func saysCut(name, value string) bool {
	switch name {
	case "finish_reason", "stop_reason":
		return value == "length" || value == "max_tokens"
	case "truncated", "is_truncated", "overlong":
		return value == "true" || value == "True" || value == "1"
	}
	return strings.Contains(value, `"finish_reason": "length"`) || strings.Contains(value, `"finish_reason":"length"`)
}

// nameIn returns the id or name in an object, such as an environment, "" if it has none, what stands in a list, and any other value as it
// is.
func nameIn(value string) string {
	if !strings.HasPrefix(value, "{") {
		return strings.Trim(value, `[]"`)
	}
	for _, key := range []string{`"id"`, `"name"`} {
		if _, after, found := strings.Cut(value, key); found {
			if parts := strings.SplitN(after, `"`, 3); len(parts) == 3 {
				return parts[1]
			}
		}
	}
	return ""
}

// sourceList are the names of the sources, sorted.
func (t *Texts) sourceList() []string {
	return slices.Compact(slices.Sorted(maps.Values(t.sources)))
}

// sourceField is the first field with several values, each of several prompts, "" if none has.
func (t *Texts) sourceField() string {
	for _, name := range sourceNames {
		distinct := map[string]bool{}
		for _, v := range t.fields[name] {
			distinct[v] = true
		}
		if len(distinct) > 1 && len(distinct) <= min(maxSources, len(t.fields[name])/2) {
			return name
		}
	}
	return ""
}

// lastWords are the last words of an answer in lower case, each as far as it begins with letters: "boxed" of "\\boxed{12}$.".
func lastWords(words []string) []string {
	var all []string
	for _, w := range words[max(0, len(words)-tailWords):] {
		w = strings.TrimLeftFunc(w[:min(len(w), 32)], func(r rune) bool { return !unicode.IsLetter(r) })
		if end := strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
			w = w[:end]
		}
		if w != "" {
			all = append(all, strings.ToLower(w))
		}
	}
	return all
}

// endingOf is the shape of the last word: its digits are one 0, and its letters one a, but for those of a tag or a command, such as
// </answer> and \boxed{12}, which mean something.
func endingOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	w := words[len(words)-1]
	if tag := strings.LastIndexByte(w, '<'); tag >= 0 && strings.HasSuffix(w, ">") {
		return strings.Clone(w[max(tag, len(w)-32):]) // whatever stands before it
	}
	w = w[max(0, len(w)-32):]
	isTag := strings.ContainsAny(w, "<\\")
	shape := make([]rune, 0, len(w))
	for _, r := range w {
		switch {
		case unicode.IsDigit(r):
			r = '0'
		case unicode.IsLetter(r) && !isTag:
			r = 'a'
		}
		isRun := (r == '0' || r == 'a' && !isTag) && len(shape) > 0 && shape[len(shape)-1] == r
		if !isRun {
			shape = append(shape, r)
		}
	}
	return string(shape)
}

// unfinished reports whether a text ends in the middle: on a letter, a digit or a comma. Whether that means anything is seen from
// the answers that win.
func unfinished(text string) bool {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	r, _ := utf8.DecodeLastRuneInString(text)
	return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(",;:-–—(+=*/<&\\", r))
}

// The rule of a loop: the same words come again and again until they are most of the end of an answer.
const (
	maxPeriod     = 12 // words of a phrase that is repeated
	leastRepeated = 3  // times
	leastLooped   = 9  // words in the repetition: three times three is no accident
	loopedShare   = 0.5
	wordLetters   = 3  // characters to a word, of writings without spaces
	maxRunePeriod = 6  // the same of characters, for languages without spaces and for "!!!!!"
	leastRunes    = 48 // in the repetition
)

// loops reports whether at least half of a text is one phrase repeated.
func loops(text string, words []string) bool {
	words = words[max(0, len(words)-maxLoopWords):]
	period, least := maxPeriod, leastLooped
	if scriptOf(firstBytes(text, sampleBytes)) == han { // a word of it is a character
		period, least = wordLetters*maxPeriod, wordLetters*leastLooped
	}
	runes := []rune(firstBytes(text, 4*sampleBytes))
	return isLoop(words, period, least) || isLoop(runes, maxRunePeriod, leastRunes)
}

// isLoop reports whether a stretch of at least so many items, and half of them, repeats one period at least leastRepeated times. Such a
// stretch holds one of the two items in the middle, and so a pair that begins or ends there.
func isLoop[T comparable](items []T, maxPeriod, least int) bool {
	n := len(items)
	least = max(least, int(math.Ceil(loopedShare*float64(n))))
	for period := 1; period <= maxPeriod; period++ {
		for _, end := range []int{n/2 - 1, n / 2, n/2 - 1 + period, n/2 + period} {
			if end < period || end >= n || items[end] != items[end-period] {
				continue
			}
			lo, hi := end, end+1
			for lo > period && items[lo-1] == items[lo-1-period] {
				lo--
			}
			for hi < n && items[hi] == items[hi-period] {
				hi++
			}
			if hi-lo >= (leastRepeated-1)*period && hi-lo+period >= least {
				return true
			}
		}
	}
	return false
}

// isBroken reports whether an answer begins with one or two characters, or is one or two words, again and again.
func isBroken(begin string, words []string) bool {
	const least, few = 48, 2
	different := words[:0:0]
	for _, w := range words {
		if len(different) <= few && !slices.Contains(different, w) {
			different = append(different, w)
		}
		if len(different) > few {
			break
		}
	}
	signs := []rune(nil)
	for _, r := range begin {
		if len(signs) <= few && !unicode.IsSpace(r) && !slices.Contains(signs, r) {
			signs = append(signs, r)
		}
		if len(signs) > few {
			break
		}
	}
	return len(begin) >= least && len(signs) <= few || len(words) >= least/4 && len(different) <= few
}

// leastJunk is how many characters that no text has make an answer junk: one or two are a mistake of an encoder.
const leastJunk = 3

// controls reports whether an answer goes on after a control token, or has characters that no text has, and else on which token it ends,
// as many trainers log every answer.
func controls(text string) (within bool, end string) {
	junk := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		rest, n := text[i:min(len(text), i+32)], 0
		if r == '<' || r == '[' {
			n = strings.IndexAny(rest, ">]") + 1
		}
		if n > 1 && isControl(rest[:n]) {
			end, size = strings.Clone(rest[:n]), n
		} else if end != "" && !unicode.IsSpace(r) {
			return true, ""
		} else if isJunk(r) {
			junk++
		}
		i += size
	}
	return junk >= leastJunk, end
}

// isJunk reports whether no text has a character: it is broken, a control character, or of private use.
func isJunk(r rune) bool {
	isControl := r < ' ' && r != '\n' && r != '\t' && r != '\r'
	isPrivate := r > unicode.MaxASCII && unicode.Is(unicode.Co, r)
	return r == utf8.RuneError || isControl || isPrivate
}

// taught are words in tags that a model may be taught to write: of thoughts, tools and results.
var taught = []string{"think", "thought", "solution", "answer", "tool", "call", "action", "observ", "python", "box"}

// isControl reports whether a tag is a token of a vocabulary that ends or begins a text or a turn: <|im_start|>, <pad>, </s>, <0x0A>.
func isControl(tag string) bool {
	inner := strings.ToLower(strings.Trim(tag, "<>[]/|"))
	switch {
	case strings.HasPrefix(tag, "<|") && strings.HasSuffix(tag, "|>"):
		return !slices.ContainsFunc(taught, func(word string) bool { return strings.Contains(inner, word) })
	case tag[0] == '[':
		return slices.Contains([]string{"[INST]", "[/INST]", "[PAD]", "[UNK]"}, tag)
	}
	return strings.HasPrefix(inner, "0x") ||
		slices.Contains([]string{"pad", "unk", "s", "eos", "bos", "mask", "sep", "cls", "start_of_turn", "end_of_turn"}, inner)
}

// script is a family of letters.
type script int

const (
	noScript script = iota
	latin
	greek
	cyrillic
	han // with kana
	hangul
	arabic
	hebrew
	thai
	otherScript
)

// tables are those of the scripts whose letters are not told by their range.
var tables = map[script]*unicode.RangeTable{
	greek: unicode.Greek, cyrillic: unicode.Cyrillic, hangul: unicode.Hangul, arabic: unicode.Arabic, hebrew: unicode.Hebrew,
	thai: unicode.Thai,
}

// scripts says how many of the letters of a text are of each script. Names of commands, such as \boxed, are of none.
type scripts [otherScript + 1]int

func scriptsOf(text string) (n scripts) {
	command := false
	for _, r := range text {
		if !unicode.IsLetter(r) {
			command = r == '\\'
			continue
		}
		switch {
		case command:
		case r < 0x250:
			n[latin]++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			n[han] += 2 // one of them is about a word's half
		default:
			s := otherScript
			for known, table := range tables {
				if unicode.Is(table, r) {
					s = known
				}
			}
			n[s]++
		}
	}
	return n
}

// share is how much of the letters are of a script; 0 of a few, which are a symbol or a name.
func (n scripts) share(s script) float64 {
	if n.areFew() {
		return 0
	}
	return float64(n[s]) / float64(n.letters())
}

func (n scripts) letters() (sum int) {
	for _, k := range n {
		sum += k
	}
	return sum
}

// areFew reports whether a text has too few letters to be in a script.
func (n scripts) areFew() bool {
	const few = 8
	return n.letters() < few
}

// scriptOf returns the script of most letters of a text, if it has some.
func scriptOf(text string) script {
	n := scriptsOf(text)
	for s := range n {
		if n.share(script(s)) > 0.5 {
			return script(s)
		}
	}
	return noScript
}

// Limits of what is written in a script that nobody asked in.
const (
	askedShare   = 0.2  // of the letters of a prompt, for an answer in their script to be asked for: the others may be a template's
	strayShare   = 0.15 // of the letters of an answer are in a script that is not even in its prompt. Latin ones are formulas
	salad        = 4    // scripts in one answer
	saladLetters = 2    // of each of them
)

// foreign reports whether an answer, or a part of it, is in another script than its prompt, or in many. A prompt of a few letters, as in
// "3x + 20 = 44", asks in no script.
func foreign(asks, says string) bool {
	a, b, many := scriptsOf(asks), scriptsOf(says), 0
	for k := latin; k <= otherScript; k++ {
		if b[k] >= saladLetters {
			many++
		}
		share := b.share(k)
		isAnother := !a.areFew() && share > 0.5 && a.share(k) < askedShare
		isStray := a != (scripts{}) && k != latin && k != greek && share > strayShare && a[k] == 0
		if isAnother || isStray {
			return true
		}
	}
	return many >= salad
}

// letters is a model of which character follows which. All is learned before it is asked.
type letters struct {
	ascii [128][128]struct {
		n    int
		bits float64 // 0 until it is asked for
	}
	pairs         map[[2]rune]int // others than those
	firsts, kinds runeCount       // how often a character is followed by one, and by how many different ones
	single        runeCount
	all           int
}

// runeCount counts characters.
type runeCount struct {
	ascii [128]int
	other map[rune]int
}

func (c *runeCount) add(r rune) {
	if r < 128 {
		c.ascii[r]++
		return
	}
	if c.other == nil {
		c.other = map[rune]int{}
	}
	c.other[r]++
}

func (c *runeCount) of(r rune) int {
	if r < 128 {
		return c.ascii[r]
	}
	return c.other[r]
}

func newLetters() *letters { return &letters{pairs: map[[2]rune]int{}} }

func (l *letters) learn(text string) {
	last := ' '
	for _, r := range text {
		if r = unicode.ToLower(r); l.count(last, r) == 1 {
			l.kinds.add(last)
		}
		l.firsts.add(last)
		l.single.add(r)
		l.all++
		last = r
	}
}

// count counts that a character follows another, and returns how often.
func (l *letters) count(last, r rune) int {
	if last < 128 && r < 128 {
		l.ascii[last][r].n++
		return l.ascii[last][r].n
	}
	l.pairs[[2]rune{last, r}]++
	return l.pairs[[2]rune{last, r}]
}

// alphabet is how many characters there may be that were never seen.
const alphabet = 64

// bits is how much it says that a character follows another, which it did n times. A pair that was never seen is as likely as its second
// character is, by the rate at which the first one was followed by new ones (Witten and Bell 1991).
func (l *letters) bits(last, r rune, n int) float64 {
	alone := (float64(l.single.of(r)) + 1.0/alphabet) / float64(l.all+1)
	fresh := float64(l.kinds.of(last)) + 1
	return -math.Log2((float64(n) + fresh*alone) / (float64(l.firsts.of(last)) + fresh))
}

// leastLetters is how long a text is at least for its surprise to say something: a short sentence may be of rare letters.
const leastLetters = 60

// surprise is the mean number of bits per character of a text; NaN of a short one.
func (l *letters) surprise(text string) float64 {
	last, bits, n := ' ', 0.0, 0
	for _, r := range text {
		r = unicode.ToLower(r)
		if last < 128 && r < 128 {
			pair := &l.ascii[last][r]
			if pair.bits == 0 {
				pair.bits = l.bits(last, r, pair.n)
			}
			bits += pair.bits
		} else {
			bits += l.bits(last, r, l.pairs[[2]rune{last, r}])
		}
		last = r
		n++
	}
	if n < leastLetters {
		return math.NaN()
	}
	return bits / float64(n)
}
