package glance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
)

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

// and adds the answers of a later step, which are alike in the same way, but begin otherwise.
func (a Alike) and(later Alike) Alike {
	if a.Other == "" {
		a.Other = later.Words
	}
	a.Same, a.Read = a.Same+later.Same, a.Read+later.Read
	return a
}

func (a Alike) quoted() string { return "“" + strings.TrimRight(a.Words, ".,;:!…") + "…”" }

// Warning is the doubt about a step whose answers are alike, nil if there is none.
func (a Alike) Warning(s *analysis.StepFigures, example int) *model.Warning {
	if !a.Found() || !Suspect(s) {
		return nil
	}
	text := fmt.Sprintf("are all wrong, and their answers alike: %s, %d of %d that were read", a, a.Same, a.Read)
	return &model.Warning{
		Kind: model.WarnAnswersAlike, Step: s.Step, Count: s.Fates[model.FateAllWrong], Of: s.Groups, Unit: "groups", Example: example, Text: text,
		Advice: "read one (Enter); if they are refusals or empty, look at chat template, system prompt and stop tokens, not at the difficulty of the prompts",
	}
}

// Suspect reports whether the answers of a step may be alike: at least half of its groups are all wrong.
func Suspect(s *analysis.StepFigures) bool {
	return !s.Pending && !s.Open && s.Groups > 0 && 2*s.Fates[model.FateAllWrong] >= s.Groups
}

// MostRead is of how many steps of a run answers are read, the newest first: of a log on another machine 64, else 512, or a step for each
// 32 KB of it up to 4,096. A step takes a third of a millisecond here, so that is a second for 100 MB, and a round trip there. Outputs count
// the steps of which none was read.
func MostRead(p model.Progress) int {
	if p.Link.IsRemote() {
		return 64
	}
	return int(min(4096, max(512, p.BytesRead>>15)))
}

// ReadAnswers reads a few answers of a step of a snapshot, and says how far they are alike. What cannot be read is not alike.
func ReadAnswers(ctx context.Context, step model.Step, a *analysis.Analysis, read analysis.ReadTexts) Alike {
	places := model.Mapped(Samples(a), func(column int) model.Place { return step.Place(int(a.InputRow[column])) })
	slices.SortFunc(places, model.Place.Compare) // they are read in large pieces
	texts, known := make([]model.Text, len(places)), make([]bool, len(places))
	if read(ctx, places, nil, func(i int, text model.Text, err error) { texts[i], known[i] = text, err == nil }) != nil {
		return Alike{}
	}
	answers := texts[:0]
	for i, text := range texts {
		if known[i] {
			answers = append(answers, text)
		}
	}
	return Judge(answers)
}

// maxRead is how many answers of a step are read: enough to tell most from half, which three in four of eight are not.
const maxRead = 16

// Samples returns the samples of a step to read, as columns of the analysis: of groups that are all wrong, of
// as many groups as possible.
func Samples(a *analysis.Analysis) []int {
	var wrong []*analysis.Group
	for i := range a.Table {
		if a.Table[i].Fate == model.FateAllWrong {
			wrong = append(wrong, &a.Table[i])
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	var columns []int
	for k := range maxRead {
		g := wrong[k*len(wrong)/maxRead]
		within := 0 // among the samples of its group
		if k > 0 && g == wrong[(k-1)*len(wrong)/maxRead] {
			within = columns[k-1] - g.Start + 1
		}
		if g.Start+within >= g.End {
			break
		}
		columns = append(columns, g.Start+within)
	}
	return columns
}

// The rule of what is alike: three quarters of at least minAnswers answers.
const (
	minAnswers = 3
	startWords = 3  // with which answers begin that are compared
	shownWords = 8  // of what they share
	textWords  = 40 // that are compared to find one text
)

// Judge says how far some answers to prompts are alike.
func Judge(texts []model.Text) Alike {
	answers := make([][]string, len(texts))
	for i, t := range texts {
		_, answer, found := strings.Cut(t.Response, "</think>")
		if !found {
			answer = t.Response
		}
		answers[i] = strings.Fields(answer)
	}
	if len(answers) < minAnswers {
		return Alike{Read: len(answers)}
	}
	for _, k := range []struct {
		kind  AlikeKind
		holds func(words []string) string // a key that answers share which are alike in it; "" if it is not so
	}{
		{EmptyTexts, func(words []string) string {
			if len(words) > 0 {
				return ""
			}
			return "empty"
		}},
		{Refusals, refusal},
		{OneText, func(words []string) string { return start(words, textWords) }},
		{OneStart, func(words []string) string {
			if len(words) <= startWords {
				return ""
			}
			return start(words, startWords)
		}},
	} {
		same := mostCommon(answers, k.holds)
		if 4*len(same) >= 3*len(answers) && (k.kind != OneStart || nearlyOne(same)) {
			n := sharedWords(same)
			first := n == 0 && len(same[0]) > 0
			if first {
				n = len(same[0])
			}
			return Alike{Kind: k.kind, First: first, Words: strings.Join(same[0][:min(n, shownWords)], " "), Same: len(same), Read: len(answers)}
		}
	}
	return Alike{Read: len(answers)}
}

func mostCommon(answers [][]string, key func([]string) string) [][]string {
	byKey := map[string][][]string{}
	var best [][]string
	for _, words := range answers {
		k := key(words)
		if k == "" {
			continue
		}
		if byKey[k] = append(byKey[k], words); len(byKey[k]) > len(best) {
			best = byKey[k]
		}
	}
	return best
}

func sharedWords(answers [][]string) int {
	n := len(answers[0])
	for _, words := range answers[1:] {
		n = min(n, len(words))
		for k := range n {
			if !strings.EqualFold(words[k], answers[0][k]) {
				n = k
				break
			}
		}
	}
	return n
}

// nearlyOne reports whether the words that answers begin with are two thirds of each of them: the first words of
// a proof are often the same.
func nearlyOne(answers [][]string) bool {
	n := sharedWords(answers)
	return !slices.ContainsFunc(answers, func(words []string) bool { return 3*n < 2*len(words) })
}

// start returns the first words of an answer, whatever their case.
func start(words []string, n int) string {
	return strings.ToLower(strings.Join(words[:min(len(words), n)], " "))
}

// refusal returns the phrase with which an answer begins as one does who refuses, in one word for all; "" if it does not.
func refusal(words []string) string {
	begins := strings.ReplaceAll(start(words, 6), "’", "'")
	if slices.ContainsFunc([]string{
		"i can't", "i cannot", "i can not", "i'm sorry", "i am sorry", "sorry", "i'm unable", "i am unable", "i won't", "i will not", "i'm not able", "i am not able",
		"as an ai", "i apologize", "unfortunately, i can", "i must decline", "我无法", "抱歉", "对不起", "很抱歉",
	}, func(phrase string) bool { return strings.HasPrefix(begins, phrase) }) {
		return "refusal"
	}
	return ""
}
