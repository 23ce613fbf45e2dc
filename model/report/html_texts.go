package report

import (
	"cmp"
	"fmt"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// Bounds of what is shown of a text, in characters.
const (
	maxPromptText = 1500
	maxAnswerText = 2500
)

// textID returns the id of the answers of a group, "" if its answers are not among the n that are shown.
func (h *htmlPage) textID(g *worstGroup, n int) string {
	for i, shown := range h.shownTexts(n) {
		if shown.Step == g.Step && shown.Name == g.Name && shown.Best.Row == g.Best.Row {
			return fmt.Sprintf("answers-%d", i+1)
		}
	}
	return ""
}

// shownTexts returns the n worst groups.
func (h *htmlPage) shownTexts(n int) []worstGroup {
	all := h.worst.ranked()
	return all[:min(n, len(all))]
}

// writeTexts writes the answers with the best and the worst reward of the worst groups.
func (h *htmlPage) writeTexts() error {
	groups := h.shownTexts(h.Parts.Texts)
	h.note(fmt.Sprintf("The answers with the best and the worst reward of the %s that need a look most. Long texts are cut in the middle; characters that a reader would not see are shown by their number, as ‹U+202E›.", units.Plural(len(groups), "groups")))
	for i := range groups {
		g := &groups[i]
		h.Open("details", markup.A("id", fmt.Sprintf("answers-%d", i+1)), markup.A("open", "open"), markup.Class("card"))
		h.Open("summary")
		h.fate(g.Fate)
		h.Text(" group ")
		h.Element("bdi", cut(g.Name, 40))
		h.Text(fmt.Sprintf(" of step %d · mean reward %s", g.Step, meanText(g.Mean)))
		h.Close()
		h.Element("p", cmp.Or(g.Cause, g.Fate.Doc()), markup.Class("hint"))
		if err := h.answers(g); err != nil {
			return err
		}
		h.Close()
		h.Break()
	}
	return nil
}

// answers writes prompt, truth and both answers of a group. What cannot be read any more is said.
func (h *htmlPage) answers(g *worstGroup) error {
	i, found := h.Snap.Find(g.Step)
	if !found {
		return fmt.Errorf("the log has no step %d any more", g.Step)
	}
	best, err := h.Parts.Text(h.Snap.Steps[i].Place(int(g.Best.Row)))
	if err != nil {
		h.note("No texts: " + err.Error() + ".")
		return nil
	}
	h.quote("prompt", best.Prompt, maxPromptText)
	if best.Truth != "" {
		h.quote("ground truth", best.Truth, maxPromptText)
	}
	h.Open("div", markup.Class("pair"))
	names := [2]string{"best", "worst"}
	if g.Best.Reward == g.Worst.Reward {
		names = [2]string{"first", "last"}
	}
	h.answer(names[0], g.Best, best)
	if g.Samples > 1 {
		worst, err := h.Parts.Text(h.Snap.Steps[i].Place(int(g.Worst.Row)))
		if err != nil {
			h.note("No other answer: " + err.Error() + ".")
		} else {
			h.answer(names[1], g.Worst, worst)
		}
	}
	h.Close()
	return nil
}

func (h *htmlPage) answer(which string, row answerRow, text model.Text) {
	h.Open("div")
	h.Open("h4")
	h.Text(which + ": reward " + meanText(row.Reward) + ", advantage ")
	h.Element("span", units.Signed(row.Advantage), signClass(row.Advantage))
	if !row.Kept {
		h.Text(", dropped by the filter")
	}
	h.Text(fmt.Sprintf(", %s", units.Plural(utf8.RuneCountInString(text.Response), "characters")))
	h.Close()
	h.pre(text.Response, maxAnswerText)
	h.Close()
}

func signClass(x float64) markup.Attribute {
	switch {
	case x > 0:
		return markup.Class("number positive")
	case x < 0:
		return markup.Class("number negative")
	}
	return markup.Class("number")
}

// quote writes a text below its name.
func (h *htmlPage) quote(name, text string, most int) {
	h.Element("h4", name)
	h.pre(text, most)
}

// pre writes a text as it is, cut in the middle.
func (h *htmlPage) pre(text string, most int) {
	if text == "" {
		h.note("(empty)")
		return
	}
	runes := []rune(text)
	if len(runes) <= most {
		h.Element("pre", text, markup.A("dir", "auto"))
		return
	}
	head := most * 2 / 3
	h.Open("pre", markup.A("dir", "auto"))
	h.Text(string(runes[:head]))
	h.Element("b", fmt.Sprintf(" … [%s] … ", units.Plural(len(runes)-most, "characters")), markup.Class("cut"))
	h.Text(string(runes[len(runes)-(most-head):]))
	h.Close()
}
