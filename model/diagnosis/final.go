package diagnosis

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Final is the result at which a response arrives, as graders of trainers find it: so that two responses can be told to give the same
// answer in other words. All of it is "" if there is none.
type Final struct {
	Answer string // as [plainAnswer] makes it
	Said   string // as it is given
	Way    string // in which it is given
}

// IsTruth reports whether an answer is that of a ground truth, which may be a whole solution.
func (f Final) IsTruth(truth string) bool {
	return f.Answer != "" && (f.Answer == FinalOf(truth).Answer || f.Answer == plainAnswer(truth))
}

// answerWay is how a response gives its answer.
type answerWay struct {
	Name string
	find func(text string) string // the last answer given so, "" if there is none
}

// answerWays returns the ways in the order in which they are tried: what is marked as the answer before what only stands last.
func answerWays() []answerWay {
	return []answerWay{
		{"boxed", boxed},
		{"tag", func(text string) string { return between(text, "<answer>", "</answer>") }},
		{"hashes", func(text string) string { return between(text, "####", "\n") }},
		{"json", fromJSON},
		{"words", fromWords},
		{"number", lastNumber},
	}
}

// FinalOf returns the answer of a response. What stands before the end of a thought is no answer.
func FinalOf(response string) Final {
	if i := strings.LastIndex(response, "</think>"); i >= 0 {
		response = response[i+len("</think>"):]
	}
	response = response[max(0, len(response)-endBytes):]
	for _, w := range answerWays() {
		said := w.find(response)
		if answer := plainAnswer(said); answer != "" {
			return Final{answer, strings.TrimSpace(said), w.Name}
		}
	}
	return Final{}
}

// endBytes is the end of a response in which its answer is looked for, and maxObjects how many braces may begin the JSON.
const (
	endBytes   = 16 << 10
	maxObjects = 32
)

// plainAnswer returns an answer without what does not change it: case, spaces, dollars, a full stop, units of LaTeX, commas between
// thousands; a number in its shortest form.
func plainAnswer(answer string) string {
	answer = strings.ToLower(strings.TrimSpace(answer))
	if strings.ContainsAny(answer, `\$*{`) {
		answer = strings.NewReplacer(`\left`, "", `\right`, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`, `\!`, "", `\,`, "", `\ `, "", "$", "",
			"**", "", "{,}", "").Replace(answer)
	}
	for {
		inner, isText := strings.CutPrefix(answer, `\text{`)
		if !isText || !strings.HasSuffix(inner, "}") {
			break
		}
		answer = inner[:len(inner)-1]
	}
	answer = strings.Join(strings.Fields(strings.TrimRight(strings.TrimSpace(answer), ".。:;!")), " ")
	bare := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(answer, "%"), `\`), ",", "")
	if x, err := strconv.ParseFloat(bare, 64); err == nil && (answer == bare || !strings.Contains(answer, ",") || isThousands(answer)) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return answer
}

// isThousands reports whether the commas of a number stand between thousands: (1,2) and 1,2 are lists.
func isThousands(number string) bool {
	whole, _, _ := strings.Cut(strings.TrimLeft(number, "+-"), ".")
	parts := strings.Split(whole, ",")
	for i, part := range parts {
		if i > 0 && len(part) != 3 || len(part) == 0 || len(part) > 3 {
			return false
		}
	}
	return true
}

// boxed is what stands in the last \boxed{…}, whose braces may hold others.
func boxed(text string) string {
	for {
		i := max(strings.LastIndex(text, `\boxed{`), strings.LastIndex(text, `\fbox{`))
		if i < 0 {
			return ""
		}
		from := i + strings.IndexByte(text[i:], '{') + 1
		for depth, k := 1, from; k < len(text); k++ {
			switch text[k] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth == 0 {
				return text[from:k]
			}
		}
		text = text[:i] // this one is cut off
	}
}

func between(text, begin, end string) string {
	i := strings.LastIndex(text, begin)
	if i < 0 {
		return ""
	}
	inner, _, _ := strings.Cut(text[i+len(begin):], end)
	return inner
}

// fromJSON is the answer of a response that is, or ends in, a JSON object.
func fromJSON(text string) string {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
	if !strings.HasSuffix(text, "}") {
		return ""
	}
	i := len(text)
	for range maxObjects {
		if i = strings.LastIndexByte(text[:i], '{'); i < 0 {
			break
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(text[i:]), &object) != nil {
			continue
		}
		for _, name := range []string{"answer", "final_answer", "result", "output"} {
			var word string
			if raw, found := object[name]; found {
				if json.Unmarshal(raw, &word) != nil {
					word = string(raw)
				}
				return word
			}
		}
		return ""
	}
	return ""
}

// fromWords is what follows "the answer is" or "Answer:", up to the end of the line or of the sentence.
func fromWords(text string) string {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return "" // a few letters change their length, and so the places
	}
	at := -1
	for _, words := range []string{"answer is", "answer:", "答案是", "答案：", "答案为"} {
		if i := strings.LastIndex(lower, words); i >= 0 {
			at = max(at, i+len(words))
		}
	}
	if at < 0 {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimLeft(text[at:], " :*\n"), "\n")
	line, _, _ = strings.Cut(line, ". ")
	if len(line) > maxWords {
		return ""
	}
	return line
}

// maxWords bounds an answer in words, in bytes: a longer one is no result.
const maxWords = 100

// lastBytes is in how many of the last bytes of a response a bare number is looked for.
const lastBytes = 300

func lastNumber(text string) string {
	text = text[max(0, len(text)-lastBytes):]
	isDigit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	end := strings.LastIndexAny(text, "0123456789") + 1
	from := end
	for isDigit(from-1) || from > 0 && (text[from-1] == ',' || text[from-1] == '.') && isDigit(from-2) {
		from--
	}
	if from > 0 && from < end && text[from-1] == '-' && !isDigit(from-2) {
		from--
	}
	return text[from:end]
}
