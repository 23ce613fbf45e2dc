package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/sanitize"
)

// Show is some answers of a group in a short answer.
type Show struct {
	Why
	Shown    []ShownText
	Chars    int  // that each text is cut to
	Explicit bool // Chars was asked for: no text is cut further so that all fit into [MaxAnswer]
}

// ShownText is an answer to the prompt of a group.
type ShownText struct {
	Which  string // "best" or "worst"
	Column int    // of the analysis
	Text   model.Text
}

type shownJSON struct {
	Which     string  `json:"which"`
	Index     int32   `json:"index"`
	Reward    rounded `json:"reward"`
	Kept      bool    `json:"kept"`
	Advantage rounded `json:"advantage"`
	File      string  `json:"file"`
	Chars     int     `json:"chars"` // of the whole text
	Text      string  `json:"text"`
}

// ShowJSON writes one line of JSON, of at most [MaxAnswer] bytes unless longer texts were asked for:
//
//	{"schema": "vantage/show@1", "path": "…", "computed_as": "…", "group": "a3…", "step": 7, "prompt": "…", "fate": "killed",
//	 "truth": "…", "answers": [{"which": "best", "index": 112, "reward": 1, "kept": true, "advantage": 0.8, "file": "7.jsonl",
//	   "chars": 5210, "text": "the beginning … [4810 characters] … the end"}], "complete": true}
//
// Texts are cut in the middle and sanitised: what a terminal would obey is shown as a sign. chars counts the characters
// of the whole text.
func ShowJSON(w io.Writer, s *Show) error {
	return s.write(w, func(chars int) []byte {
		answers := []shownJSON{}
		for _, t := range s.Shown {
			answers = append(answers, s.shown(t, chars))
		}
		return encode(struct {
			groupHead
			Fate     string      `json:"fate"`
			Truth    string      `json:"truth"`
			Answers  []shownJSON `json:"answers"`
			Complete bool        `json:"complete"`
		}{s.showHead(chars), s.group().Fate.Key(), s.truth(chars), answers, true})
	})
}

// shown returns an answer, its text cut.
func (s *Show) shown(t ShownText, chars int) shownJSON {
	a := s.Analysis
	return shownJSON{
		t.Which, a.InputRow[t.Column], rounded(a.LoggedRewards[t.Column]), a.Keep[t.Column], rounded(a.Processed[t.Column]), shorten(s.file(t), 64),
		utf8.RuneCountInString(t.Text.Response), middleCut(t.Text.Response, chars),
	}
}

// file returns the file that the sample was read from.
func (s *Show) file(t ShownText) string {
	i, found := s.Snap.Find(s.Analysis.Step)
	if !found {
		return ""
	}
	if at := int(s.Snap.Steps[i].Place(int(s.Analysis.InputRow[t.Column])).File); at < len(s.Snap.Run.Files) {
		return s.Snap.Run.Files[at]
	}
	return ""
}

// showHead has the prompt in full, cut as the texts are.
func (s *Show) showHead(chars int) groupHead {
	h := s.head("vantage/show@1")
	if len(s.Shown) > 0 && s.Shown[0].Text.Prompt != "" {
		h.Prompt = middleCut(s.Shown[0].Text.Prompt, chars)
	}
	return h
}

func (s *Show) truth(chars int) string {
	if len(s.Shown) == 0 {
		return ""
	}
	return middleCut(s.Shown[0].Text.Truth, min(chars, 160))
}

// ShowText writes the same in lines; those of a text are indented.
func ShowText(w io.Writer, s *Show) error {
	return s.write(w, func(chars int) []byte {
		var b bytes.Buffer
		h := s.showHead(chars)
		fmt.Fprintf(&b, "group %s of step %d, %s; computed as %s\n", h.Group, h.Step, s.group().Fate, h.ComputedAs)
		fmt.Fprintf(&b, "prompt\n%s\n", indentedText(h.Prompt))
		if truth := s.truth(chars); truth != "" {
			fmt.Fprintf(&b, "truth\n%s\n", indentedText(truth))
		}
		for _, t := range s.Shown {
			x := s.shown(t, chars)
			fmt.Fprintf(&b, "%s: reward %s, advantage %s, row %d of the step, %s, %d characters\n%s\n", x.Which, meanText(float64(x.Reward)), meanText(float64(x.Advantage)), x.Index, x.File, x.Chars, indentedText(x.Text))
		}
		return b.Bytes()
	})
}

// cutSteps is in how many steps texts are shortened until they fit.
const cutSteps = 40

func (s *Show) write(w io.Writer, draw func(chars int) []byte) error {
	if s.Explicit {
		_, err := w.Write(draw(s.Chars))
		return err
	}
	return writeFitting(w, cutSteps, func(n int) []byte { return draw(s.Chars * n / cutSteps) })
}

func indentedText(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// middleCut returns a text of at most about chars characters: its beginning and its end, where the answer mostly
// is. Its lines are sanitised.
func middleCut(text string, chars int) string {
	runes := []rune(text)
	if len(runes) > chars {
		head := chars * 2 / 3
		text = fmt.Sprintf("%s … [%d characters] … %s", string(runes[:head]), len(runes)-chars, string(runes[len(runes)-(chars-head):]))
	}
	lines := strings.Split(strings.TrimRight(text, "\r\n"), "\n")
	for i := range lines {
		lines[i] = sanitize.Line(strings.TrimRight(lines[i], "\r"))
	}
	return strings.Join(lines, "\n")
}
