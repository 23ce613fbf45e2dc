package diagnosis

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/units"
)

// Answers are those that a look read, and what they are like at steps whose groups are mostly all wrong.
type Answers struct {
	Read, Of int             // how many samples were read, evenly over steps and groups, and how many there are
	Alike    map[int64]Alike // by the number of the step, of those that are suspect and were read
}

// Unread says how many answers were not read: "36864 of 40960 answers (--texts all reads every one)"; "" if all were, or there are none.
func (a *Answers) Unread() string {
	if a.Read == 0 || a.Read >= a.Of {
		return ""
	}
	return fmt.Sprintf("%s of %s (--texts all reads every one)", units.Count(a.Of-a.Read), units.Plural(a.Of, "answers"))
}

// Alike says how far the answers of a step are alike. The zero value says nothing of them.
type Alike struct {
	Kind  AlikeKind
	Words string // with which they begin, as they were written: sanitise before showing
	First bool   // the words are those of the first, since they share none
	Same  int    // how many of the answers that were read begin so
	Read  int    // how many were read
	Other string // how answers of later steps of a stretch begin, which are alike in another text; "" if none are
}

// AlikeKind is in what answers are alike.
type AlikeKind int

// The kinds.
const (
	NotAlike   AlikeKind = iota
	Refusals             // most begin as one does who refuses
	OneText              // most are one text
	OneStart             // most are nearly one text: the same words are two thirds of each
	EmptyTexts           // most are empty
)

// Found reports whether answers are alike.
func (a Alike) Found() bool { return a.Kind != NotAlike }

// String says in a few words what the answers are: "refusals «I can't help with»".
func (a Alike) String() string {
	switch a.Kind {
	case Refusals:
		if a.First {
			return fmt.Sprintf("refusals such as %s", a.quoted())
		}
		return fmt.Sprintf("refusals %s", a.quoted())
	case OneText:
		to := "all"
		if a.Same < a.Read {
			to = "most"
		}
		if a.Other != "" {
			return fmt.Sprintf("each step has one answer to %s, such as %s, %s", to, a.quoted(), Alike{Words: a.Other}.quoted())
		}
		return fmt.Sprintf("one answer to %s, %s", to, a.quoted())
	case OneStart:
		return fmt.Sprintf("answers nearly alike, %s", a.quoted())
	case EmptyTexts:
		return "empty answers"
	case NotAlike:
	}
	return ""
}

// Join adds the answers of a later step, which are alike in the same way.
func (a Alike) Join(later Alike) Alike {
	if a.Other == "" && later.Words != "" && later.Words != a.Words {
		a.Other = later.Words
	}
	a.Same, a.Read = a.Same+later.Same, a.Read+later.Read
	return a
}

func (a Alike) quoted() string { return "“" + strings.TrimRight(a.Words, ".,;:!…") + "…”" }

// How many answers are read to say whether those of a step are alike.
const (
	alikeSteps = 64 // at least half of whose groups are all wrong, spread over the run
	alikeTexts = 16 // of a step: enough to tell most from half, which three in four of eight are not
)

// isSuspect reports whether the answers of a step may be alike: at least half of its groups are all wrong.
func (s *Observed) isSuspect() bool {
	wrong := s.fates[model.FateAllWrong]
	return wrong > 0 && 2*wrong >= len(s.Groups)
}

// pickAlike asks for answers of suspect steps from one on, of groups that are all wrong, of as many groups as possible.
func (t *Texts) pickAlike(from int64) (picks []Pick) {
	var suspects []int
	for i := range t.o.Steps {
		if s := &t.o.Steps[i]; s.Step >= from && s.isSuspect() {
			suspects = append(suspects, i)
		}
	}
	if !t.every {
		suspects = spread(suspects, alikeSteps)
	}
	for _, i := range suspects {
		s := &t.o.Steps[i]
		rows, offsets, err := t.o.snap.Layout(t.o.rule, s.Index)
		if err != nil {
			return nil
		}
		for _, at := range alikeRows(s, offsets) {
			picks = append(picks, Pick{Step: s.Index, Row: int(rows[at]), at: i, likening: true})
		}
	}
	return picks
}

// alikeRows are the places of the answers of a step to read.
func alikeRows(s *Observed, offsets []int) (places []int) {
	var wrong []int
	for g := range s.Groups {
		if s.Groups[g].Fate == model.FateAllWrong {
			wrong = append(wrong, g)
		}
	}
	for k := range alikeTexts {
		g := wrong[k*len(wrong)/alikeTexts]
		at := offsets[g]
		if k > 0 && g == wrong[(k-1)*len(wrong)/alikeTexts] {
			at = places[k-1] + 1
		}
		if at >= offsets[g+1] {
			break
		}
		places = append(places, at)
	}
	return places
}

// alike says how far the answers of each suspect step are alike that were read.
func (t *Texts) alike() map[int64]Alike {
	all := map[int64]Alike{}
	for i, replies := range t.replies {
		all[t.o.Steps[i].Step] = judge(replies)
	}
	return all
}

// reply is what an answer says after its thoughts.
type reply struct {
	begin string // its first words, with a space between them
	n     int    // how many words it has
	hash  uint64 // of its first words, whatever their case
}

func (t *Texts) replyOf(response string) (r reply) {
	_, says, found := strings.Cut(response, "</think>")
	if !found {
		says = response
	}
	var first strings.Builder
	for word := range strings.FieldsSeq(says) {
		if r.n++; r.n <= textWords {
			first.WriteString(word)
			first.WriteByte(' ')
		}
	}
	words := strings.TrimSuffix(first.String(), " ")
	r.begin, r.hash = firstBytes(words, sampleBytes), maphash.String(t.seed, strings.ToLower(words))
	return r
}

// The rule of what is alike: three quarters of at least minAnswers answers.
const (
	minAnswers = 3
	startWords = 3  // with which answers begin that are compared
	shownWords = 8  // of what they share
	textWords  = 40 // that are compared to find one text
)

// judge says how far some answers to prompts are alike.
func judge(replies []reply) Alike {
	if len(replies) < minAnswers {
		return Alike{Read: len(replies)}
	}
	answers := model.Mapped(replies, func(r reply) says { return says{r, strings.Fields(r.begin)} })
	for _, k := range []struct {
		kind AlikeKind
		key  func(says) string // that answers share which are alike in it; "" if it is not so
	}{
		{EmptyTexts, func(a says) string {
			if a.n > 0 {
				return ""
			}
			return "empty"
		}},
		{Refusals, says.refusal},
		{OneText, func(a says) string { return strconv.FormatUint(a.hash, 16) }},
		{OneStart, func(a says) string {
			if a.n <= startWords {
				return ""
			}
			return a.start(startWords)
		}},
	} {
		same := mostCommon(answers, k.key)
		if 4*len(same) >= 3*len(answers) && (k.kind != OneStart || nearlyOne(same)) {
			n, words := sharedStart(same), same[0].words
			first := n == 0 && len(words) > 0
			if first {
				n = len(words)
			}
			return Alike{
				Kind: k.kind, First: first, Words: strings.Join(words[:min(n, shownWords)], " "), Same: len(same), Read: len(answers),
			}
		}
	}
	return Alike{Read: len(answers)}
}

// says is a reply with its first words.
type says struct {
	reply
	words []string
}

func mostCommon(answers []says, key func(says) string) (best []says) {
	byKey := map[string][]says{}
	for _, a := range answers {
		k := key(a)
		if k == "" {
			continue
		}
		if byKey[k] = append(byKey[k], a); len(byKey[k]) > len(best) {
			best = byKey[k]
		}
	}
	return best
}

// sharedStart is how many words all answers begin with.
func sharedStart(answers []says) int {
	first := answers[0].words
	n := len(first)
	for _, a := range answers[1:] {
		n = min(n, len(a.words))
		for k := range n {
			if !strings.EqualFold(a.words[k], first[k]) {
				n = k
				break
			}
		}
	}
	return n
}

// nearlyOne reports whether the words that answers begin with are two thirds of each of them: the first words of
// a proof are often the same.
func nearlyOne(answers []says) bool {
	n := sharedStart(answers)
	return !slices.ContainsFunc(answers, func(a says) bool { return 3*n < 2*a.n })
}

// start returns the first words of an answer, whatever their case.
func (a says) start(n int) string {
	return strings.ToLower(strings.Join(a.words[:min(len(a.words), n)], " "))
}

// refusal returns a word for all answers that begin as one does who refuses; "" if this one does not.
func (a says) refusal() string {
	begins := strings.ReplaceAll(a.start(6), "’", "'")
	if slices.ContainsFunc([]string{
		"i can't", "i cannot", "i can not", "i'm sorry", "i am sorry", "sorry", "i'm unable", "i am unable", "i won't", "i will not",
		"i'm not able", "i am not able",
		"as an ai", "i apologize", "unfortunately, i can", "i must decline", "我无法", "抱歉", "对不起", "很抱歉",
	}, func(phrase string) bool { return strings.HasPrefix(begins, phrase) }) {
		return "refusal"
	}
	return ""
}
