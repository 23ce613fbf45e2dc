package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Why is a group of a step in a short answer: what became of it and why, and some of its answers.
type Why struct {
	Answer
	Analysis *analysis.Analysis // of the step
	Group    int                // index in its table
	Steps    []int64            // that have a group of this name, ascending
	Chosen   string             // why it is this group; "": it was named

	Diagnosis *diagnosis.Diagnosis // the findings that hold at the step

	Shown    []ShownText
	Unread   string // why none is shown; "" if that is not so
	OneShown bool   // one answer was asked for, and not the samples
	Chars    int    // that each text is cut to
	Explicit bool   // Chars was asked for: no text is cut further so that all fit into [MaxAnswer]
}

// ShownText is an answer to the prompt of a group.
type ShownText struct {
	Which  string // "best" or "worst"
	Column int    // of the analysis
	Text   model.Text
}

func (y *Why) group() *analysis.Group { return &y.Analysis.Table[y.Group] }

// Ranked returns the samples of a group as columns of the analysis, by their logged reward, the best first: NaN is worse than any
// number, and equal rewards stay in the order of the log.
func Ranked(a *analysis.Analysis, g *analysis.Group) []int {
	columns := make([]int, g.Size())
	for i := range columns {
		columns[i] = g.Start + i
	}
	slices.SortStableFunc(columns, func(i, j int) int { return cmp.Compare(a.LoggedRewards[j], a.LoggedRewards[i]) })
	return columns
}

func (y *Why) ranked() []int { return Ranked(y.Analysis, y.group()) }

// Best returns the column of the sample with the best reward, of those that have a row.
func (y *Why) Best() int { return y.withRow()[0] }

// Worst returns the column of the sample with the worst reward, of those that have a row.
func (y *Why) Worst() int {
	all := y.withRow()
	return all[len(all)-1]
}

// withRow returns the samples that have a row, the best first: answers to one prompt, that of the best, where a group mixes some.
func (y *Why) withRow() []int {
	all := slices.DeleteFunc(slices.Clone(y.ranked()), func(i int) bool { return y.Analysis.StatusOf(i) == model.StatusUnlogged })
	if y.mixed() == nil || len(all) == 0 {
		return all
	}
	of := y.promptNumber(all[0])
	return slices.DeleteFunc(all, func(i int) bool { return y.promptNumber(i) != of })
}

func (y *Why) promptNumber(column int) uint32 {
	return y.step().PromptNumber(int(y.Analysis.InputRow[column]))
}

func (y *Why) step() *model.Step {
	i, _ := y.Snap.Find(y.Analysis.Step)
	return &y.Snap.Steps[i]
}

// mixedPrompt is one of the prompts of a group that mixes several.
type mixedPrompt struct {
	number  uint32
	preview string
	rows    []int32 // of the step
}

// mixed returns the prompts of a group that the logged advantages prove to hold answers to several, in the order of the log; nil of others,
// whose rows may be turns of one.
func (y *Why) mixed() (all []mixedPrompt) {
	grouping, err := y.Snap.Grouping(y.Analysis.Settings)
	if err != nil || !grouping.Proved {
		return nil
	}
	for i := y.group().Start; i < y.group().End; i++ {
		row, number := y.Analysis.InputRow[i], y.promptNumber(i)
		at := slices.IndexFunc(all, func(p mixedPrompt) bool { return p.number == number })
		if at < 0 {
			at, all = len(all), append(all, mixedPrompt{number: number, preview: y.Snap.Preview(y.step(), int(row))})
		}
		all[at].rows = append(all[at].rows, row)
	}
	if len(all) < 2 || 2*len(all) > y.group().Size() {
		return nil
	}
	return all
}

// promptLines list the prompts of a group that mixes some; "" of others.
func (y *Why) promptLines() string {
	mixed := y.mixed()
	if mixed == nil {
		return ""
	}
	text := fmt.Sprintf("prompts  %d in one group: answers to one are compared with those to another\n", len(mixed))
	for _, p := range mixed {
		rows := model.Mapped(p.rows, func(row int32) string { return strconv.Itoa(int(row)) })
		text += fmt.Sprintf("         %s (rows %s)\n", shorten(p.preview, 120), shorten(strings.Join(rows, ", "), 60))
	}
	return text
}

func (y *Why) mixedJSON() []object {
	return model.Mapped(y.mixed(), func(p mixedPrompt) object { return object{{"prompt", shorten(p.preview, 120)}, {"rows", p.rows}} })
}

func (y *Why) name() string { return shorten(y.group().Name, 96) }

func (y *Why) chosen() string { return shorten(y.Chosen, 160) }

// cause says why the group has its fate; for one that is alive, which nothing happened to, what a fate means.
func (y *Why) cause() string {
	return shorten(cmp.Or(y.Analysis.Cause(y.Group), y.group().Fate.Doc()), 300)
}

func (y *Why) unread() string { return shorten(y.Unread, 160) }

// maxSteps is how many of the steps that have a group of the name are listed, the newest ones.
const maxSteps = 12

// maxSamples is the most samples of a group that are tried to fit.
const maxSamples = 64

// ends returns n of the samples, the best and the worst of them.
func (y *Why) ends(n int) []int {
	all := y.ranked()
	if n >= len(all) {
		return all
	}
	return slices.Concat(all[:(n+1)/2], all[len(all)-n/2:])
}

// findings are the first three of those that hold at the step, and how many there are more.
func (y *Why) findings() (shown *diagnosis.Diagnosis, more int) {
	all := y.Diagnosis.Findings
	n := min(len(all), 3)
	return &diagnosis.Diagnosis{Findings: all[:n]}, len(all) - n
}

// How texts and samples share the room: texts are cut in steps until a quarter is left of them, then samples are left out, and then
// texts are cut further.
const (
	cutSteps   = 40
	leastSteps = cutSteps / 4
)

// write writes the answer with as many samples and as long texts as fit.
func (y *Why) write(w io.Writer, draw func(samples, chars int) []byte) error {
	most := min(maxSamples, y.group().Size())
	if y.OneShown {
		most = 0
	}
	if y.Explicit { // times n it may be beyond an int
		_, err := w.Write(draw(most, y.Chars))
		return err
	}
	return writeFitting(w, cutSteps+most, false, func(n int) []byte {
		samples := min(max(0, n-leastSteps), most)
		return draw(samples, y.Chars*(n-samples)/cutSteps)
	})
}

// WhyJSON writes one line of JSON, of at most [MaxAnswer] bytes unless longer texts were asked for: see the schema why@2. samples have
// the best reward first; if not all fit, those in the middle are left out. index is the row of the step, as in exports; original is the
// advantage before the sample filter; length is -1 where unknown. Numbers have six digits: exports have every bit. steps
// are the newest that have a group of this name. Texts are cut in the middle and sanitised: what a terminal would obey is shown as a
// sign. chars counts the characters of the whole text.
func WhyJSON(w io.Writer, y *Why) error {
	return y.write(w, func(n, chars int) []byte {
		g, a := y.group(), y.Analysis
		samples := [][]any{}
		for _, i := range y.ends(n) {
			samples = append(samples, []any{
				a.InputRow[i], rounded(a.LoggedRewards[i]), rounded(a.Unfiltered[i]), a.Keep[i],
				rounded(a.Processed[i]), a.Lengths[i],
			})
		}
		answers := model.Mapped(y.Shown, func(t ShownText) object {
			return object{
				{"which", t.Which},
				{"index", a.InputRow[t.Column]},
				{"reward", rounded(a.LoggedRewards[t.Column])},
				{"kept", a.Keep[t.Column]},
				{"advantage", rounded(a.Processed[t.Column])},
				{"file", y.file(t)},
				{"chars", utf8.RuneCountInString(t.Text.Response)},
				{"text", middleCut(t.Text.Response, chars)},
			}
		})
		found, more := y.findings()
		titles := findingsJSON(found, func(_ int, kind partKind) int { return model.Count01(kind == partTitle) })
		return y.document("vantage/why@2", object{
			{"findings", titles},
			{"more_findings", some(more)},
			{"chosen", some(y.chosen())},
			{"group", y.name()},
			{"step", g.Step},
			{"prompt", y.prompt(chars)},
			{"prompts", some(y.mixedJSON())},
			{"truth", y.truth(chars)},
			{"fate", g.Fate.Key()},
			{"cause", y.cause()},
			{"steps", y.Steps[max(0, len(y.Steps)-maxSteps):]},
			{"size", g.Size()},
			{"kept", g.Kept()},
			{"nonzero", g.Nonzero},
			{"flips", g.Flips.Total()},
			{"reward_mean", rounded(g.RewardMean)},
			{"reward_std", rounded(g.RewardStd)},
			{"admitted", g.Admitted},
			{"columns", unless(y.OneShown, []string{"index", "reward", "original", "kept", "advantage", "length"})},
			{"samples", unless(y.OneShown, samples)},
			{"more_samples", unless(y.OneShown, some(g.Size()-len(samples)))},
			{"answers", answers},
			{"unread", some(y.unread())},
			{"texts_read", some(y.Diagnosis.Answers.Read)},
			{"texts", some(y.Diagnosis.Answers.Of)},
		}...)
	})
}

// WhyText writes the same in lines; those of a text are indented.
func WhyText(w io.Writer, y *Why) error {
	return y.write(w, func(n, chars int) []byte {
		var b bytes.Buffer
		a, g := y.Analysis, y.group()
		name := fmt.Sprintf("%s of step %d", y.name(), g.Step)
		if len(y.Steps) > 1 {
			name += fmt.Sprintf("; %s have one of this name, such as %d", units.Plural(len(y.Steps), "steps"), y.Steps[0])
		}
		found, more := y.findings()
		for i := range found.Findings {
			f, example := &found.Findings[i], ""
			if f.Example.Step == g.Step && f.Example.Group == g.Name {
				example = "; this group shows it"
			}
			fmt.Fprintf(&b, "%-8s %s %s: %s%s\n", f.Severity, f.Kind.Words(), f.When(), shorten(f.Title, maxTitle), example)
		}
		if more > 0 {
			fmt.Fprintf(&b, "%-8s %s more: vantage summary\n", "", units.Plural(more, "findings"))
		}
		if chosen := y.chosen(); chosen != "" {
			fmt.Fprintf(&b, "chosen   %s\n", chosen)
		}
		fmt.Fprintf(&b, "group    %s\n%snumbers  %s\n", name, y.promptLines(), y.computedAs(200))
		fmt.Fprintf(&b, "fate     %s: %s\n", g.Fate, strings.TrimPrefix(y.cause(), g.Fate.String()+" "))
		if !y.OneShown {
			y.samplesText(&b, n)
		}
		fmt.Fprintf(&b, "prompt\n%s\n", indentedText(y.prompt(chars)))
		if truth := y.truth(chars); truth != "" {
			fmt.Fprintf(&b, "truth\n%s\n", indentedText(truth))
		}
		if unread := y.unread(); unread != "" {
			fmt.Fprintf(&b, "answers  not shown: %s\n", unread)
		}
		for _, t := range y.Shown {
			fmt.Fprintf(&b, "%s: reward %s, advantage %s, row %d of the step, %s, %d characters\n%s\n", t.Which,
				meanText(a.LoggedRewards[t.Column]), meanText(a.Processed[t.Column]),
				a.InputRow[t.Column], y.file(t), utf8.RuneCountInString(t.Text.Response), indentedText(middleCut(t.Text.Response, chars)))
		}
		return b.Bytes()
	})
}

// samplesText writes the rewards of the group, and a row for each of n samples.
func (y *Why) samplesText(b *bytes.Buffer, n int) {
	g, a := y.group(), y.Analysis
	fmt.Fprintf(b, "rewards  mean %s, std %s\n", meanText(g.RewardMean), meanText(g.RewardStd))
	fmt.Fprintf(b, "samples  %s, %d kept, %s\n", g.SizeText(), g.Kept(), figures.TrainText(int(g.Nonzero), 0, int(g.Residue), g.Size(),
		y.Analysis.StatusesOf(g), y.Snap.Run.Evaluates()))
	fmt.Fprintf(b, "%8s %9s %9s %5s %9s %7s\n", "index", "reward", "original", "kept", "advantage", "length")
	for _, i := range y.ends(n) {
		fmt.Fprintf(b, "%8d %9s %9s %5t %9s %7d", a.InputRow[i], meanText(a.LoggedRewards[i]), meanText(a.Unfiltered[i]), a.Keep[i],
			meanText(a.Processed[i]), a.Lengths[i])
		if status := a.StatusOf(i); status != model.StatusTrains {
			b.WriteString("  " + status.String())
		}
		b.WriteByte('\n')
	}
	if more := g.Size() - n; more > 0 {
		fmt.Fprintf(b, "%d more between the best and the worst of them\n", more)
	}
}

// unless returns a value of JSON, and nothing where it was not asked for.
func unless(left bool, value any) any {
	if left {
		return absent{}
	}
	return value
}

func (y *Why) file(t ShownText) string {
	i, _ := y.Snap.Find(y.Analysis.Step)
	if at := int(y.Snap.Steps[i].Place(int(y.Analysis.InputRow[t.Column])).File); at < len(y.Snap.Run.Files) {
		return shorten(y.Snap.Run.Files[at], 64)
	}
	return ""
}

func (y *Why) prompt(chars int) string {
	if len(y.Shown) > 0 && y.Shown[0].Text.Prompt != "" {
		return middleCut(y.Shown[0].Text.Prompt, chars)
	}
	return shorten(y.group().Preview, 160)
}

func (y *Why) truth(chars int) string {
	if len(y.Shown) == 0 {
		return ""
	}
	return middleCut(y.Shown[0].Text.Truth, min(chars, 160))
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
