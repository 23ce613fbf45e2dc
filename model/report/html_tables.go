package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// maxPromptShown is how many characters of a prompt a table shows.
const maxPromptShown = 120

// writeGroups writes what became of all groups, and a table of those that need a look.
func (h *htmlPage) writeGroups() error {
	h.fateBar()
	groups := h.worst.listed()
	if len(groups) == 0 {
		return nil
	}
	h.beginTable("groups", fmt.Sprintf("Groups that need a look: the newest %d of each fate, and of those that are alive the ones with the most flips or the worst rewards", groupsPerFate), groupColumns())
	texts := h.Parts.Texts
	for i := range groups {
		h.groupRow(&groups[i], h.textID(&groups[i], texts))
	}
	h.endTable()
	return nil
}

// fateWidth is how wide the bar of fates is, in its own units.
const fateWidth = 1000

// fateBar draws the share of each fate, with a list of them.
func (h *htmlPage) fateBar() {
	all := h.total.summary()
	h.Open("svg", markup.Class("fates"), markup.A("viewBox", fmt.Sprintf("0 0 %d 14", fateWidth)), markup.A("preserveAspectRatio", "none"), markup.A("role", "img"),
		markup.A("aria-label", "Groups by fate: "+strings.Join(fateCounts(all), ", ")))
	x := 0.0
	for i := model.FateCount - 1; i >= 0; i-- {
		fate := model.Fate(i)
		if width := float64(all.Fates[fate]) / float64(max(1, all.Groups)) * fateWidth; width > 0 {
			h.Open("g", fateClass(fate))
			h.Element("title", units.Fraction(all.Fates[fate], all.Groups)+" "+fate.String())
			h.rect(x, 0, width, 14)
			h.Close()
			x += width
		}
	}
	h.Close()
	h.Open("ul", markup.Class("legend"))
	for i := model.FateCount - 1; i >= 0; i-- {
		fate := model.Fate(i)
		if all.Fates[fate] == 0 {
			continue
		}
		h.Open("li")
		h.fate(fate)
		h.Text(" " + units.Fraction(all.Fates[fate], all.Groups) + " ")
		h.Element("span", fate.Doc(), markup.Class("hint"))
		h.Close()
	}
	h.Close()
}

// fate writes the name of a fate with its colour.
func (h *htmlPage) fate(f model.Fate) {
	h.Open("span", markup.Class("fate"))
	h.Open("svg", fateClass(f), markup.A("viewBox", "0 0 8 8"), markup.A("aria-hidden", "true"))
	h.Void("rect", markup.A("width", "8"), markup.A("height", "8"), markup.A("rx", "2"))
	h.Close()
	h.Text(f.String())
	h.Close()
}

// fateClass returns the colour of a fate: blue has signal, orange needs a look, grey has nothing to learn from.
func fateClass(f model.Fate) markup.Attribute {
	switch f {
	case model.FateAlive:
		return markup.Class("plus")
	case model.FateShort, model.FateKilled, model.FateInvalid, model.FateNoise:
		return markup.Class("minus")
	case model.FateAllWrong:
		return markup.Class("wrong")
	case model.FateAllCorrect:
		return markup.Class("solved")
	default:
		return markup.Class("none")
	}
}

// tableColumn is a column of a table of the page.
type tableColumn struct {
	head string
	kind string // what is sorted: "number", "share" or "text"
	doc  string
}

func groupColumns() []tableColumn {
	return withDocs(figures.Group, []tableColumn{
		{"step", "number", ""},
		{"fate", "text", "what the settings make of the group"},
		{"prompt", "text", ""},
		{"why", "text", "the reason for its fate"},
		{"n", "number", "samples"},
		{"kept", "text", ""},
		{"flips", "number", ""},
		{"reward", "number", "mean of its rewards"},
		{"std", "number", "of its rewards"},
	})
}

// withDocs explains columns from the glossary that have no explanation of their own.
func withDocs(place figures.Place, columns []tableColumn) []tableColumn {
	for i, c := range columns {
		if e, ok := figures.Explain(place, c.head); ok && c.doc == "" {
			columns[i].doc = e.Explanation()
		}
	}
	return columns
}

// beginTable begins a table that scrolls by itself, with a row of heads.
func (h *htmlPage) beginTable(name, caption string, columns []tableColumn) {
	h.Open("div", markup.Class("scroll"), markup.A("tabindex", "0"), markup.A("role", "region"), markup.A("aria-label", caption))
	h.Open("table", markup.A("id", name+"-table"))
	h.Element("caption", caption)
	h.Open("thead")
	h.Open("tr")
	for _, c := range columns {
		attributes := []markup.Attribute{markup.A("scope", "col"), markup.A("data-kind", c.kind)}
		if c.doc != "" {
			attributes = append(attributes, markup.A("title", c.doc))
		}
		if c.kind == "text" {
			attributes = append(attributes, markup.Class("t"))
		}
		h.Element("th", c.head, attributes...)
	}
	h.Close()
	h.Close()
	h.Open("tbody")
	h.Break()
}

func (h *htmlPage) endTable() {
	for range 3 {
		h.Close()
	}
	h.Break()
}

// groupRow writes the row of a group; id is that of its answers, "" if they are not shown.
func (h *htmlPage) groupRow(g *worstGroup, id string) {
	h.Open("tr")
	h.Element("th", fmt.Sprint(g.Step), markup.A("scope", "row"))
	h.Open("td", markup.Class("t"))
	h.fate(g.Fate)
	h.Close()
	h.Open("td", markup.Class("t prompt"))
	label := cut(groupLabel(g.Prompt, g.Name), maxPromptShown)
	if id == "" {
		h.Element("span", label, markup.A("dir", "auto"))
	} else {
		h.Element("a", label, markup.To(id), markup.A("dir", "auto"))
	}
	h.Close()
	h.Element("td", g.Cause, markup.Class("t why"))
	h.Element("td", g.Size)
	h.Element("td", g.Kept, markup.Class("t"))
	h.Element("td", units.Count(g.FlipCount))
	h.Element("td", meanText(g.Mean))
	h.Element("td", meanText(g.Std))
	h.Close()
	h.Break()
}

// groupsPerFate is how many groups of each fate a page lists, the newest.
const groupsPerFate = 10

// worstGroup is a group that a page lists.
type worstGroup struct {
	Step                        int64
	Fate                        model.Fate
	Name, Prompt                string // as logged
	Size, Kept, Cause           string
	Nonzero, Samples, FlipCount int
	Mean, Std                   float64

	Best, Worst answerRow
}

// answerRow is the sample of a group with the best or the worst reward.
type answerRow struct {
	Row       int32 // of the step, in input order
	Reward    float64
	Advantage float64
	Kept      bool
	Length    int32
}

// worstGroups are the newest groups of each fate while steps are added; of those that are alive those with the most
// flips, then the worst rewards. The memory does not grow with the number of steps.
type worstGroups struct {
	most   int // of each fate
	byFate [model.FateCount][]worstGroup
}

// add adds the groups of a step, which are newer than those before.
func (w *worstGroups) add(a *analysis.Analysis) {
	refused := refusedGroups(a)
	causes := a.Causes()
	var chosen [model.FateCount][]int
	for i := range a.Table {
		fate := a.Table[i].Fate
		chosen[fate] = append(chosen[fate], i)
	}
	slices.SortStableFunc(chosen[model.FateAlive], func(x, y int) int { return compareAlive(&a.Table[x], &a.Table[y]) })
	for fate, groups := range chosen {
		newest := make([]worstGroup, 0, w.most)
		for _, i := range groups[:min(len(groups), w.most)] {
			newest = append(newest, newWorstGroup(a, i, causes(i), refused[&a.Table[i]]))
		}
		all := append(newest, w.byFate[fate]...)
		if model.Fate(fate) == model.FateAlive {
			slices.SortStableFunc(all, func(x, y worstGroup) int {
				return cmp.Or(cmp.Compare(y.FlipCount, x.FlipCount), cmp.Compare(x.Mean, y.Mean))
			})
		}
		w.byFate[fate] = all[:min(len(all), w.most)]
	}
}

func compareAlive(x, y *analysis.Group) int {
	return cmp.Or(cmp.Compare(y.Flips.Total(), x.Flips.Total()), cmp.Compare(x.RewardMean, y.RewardMean))
}

func newWorstGroup(a *analysis.Analysis, i int, cause string, refused bool) worstGroup {
	g := &a.Table[i]
	best, worst := g.Start, g.Start
	for k := g.Start + 1; k < g.End; k++ { // NaN is worse than any number
		if cmp.Compare(a.LoggedRewards[k], a.LoggedRewards[best]) > 0 {
			best = k
		}
		if cmp.Compare(a.LoggedRewards[k], a.LoggedRewards[worst]) <= 0 {
			worst = k
		}
	}
	if cause == "" && g.Fate != model.FateAlive {
		cause = g.Fate.Doc()
	}
	if refused {
		cause = "the trainer would have stopped here: " + strings.TrimSuffix(a.Refusal(), ".") + "; " + cmp.Or(cause, g.Fate.Doc())
	}
	return worstGroup{
		Step: g.Step, Fate: g.Fate, Name: g.Name, Prompt: g.Preview, Size: g.SizeText(), Kept: figures.KeptBySign(g), Cause: cause,
		Nonzero: int(g.Nonzero), Samples: g.Size(), FlipCount: g.Flips.Total(), Mean: g.RewardMean, Std: g.RewardStd,
		Best: newAnswerRow(a, best), Worst: newAnswerRow(a, worst),
	}
}

func newAnswerRow(a *analysis.Analysis, i int) answerRow {
	return answerRow{a.InputRow[i], a.LoggedRewards[i], a.Processed[i], a.Keep[i], a.Lengths[i]}
}

// ranked returns the groups in the order of the page: those that need attention first, then the newest.
func (w *worstGroups) ranked() []worstGroup {
	var all []worstGroup
	for fate := range w.byFate {
		all = append(all, w.byFate[fate]...)
	}
	return all
}

// listed returns the groups of the table of a page.
func (w *worstGroups) listed() []worstGroup {
	var all []worstGroup
	for fate := range w.byFate {
		all = append(all, w.byFate[fate][:min(groupsPerFate, len(w.byFate[fate]))]...)
	}
	return all
}

// writeWorstSteps writes the worst steps with their causes, and how they are ranked.
func (h *htmlPage) writeWorstSteps() error {
	spans := h.Parts.Worst
	h.note("Ranked " + glance.Order() + ". A healthy run has worst steps too: read why, and how many groups have signal.")
	caption := "The worst first"
	if more := len(spans) - MaxWorst; more > 0 {
		caption = "The worst " + units.Count(MaxWorst) + ", the worst first; " + units.Count(more) + " more are less bad"
	}
	h.beginTable("worst-steps", caption, []tableColumn{
		{"steps", "number", "a step, or neighbouring ones that are bad for the same reason"},
		{"why", "text", ""},
		{"signal", "share", "groups with an advantage that is not 0"},
		{"A≠0", "share", "samples whose advantage is not 0: only these train"},
	})
	for i := range spans[:min(MaxWorst, len(spans))] {
		h.worstRow(&spans[i])
	}
	h.endTable()
	return nil
}

func (h *htmlPage) worstRow(s *glance.Span) {
	h.Open("tr")
	h.Element("th", s.Name(), markup.A("scope", "row"))
	h.Element("td", upperFirst(s.Cause), markup.Class("t why"))
	h.Element("td", units.Fraction(s.Signal, s.Groups))
	h.Element("td", units.Fraction(s.Nonzero, s.Rows))
	h.Close()
	h.Break()
}

// htmlStepColumns are the columns of the table of steps, but the last.
func htmlStepColumns() []figures.Column[*analysis.StepFigures] {
	return figures.Select(figures.Steps(), "step", "samples", "groups", "reward", "length", "signal", "kept", "A≠0", "Σ|A|", "flips")
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

// writeSteps writes a row per step.
func (h *htmlPage) writeSteps() error {
	caption := "A row per step"
	if hidden := len(h.Snap.Steps) - len(h.steps); hidden > 0 {
		caption = fmt.Sprintf("The newest %s; the %d before them are in vantage report --format csv", units.Plural(len(h.steps), "steps"), hidden)
	}
	var columns []tableColumn
	for _, c := range h.stepColumns {
		kind := "number"
		if slices.Contains([]string{"signal", "kept", "A≠0"}, c.Name) {
			kind = "share"
		}
		columns = append(columns, tableColumn{c.Name, kind, c.Explanation()})
	}
	h.beginTable("steps", caption, append(columns, tableColumn{"needs a look", "text", "groups that are not alive, by fate"}))
	for _, step := range h.steps {
		cells := strings.Split(step, "\t")
		last := len(cells) - 1
		h.Open("tr")
		h.Element("th", cells[0], markup.A("scope", "row"))
		for _, cell := range cells[1:last] {
			h.Element("td", cell)
		}
		h.Element("td", cells[last], markup.Class("t fates-text"))
		h.Close()
		h.Break()
	}
	h.endTable()
	for _, line := range h.legend() {
		h.note(line + ".")
	}
	return nil
}

// lastWarning is the newest step that raises a kind of warning, with what it says there.
type lastWarning struct {
	Kind     model.WarningKind
	Step     int64
	Warnings []model.Warning // several if one kind warns of both ratios
}

// addWarnings remembers the warnings of a step as the newest of their kinds.
func (h *htmlPage) addWarnings(s *analysis.StepFigures) {
	for _, w := range s.Warnings {
		i := slices.IndexFunc(h.warnings, func(l lastWarning) bool { return l.Kind == w.Kind })
		if i < 0 {
			i = len(h.warnings)
			h.warnings = append(h.warnings, lastWarning{Kind: w.Kind})
		}
		if last := &h.warnings[i]; last.Step != s.Step || last.Warnings == nil {
			last.Step, last.Warnings = s.Step, nil
		}
		h.warnings[i].Warnings = append(h.warnings[i].Warnings, w)
	}
}

// writeWarnings writes each kind of warning with how often it occurs, and what it says at the newest step of these.
func (h *htmlPage) writeWarnings() error {
	if len(h.warnings) == 0 {
		h.note("No complete step raises a warning.")
		h.writeProblems()
		return nil
	}
	h.Open("ul", markup.Class("warnings"))
	for _, kind := range h.warnings {
		h.Open("li")
		h.Element("h3", strings.ReplaceAll(string(kind.Kind), "-", " "))
		h.Element("p", h.warningSpan(kind), markup.Class("where"))
		for _, w := range kind.Warnings {
			h.Element("p", strings.TrimSuffix(w.Sentence(), ".")+".")
			if e := h.example(w); e != nil && e.Group+e.Prompt != "" {
				h.Open("p", markup.Class("example"))
				h.Text("For example group ")
				h.Element("code", e.Group, markup.A("dir", "auto"))
				h.Text(" ")
				h.Element("q", e.Prompt, markup.A("dir", "auto"))
				h.Close()
			}
			h.Element("p", withoutKeys(w.Advice), markup.Class("advice"))
		}
		h.Close()
	}
	h.Close()
	h.writeProblems()
	return nil
}

// warningSpan says at which steps a kind of warning occurs.
func (h *htmlPage) warningSpan(kind lastWarning) string {
	for _, s := range h.total.warningSpans {
		if s.Kind == kind.Kind && h.total.Steps > 1 {
			return fmt.Sprintf("at %s steps, first %d; at step %d:", units.Fraction(s.Steps, h.plots.charts.Steps), s.First, kind.Step)
		}
	}
	return fmt.Sprintf("at step %d:", kind.Step)
}

// writeProblems lists what could not be read.
func (h *htmlPage) writeProblems() {
	problems := h.Snap.Run.Problems
	if len(problems) == 0 {
		return
	}
	all := max(h.Snap.Run.Skipped, len(problems))
	h.Element("h3", "Could not read "+units.Plural(all, "places"))
	h.Open("ul", markup.Class("problems"))
	shown := problems[:min(len(problems), maxProblems)]
	for _, problem := range shown {
		h.Element("li", problem.String())
	}
	if more := all - len(shown); more > 0 {
		h.Element("li", fmt.Sprintf("and %d more", more))
	}
	h.Close()
}

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
