package diagnosis

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"strings"
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
	e := newEvidence(t.o, t)
	e.findPhrases()
	for _, k := range Kinds() {
		if !k.texts {
			continue
		}
		findings, why := k.detect(e)
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
