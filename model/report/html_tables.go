package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/units"
)

type tableColumn struct {
	head string
	kind string // what is sorted: "number", "share" or "text"
	doc  string
}

// writeTable writes a table that scrolls by itself, with a row of heads. Each row is what its cells are.
func (h *htmlPage) writeTable(name, caption string, columns []tableColumn, rows int, row func(i int) []markup) {
	var heads []markup
	for _, c := range columns {
		attributes := []attribute{attr("scope", "col"), attr("data-kind", c.kind)}
		if c.doc != "" {
			attributes = append(attributes, attr("title", c.doc))
		}
		if c.kind == "text" {
			attributes = append(attributes, class("t"))
		}
		heads = append(heads, tag("th", attributes, c.head))
	}
	h.put(openTag("div", class("scroll"), attr("tabindex", "0"), attr("role", "region"), attr("aria-label", caption)),
		openTag("table", attr("id", name+"-table")),
		tag("caption", caption), tag("thead", tag("tr", heads)), openTag("tbody"), lineBreak)
	for i := range rows {
		h.put(tag("tr", row(i)), lineBreak)
	}
	h.put(closeTag("tbody"), closeTag("table"), closeTag("div"), lineBreak)
}

const maxPromptShown = 120

func (h *htmlPage) writeGroups() {
	h.writeFates()
	groups := h.worst.listed()
	if len(groups) == 0 {
		return
	}
	columns := []tableColumn{
		{"step", "number", ""},
		{"fate", "text", "fate of the group under the settings"},
		{"prompt", "text", ""},
		{"why", "text", "the reason for its fate"},
		{"n", "number", "samples"},
		{"kept", "text", ""},
		{"flips", "number", ""},
		{"reward", "number", "mean of its rewards"},
		{"std", "number", "of its rewards"},
	}
	for i, c := range columns { // the glossary explains the others
		if e, ok := figures.Explain(figures.Group, c.head); ok && c.doc == "" {
			columns[i].doc = e.Explanation()
		}
	}
	caption := fmt.Sprintf("Groups that need a look: the newest %d of each fate, and of those that are alive the ones with the most "+
		"flips or the worst rewards", groupsPerFate)
	h.writeTable("groups", caption, columns, len(groups), func(i int) []markup {
		g := &groups[i]
		text := cut(groupLabel(g.Preview, g.Name), maxPromptShown)
		prompt := tag("span", attr("dir", "auto"), text)
		for k, shown := range h.shownTexts() { // a link to its answers
			if shown.Step == g.Step && shown.Name == g.Name && shown.Best.Row == g.Best.Row {
				prompt = tag("a", linkTo(answersID(k)), attr("dir", "auto"), text)
				break
			}
		}
		return []markup{
			tag("th", attr("scope", "row"), g.Step), tag("td", class("t"), fateTag(g.Fate)), tag("td", class("t prompt"), prompt),
			tag("td", class("t why"), g.Cause),
			tag("td", g.SizeText()), tag("td", class("t"), figures.KeptBySign(&g.Group)), tag("td", units.Count(g.Flips.Total())),
			tag("td", meanText(g.RewardMean)), tag("td", meanText(g.RewardStd)),
		}
	})
}

const fateWidth = 1000

func (h *htmlPage) writeFates() {
	all := h.total.summary()
	var bars, list []markup
	x := 0.0
	for i := model.FateCount - 1; i >= 0; i-- {
		fate := model.Fate(i)
		if all.Fates[fate] == 0 {
			continue
		}
		share := units.Fraction(all.Fates[fate], all.Groups)
		width := float64(all.Fates[fate]) / float64(max(1, all.Groups)) * fateWidth
		bars = append(bars, tag("g", fateClass(fate), tag("title", share+" "+fate.String()), rect(x, 0, width, 14)))
		list = append(list, tag("li", fateTag(fate), " "+share+" ", tag("span", class("hint"), fate.Doc())))
		x += width
	}
	h.put(tag("svg", class("fates"), attr("viewBox", fmt.Sprintf("0 0 %d 14", fateWidth)), attr("preserveAspectRatio", "none"),
		attr("role", "img"),
		attr("aria-label", "Groups by fate: "+fateCounts(all.Fates)), bars), tag("ul", class("legend"), list))
}

func fateTag(f model.Fate) markup {
	return tag("span", class("fate"),
		tag("svg", fateClass(f), attr("viewBox", "0 0 8 8"), attr("aria-hidden", "true"),
			emptyTag("rect", attr("width", "8"), attr("height", "8"), attr("rx", "2"))), f)
}

// fateClass returns the colour of a fate: blue has signal, orange needs a look, grey has nothing to learn from.
func fateClass(f model.Fate) attribute {
	switch f {
	case model.FateAlive:
		return class("plus")
	case model.FateShort, model.FateKilled, model.FateInvalid, model.FateNoise:
		return class("minus")
	case model.FateAllWrong:
		return class("wrong")
	case model.FateAllCorrect:
		return class("solved")
	default:
		return class("none")
	}
}

const groupsPerFate = 10

type worstGroup struct {
	analysis.Group
	Cause       string
	Best, Worst answerRow
}

type answerRow struct {
	Row       int32 // of the step, in input order
	Reward    float64
	Advantage float64
	Kept      bool
}

// worstGroups are the newest groups of each fate while steps are added; of those that are alive those with the most
// flips, then the worst rewards. The memory does not grow with the number of steps.
type worstGroups struct {
	most   int // of each fate
	byFate [model.FateCount][]worstGroup
}

// add adds the groups of a step, which are newer than those before.
func (w *worstGroups) add(a *analysis.Analysis) {
	causes := a.Causes()
	var chosen [model.FateCount][]int
	for i := range a.Table {
		fate := a.Table[i].Fate
		chosen[fate] = append(chosen[fate], i)
	}
	worse := func(x, y *analysis.Group) int {
		return cmp.Or(cmp.Compare(y.Flips.Total(), x.Flips.Total()), cmp.Compare(x.RewardMean, y.RewardMean))
	}
	if known := w.byFate[model.FateAlive]; len(known) == w.most {
		isLess := func(i int) bool { return worse(&known[w.most-1].Group, &a.Table[i]) < 0 }
		chosen[model.FateAlive] = slices.DeleteFunc(chosen[model.FateAlive], isLess)
	}
	slices.SortStableFunc(chosen[model.FateAlive], func(i, k int) int { return worse(&a.Table[i], &a.Table[k]) })
	for fate, groups := range chosen {
		if len(groups) == 0 {
			continue
		}
		newest := make([]worstGroup, 0, min(len(groups), w.most)+len(w.byFate[fate]))
		for _, i := range groups[:min(len(groups), w.most)] {
			newest = append(newest, newWorstGroup(a, i, causes(i)))
		}
		all := append(newest, w.byFate[fate]...)
		if model.Fate(fate) == model.FateAlive {
			slices.SortStableFunc(all, func(x, y worstGroup) int { return worse(&x.Group, &y.Group) })
		}
		w.byFate[fate] = all[:min(len(all), w.most)]
	}
}

func newWorstGroup(a *analysis.Analysis, i int, cause string) worstGroup {
	g := &a.Table[i]
	ranked := Ranked(a, g)
	if cause == "" && g.Fate != model.FateAlive {
		cause = g.Fate.Doc()
	}
	if a.Refused(i) {
		cause = "the trainer would have stopped here: " + strings.TrimSuffix(a.Refusal(), ".") + "; " + cmp.Or(cause, g.Fate.Doc())
	}
	row := func(i int) answerRow {
		return answerRow{a.InputRow[i], a.LoggedRewards[i], a.Processed[i], a.Keep[i]}
	}
	return worstGroup{a.Named(i), cause, row(ranked[0]), row(ranked[len(ranked)-1])}
}

// ranked returns the groups in the order of the page: those that need attention first, then the newest.
func (w *worstGroups) ranked() []worstGroup { return slices.Concat(w.byFate[:]...) }

func (w *worstGroups) listed() (all []worstGroup) {
	for _, groups := range w.byFate {
		all = append(all, groups[:min(groupsPerFate, len(groups))]...)
	}
	return all
}

func (h *htmlPage) writeWorstSteps() {
	spans := h.worstSteps
	h.note("Ranked " + glance.Order() + ". A healthy run has worst steps too: read why, and how many groups have signal.")
	caption := "The worst first"
	if more := len(spans) - MaxWorst; more > 0 {
		caption = "The worst " + units.Count(MaxWorst) + ", the worst first; " + units.Count(more) + " more are less bad"
	}
	h.writeTable("worst-steps", caption, []tableColumn{
		{"steps", "number", "a step, or neighbouring ones that are bad for the same reason"},
		{"why", "text", ""},
		{"signal", "share", "groups with an advantage that is not 0"},
		{"train", "share", "samples whose advantage is not 0: only these train"},
	}, min(MaxWorst, len(spans)), func(i int) []markup {
		s := &spans[i]
		return []markup{
			tag("th", attr("scope", "row"), s.Name()), tag("td", class("t why"), upperFirst(s.Cause())),
			tag("td", units.Fraction(s.Signal, s.Groups)), tag("td", units.Fraction(s.Nonzero, s.Rows)),
		}
	})
}

// stepCells returns the cells of a step in the table of steps, divided by tabs: one string, since hundreds are held.
func (h *htmlPage) stepCells(s *analysis.StepFigures) string {
	var cells []string
	for _, c := range h.stepColumns {
		number := c.Value(s)
		if cells = append(cells, number.String()); number.IsMissing() {
			cells[len(cells)-1] = units.Missing
		}
	}
	return strings.Join(append(cells, notableFates(s)), "\t")
}

func (h *htmlPage) writeSteps() {
	caption := "A row per step"
	if hidden := len(h.Snap.Steps) - len(h.steps); hidden > 0 {
		caption = fmt.Sprintf("The newest %s; the %d before them are in vantage report --format csv", units.Plural(len(h.steps), "steps"),
			hidden)
	}
	var columns []tableColumn
	for _, c := range h.stepColumns {
		kind := "number"
		if slices.Contains([]string{"signal", "kept", "train"}, c.Name) {
			kind = "share"
		}
		columns = append(columns, tableColumn{c.Name, kind, c.Explanation()})
	}
	columns = append(columns, tableColumn{"needs a look", "text", "groups that are not alive, by fate"})
	h.writeTable("steps", caption, columns, len(h.steps), func(i int) []markup {
		cells := strings.Split(h.steps[i], "\t")
		last := len(cells) - 1
		row := []markup{tag("th", attr("scope", "row"), cells[0])}
		for _, cell := range cells[1:last] {
			row = append(row, tag("td", cell))
		}
		return append(row, tag("td", class("t fates-text"), cells[last]))
	})
	for _, line := range h.legend() {
		h.note(line + ".")
	}
}

// findingTrends are lines of what shows each finding over the steps.
func findingTrends(d *diagnosis.Diagnosis) (lines []trendLine) {
	if d == nil {
		return nil
	}
	for i := range d.Findings {
		f := &d.Findings[i]
		lines = append(lines, trendLine{
			Name: f.Series.Name, onset: &f.Since,
			value: func(s *analysis.StepFigures, _ *analysis.Analysis) float64 {
				if at, found := slices.BinarySearch(d.Numbers, s.Step); found && at < len(f.Series.Values) {
					return f.Series.Values[at]
				}
				return math.NaN()
			},
		})
	}
	return lines
}

func (h *htmlPage) verdict() markup {
	switch d := h.Diagnosis; {
	case d == nil:
		return ""
	case d.Health() == diagnosis.Healthy:
		return tag("p", class("verdict sure"), d.HealthText())
	case d.Health() == diagnosis.Unknown:
		return tag("p", class("verdict unknown"), d.HealthText())
	case d.Alarms() == 0:
		return tag("p", class("verdict doubt"), d.HealthText())
	default:
		return tag("p", class("verdict doubt"), tag("a", linkTo("findings"), "! "+d.HealthText()))
	}
}

// writeFindings writes each finding with its evidence and its figure over the steps, and what cannot be told.
func (h *htmlPage) writeFindings() {
	d := h.Diagnosis
	h.note(upperFirst(d.HealthReason()) + ".")
	h.note("Learning: " + d.LearningText() + ".")
	var list []markup
	for i := range d.Findings {
		f := &d.Findings[i]
		kind := class("watch")
		if f.Severity == diagnosis.Alarm {
			kind = class("alarm")
		}
		text := tag("h3", string(f.Severity)+": "+f.Kind.Words()+" "+f.When()) + tag("p", upperFirst(f.Title)+".")
		for _, e := range f.Evidence {
			text += tag("p", class("where"), e.String())
		}
		for _, title := range f.Follows {
			text += tag("p", class("where"), "and so: "+title)
		}
		if cost := f.Cost.String(); cost != "" {
			text += tag("p", class("where"), "generated since then: "+cost)
		}
		if f.Example.Group != "" {
			text += tag("p", class("example"), fmt.Sprintf("For example at step %d group ", f.Example.Step),
				tag("code", attr("dir", "auto"), cut(f.Example.Group, 64)))
		}
		if f.After.Text != "" {
			text += quoted("before", &f.Before) + quoted("after", &f.After)
		}
		text += tag("p", class("advice"), withoutKeys(f.Advice))
		var picture markup
		for k := range h.charts.Trends {
			if l := &h.charts.Trends[k]; l.onset == &f.Since && l.hasValue() && h.charts.Steps > 1 {
				picture = card(f.Series.Name, []markup{tag("p", class("figures"), fmt.Sprintf("from step %d", f.Since))},
					h.charts.drawTrend(l))
			}
		}
		list = append(list, tag("li", kind, tag("div", text), picture))
	}
	h.put(tag("ul", class("warnings findings"), list))
	if text := d.NotChecked(); text != "" {
		h.note(upperFirst(text) + ".")
	}
}

// quoted is an answer before an onset or after it.
func quoted(when string, q *diagnosis.Quote) markup {
	return tag("p", class("example"), when+", ", tag("span", attr("dir", "auto"), q.String()))
}

// writeWarnings writes each kind of warning with how often it occurs, and what it says at the newest step of these; then what
// could not be read.
func (h *htmlPage) writeWarnings() {
	var list []markup
	for _, kind := range h.total.warningSpans {
		item := tag("h3", strings.ReplaceAll(string(kind.Kind), "-", " "))
		where := fmt.Sprintf("at step %d:", kind.newest[0].Step)
		if h.total.Steps > 1 {
			where = fmt.Sprintf("at %s steps, first %d; %s", units.Fraction(kind.Steps, h.charts.Steps), kind.First, where)
		}
		item += tag("p", class("where"), where)
		for _, w := range kind.newest {
			item += tag("p", strings.TrimSuffix(w.Sentence(), ".")+".")
			if e := h.example(w); e != nil && e.Group+e.Prompt != "" {
				item += tag("p", class("example"), "For example group ", tag("code", attr("dir", "auto"), e.Group), " ",
					tag("q", attr("dir", "auto"), e.Prompt))
			}
			item += tag("p", class("advice"), withoutKeys(w.Advice))
		}
		list = append(list, tag("li", item))
	}
	if len(list) == 0 {
		text := "No complete step raises a warning."
		if d := h.Diagnosis; d != nil && len(d.Findings) > 0 {
			text = "No complete step raises a warning of its own. What was found across the steps is above."
		}
		h.note(text)
	} else {
		h.put(tag("ul", class("warnings"), list))
	}
	problems, all := h.problems()
	if all == 0 {
		return
	}
	lines := model.Mapped(problems, func(problem model.Problem) markup { return tag("li", problem.String()) })
	if more := all - len(problems); more > 0 {
		lines = append(lines, tag("li", fmt.Sprintf("and %d more", more)))
	}
	h.put(tag("h3", "Could not read "+units.Plural(all, "places")), tag("ul", class("problems"), lines))
}

// Bounds of what is shown of a text, in characters.
const (
	maxPromptText = 1500
	maxAnswerText = 2500
)

func (h *htmlPage) shownTexts() []worstGroup {
	all := h.worst.ranked()
	return all[:min(h.Parts.Texts, len(all))]
}

func answersID(i int) string { return fmt.Sprintf("answers-%d", i+1) }

// writeTexts writes the answers with the best and the worst reward of the worst groups.
func (h *htmlPage) writeTexts() {
	groups := h.shownTexts()
	h.note(fmt.Sprintf("The answers with the best and the worst reward of the %s that need a look most. Long texts are cut in the "+
		"middle; characters that a reader would not see are shown by their number, as ‹U+202E›.", units.Plural(len(groups), "groups")))
	for i := range groups {
		g := &groups[i]
		at, _ := h.Snap.Find(g.Step)
		h.put(tag("details", attr("id", answersID(i)), attr("open", "open"), class("card"),
			tag("summary", fateTag(g.Fate), " group ", tag("bdi", cut(g.Name, 40)),
				fmt.Sprintf(" of step %d · mean reward %s", g.Step, meanText(g.RewardMean))),
			tag("p", class("hint"), cmp.Or(g.Cause, g.Fate.Doc())), h.answers(&h.Snap.Steps[at], g)), lineBreak)
	}
}

// answers are prompt, truth and both answers of a group. What cannot be read any more is said.
func (h *htmlPage) answers(step *model.Step, g *worstGroup) markup {
	best, err := h.Parts.Text(step.Place(int(g.Best.Row)))
	if err != nil {
		return noteTag("No texts: " + err.Error() + ".")
	}
	texts := tag("h4", "prompt") + preformatted(best.Prompt, maxPromptText)
	if best.Truth != "" {
		texts += tag("h4", "ground truth") + preformatted(best.Truth, maxPromptText)
	}
	names := [2]string{"best", "worst"}
	if g.Best.Reward == g.Worst.Reward {
		names = [2]string{"first", "last"}
	}
	pair := answerTag(names[0], g.Best, best, preformatted(best.Response, maxAnswerText))
	if g.Size() > 1 {
		worst, err := h.Parts.Text(step.Place(int(g.Worst.Row)))
		switch {
		case err != nil:
			pair += noteTag("No other answer: " + err.Error() + ".")
		case worst.Response == best.Response:
			pair += answerTag(names[1], g.Worst, worst, noteTag("The same text as the "+names[0]+"."))
		default:
			pair += answerTag(names[1], g.Worst, worst, preformatted(worst.Response, maxAnswerText))
		}
	}
	return texts + tag("div", class("pair"), pair)
}

func answerTag(which string, row answerRow, text model.Text, shown markup) markup {
	sign := class("number")
	switch {
	case row.Advantage > 0:
		sign = class("number positive")
	case row.Advantage < 0:
		sign = class("number negative")
	}
	dropped := ""
	if !row.Kept {
		dropped = ", dropped by the filter"
	}
	return tag("div",
		tag("h4", which+": reward "+meanText(row.Reward)+", advantage ", tag("span", sign, units.Signed(row.Advantage)), dropped,
			fmt.Sprintf(", %s", units.Plural(utf8.RuneCountInString(text.Response), "characters"))),
		shown)
}

func preformatted(text string, most int) markup {
	if text == "" {
		return noteTag("(empty)")
	}
	runes := []rune(text)
	if len(runes) <= most {
		return tag("pre", attr("dir", "auto"), text)
	}
	head := most * 2 / 3
	cut := tag("b", class("cut"), fmt.Sprintf(" … [%s] … ", units.Plural(len(runes)-most, "characters")))
	return tag("pre", attr("dir", "auto"), string(runes[:head]), cut, string(runes[len(runes)-(most-head):]))
}
