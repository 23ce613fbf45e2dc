package report

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"math"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/report/markup"
	"vantage/model/trainer"
	"vantage/model/units"
)

// HTMLParts are the parts of the page of [HTML] that are not figures of the report.
type HTMLParts struct {
	Sweep   *Sweep                                   // of the same steps; nil if there is none
	NoSweep string                                   // why there is none
	Texts   int                                      // of how many of the worst groups two answers are shown
	Text    func(at model.Place) (model.Text, error) // reads the text of a sample; nil if Texts is 0
	Worst   []glance.Span                            // the worst steps first
}

// pageFiles are the style and the script of a page: light or dark as the reader's system is, from 400 pixels to wide screens,
// and on paper. Blue is positive, orange negative; signs and words say the same. The script sorts and searches tables,
// and opens and closes texts; the page says everything without it. charts.css is the style of the picture of [SVG], without
// variables, which not every program that draws pictures knows. None has & or <, so that what has them is well-formed XML.
//
//go:embed page.css page.js charts.css
var pageFiles embed.FS

// Bounds of a page, so that it can be sent whatever the run.
const (
	maxPagePoints = 200 // of a line: with more steps a point is the mean of several
	maxPageSteps  = 500 // rows of the table of steps, the newest
)

// htmlPage is a page of HTML being written, once all steps are known.
type htmlPage struct {
	*page
	plots

	chain       chainTotal
	stepColumns []figures.Column[*analysis.StepFigures]
	steps       []string    // rows of the newest
	worst       worstGroups // candidates
	warnings    []lastWarning
}

// HTML writes one page for a browser that needs nothing else: what was read and how, the stages from the reward to
// the loss, warnings, charts, the sweep, the groups that need a look and, of some, two answers, a row per step, and
// the settings to copy. It can be read without its script, which sorts and searches tables. The
// Content-Security-Policy of the page allows that script and nothing that is not in the page. The last line of the
// page says that it is not cut.
func HTML(w io.Writer, r *Report) (*Charts, error) {
	p, err := r.newPage(io.Discard, pageTrends(), maxPagePoints)
	if err != nil {
		return nil, err
	}
	h := &htmlPage{page: p, plots: plots{Writer: markup.New(w), charts: p.charts}, stepColumns: htmlStepColumns(), worst: worstGroups{most: max(groupsPerFate, r.Parts.Texts)}}
	err = r.eachStep(func(s *analysis.StepFigures, a *analysis.Analysis) error {
		h.add(s, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := h.write(); err != nil {
		return nil, err
	}
	return p.charts, h.Flush()
}

func (h *htmlPage) add(s *analysis.StepFigures, a *analysis.Analysis) {
	h.page.add(s, a)
	if h.rows++; h.rows > len(h.Snap.Steps)-maxPageSteps {
		h.steps = append(h.steps, h.stepCells(s))
	}
	if a != nil {
		h.chain.add(a)
	}
	if s.Open {
		return
	}
	h.addWarnings(s)
	if a != nil {
		h.worst.add(a)
	}
}

// section is a part of the page, which the list at its top links to.
type section struct {
	id, title string
	write     func(*htmlPage) error
	has       func(*htmlPage) bool // nil: always
}

// sections returns all parts, in the order of the page.
func sections() []section {
	return []section{
		{id: "chain", title: "From reward to loss", write: (*htmlPage).writeChain},
		{id: "warnings", title: "Warnings", write: (*htmlPage).writeWarnings},
		{id: "worst", title: "Worst steps", write: (*htmlPage).writeWorstSteps, has: func(h *htmlPage) bool { return h.plots.charts.Steps > 1 && len(h.Parts.Worst) > 0 }},
		{id: "steps", title: "Over the steps", write: (*htmlPage).writeTrends, has: func(h *htmlPage) bool { return h.plots.charts.Steps > 1 }},
		{id: "advantages", title: "Advantages and solve rates", write: (*htmlPage).writeDistributions, has: func(h *htmlPage) bool { return h.plots.charts.hasDistribution() || h.plots.charts.hasSolved() }},
		{id: "sweep", title: "What a filter would do", write: (*htmlPage).writeSweep},
		{id: "groups", title: "Groups", write: (*htmlPage).writeGroups, has: func(h *htmlPage) bool { return h.total.Groups > 0 }},
		{id: "texts", title: "Answers", write: (*htmlPage).writeTexts, has: func(h *htmlPage) bool { return h.Parts.Texts > 0 && len(h.worst.ranked()) > 0 }},
		{id: "table", title: "Every step", write: (*htmlPage).writeSteps},
		{id: "settings", title: "Settings to copy", write: (*htmlPage).writeSettings},
	}
}

func (h *htmlPage) write() error {
	var shown []section
	for _, s := range sections() {
		if s.has == nil || s.has(h) {
			shown = append(shown, s)
		}
	}
	h.begin(shown)
	for _, s := range shown {
		h.Open("section", markup.A("id", s.id), markup.A("aria-labelledby", s.id+"-title"))
		h.Element("h2", s.title, markup.A("id", s.id+"-title"))
		if err := s.write(h); err != nil {
			return err
		}
		h.Close()
		h.Break()
	}
	h.end()
	return nil
}

// note writes a paragraph that explains what is above or below it.
func (h *htmlPage) note(text string) {
	h.Element("p", text, markup.Class("note"))
}

// runSize says how much was read: "40 steps · 20480 samples · 2560 groups".
func (h *htmlPage) runSize() string {
	return units.Plural(len(h.Snap.Steps), "steps") + " · " + units.Plural(h.Snap.Rows, "samples") + " · " + units.Plural(h.total.Groups, "groups")
}

// begin writes the page down to the first section.
func (h *htmlPage) begin(shown []section) {
	title, style := cmp.Or(h.Head.Path, h.Snap.Run.Format), markup.NewAsset(pageFiles, "page.css")
	h.Doctype()
	h.Open("html", markup.A("lang", "en"))
	h.Open("head")
	h.Void("meta", markup.A("charset", "utf-8"))
	h.Void("meta", markup.A("http-equiv", "Content-Security-Policy"), markup.A("content", "default-src 'none'; style-src "+style.Hash()+
		"; script-src "+markup.NewAsset(pageFiles, "page.js").Hash()+"; base-uri 'none'; form-action 'none'"))
	h.Void("meta", markup.A("name", "viewport"), markup.A("content", "width=device-width, initial-scale=1"))
	h.Void("meta", markup.A("name", "color-scheme"), markup.A("content", "light dark"))
	h.Void("meta", markup.A("name", "referrer"), markup.A("content", "no-referrer"))
	h.Void("meta", markup.A("name", "generator"), markup.A("content", "vantage "+h.Head.Version))
	h.Element("title", title+" · vantage report")
	h.Embedded("style", style)
	h.Close()
	h.Open("body")
	h.Element("a", "Skip to the figures", markup.Class("skip"), markup.To("main"))
	h.Open("header")
	h.Element("p", "vantage report", markup.Class("eyebrow"))
	h.Element("h1", title, markup.A("dir", "auto"))
	h.Element("p", h.Snap.Run.Format+" · "+h.runSize()+attemptText(h.Snap.Run.Attempts), markup.Class("lead"))
	h.tiles()
	h.facts()
	h.Close()
	h.contents(shown)
	h.Open("main", markup.A("id", "main"))
	h.Break()
}

// contents writes links to the sections.
func (h *htmlPage) contents(shown []section) {
	h.Open("nav", markup.A("aria-label", "Sections"))
	h.Open("ul")
	for _, s := range shown {
		h.Open("li")
		h.Element("a", s.title, markup.To(s.id))
		h.Close()
	}
	h.Close()
	h.Close()
	h.Break()
}

// tiles writes the figures that a reader asks for first.
func (h *htmlPage) tiles() {
	all := h.total.summary()
	h.Open("ul", markup.Class("tiles"))
	h.tile("reward", meanText(h.total.summary().Metric("critic/score/mean")), h.rewardHint())
	h.tile("groups with signal", units.Percent(all.Signal, all.Groups), units.Count(all.Signal)+" of "+units.Count(all.Groups))
	h.tile("samples that train", units.Percent(all.Nonzero, all.Rows), units.Count(all.Nonzero)+" of "+units.Count(all.Rows)+" have an advantage that is not 0")
	if h.Settings.Effective().Filtering() {
		h.tile("kept by the filter", units.Percent(all.Kept, all.Rows), "Σ|A| "+units.Times(all.Metric("vantage/abs_advantage_ratio"))+" of that without it")
	}
	h.tile("kinds of warnings", units.Count(len(h.warnings)), h.warningsHint())
	h.Close()
}

// rewardHint says what the mean reward is of, and that of the log if it is another.
func (h *htmlPage) rewardHint() string {
	switch logged, left := meanText(h.chain.logged()), h.total.notNumbers; {
	case logged == meanText(h.total.summary().Metric("critic/score/mean")) && left > 0:
		return "mean of " + h.total.rewardsMeant() + "; " + units.Count(left) + " NaN or missing"
	case logged == meanText(h.total.summary().Metric("critic/score/mean")):
	case h.Settings.Overlong != "":
		return "mean after the length penalty; " + logged + " as logged"
	case h.chain.invalid > 0:
		return "mean with " + units.Count(h.chain.invalid) + " NaN or missing as the trainer counts them; " + logged + " without"
	}
	return "mean of " + h.total.rewardsMeant()
}

func (h *htmlPage) warningsHint() string {
	if len(h.warnings) == 0 {
		return "none at any step"
	}
	return "first: " + string(h.warnings[0].Kind)
}

func (h *htmlPage) tile(name, value, hint string) {
	h.Open("li")
	h.Element("span", name, markup.Class("name"))
	h.Element("span", value, markup.Class("value"))
	h.Element("span", hint, markup.Class("hint"))
	h.Close()
}

// facts writes how the log was read and by whose arithmetic it was computed.
func (h *htmlPage) facts() {
	h.Open("dl", markup.Class("facts"))
	for _, f := range h.page.facts(", ", "path", "report of", "freshness", "read", "groups", "doubt", "rollouts", "lengths", "left out",
		"estimator", "options", "reward", "config", "solved") {
		class := markup.Class("hint")
		switch {
		case f.Doubt:
			class = markup.Class("doubt")
		case f.Sure:
			class = markup.Class("sure")
		}
		h.Open("div")
		h.Element("dt", f.Label)
		h.Open("dd")
		if f.Doubt && f.Proof == "" {
			h.Element("strong", "! ", class, markup.A("aria-label", "in doubt:"))
		}
		h.Text(f.Text)
		if f.Proof != "" {
			h.Text(" ")
			h.Element("span", f.Proof, class)
		}
		h.Close()
		h.Close()
	}
	h.Close()
	h.Break()
}

// end writes what is below the last section.
func (h *htmlPage) end() {
	h.Close() // main
	h.Open("footer")
	if h.Head.Command != "" {
		h.Element("p", "The same report again:")
		h.Element("pre", h.Head.Command, markup.Class("copy"), markup.A("tabindex", "0"))
	}
	if at := h.Head.written(); at != "" {
		h.Element("p", "Written "+at+". Every figure is explained in the glossary of vantage.")
	}
	h.Element("p", h.completeLine(), markup.Class("complete"))
	h.Close()
	h.Embedded("script", markup.NewAsset(pageFiles, "page.js"))
	h.Close() // body
	h.Close() // html
	h.Break()
}

// chainTotal are sums over the steps that a summary of a step does not have; means are those of complete steps.
type chainTotal struct {
	rows, shaped             int
	groups, admitted         int
	invalid                  int     // samples whose reward is NaN or missing
	loggedSum                float64 // of the means of the finite rewards of the steps, times their number
	loggedRows               int
	whyUnshaped, whyUnweight string // why the newest step lacks a stage that is set; "" if it has it
}

func (c *chainTotal) add(a *analysis.Analysis) {
	c.rows, c.shaped = c.rows+a.Rows, c.shaped+a.Shaped()
	c.groups, c.admitted = c.groups+a.Groups, c.admitted+a.AdmittedGroups
	if a.Open {
		return
	}
	for i := range a.Warnings {
		if a.Warnings[i].Kind == model.WarnInvalidRewards {
			c.invalid += a.Warnings[i].Count
		}
	}
	if x := a.LoggedMean(); x-x == 0 {
		n := a.Rows
		if a.FiniteRewards > 0 {
			n = a.FiniteRewards
		}
		c.loggedSum, c.loggedRows = c.loggedSum+x*float64(n), c.loggedRows+n
	}
	c.whyUnshaped, c.whyUnweight = a.WhyUnshaped(), a.NoLoss
}

// logged returns the mean of the rewards as logged, NaN if there is none.
func (c *chainTotal) logged() float64 { return c.loggedSum / float64(c.loggedRows) }

// stage is a stage between the reward of a sample and its weight in the loss.
type stage struct {
	name, choice string   // choice is "" for a stage that is off
	figures      []string // what it does to the run
	off          string   // what that it is off means
}

func (h *htmlPage) stages() []stage {
	all, set := h.total.summary(), h.Settings
	return []stage{
		{"reward", rewardChoice(h), []string{h.loggedMean(), units.Plural(all.Rows, "samples"), units.Plural(all.Groups, "groups")}, ""},
		{"length penalty", set.Overlong, h.penaltyFigures(), "no reward is lowered for its length"},
		{"groups admitted", set.GroupFilter, h.admissionFigures(), "every group goes on"},
		{"samples kept", keepChoice(h), []string{units.Fraction(all.Kept, all.Rows) + " samples", "Σ|A| " + units.Times(all.Metric("vantage/abs_advantage_ratio"))}, "every sample goes on"},
		{"advantage", set.Framework + " " + set.Estimator + ", scale " + string(set.Scale), []string{
			"A≠0 " + units.Fraction(all.Nonzero, all.Rows) + " samples", "signal " + units.Fraction(all.Signal, all.Groups) + " groups",
		}, ""},
		{"weight in the loss", set.Loss, h.lossFigures(all), "each sample counts as its advantage says"},
	}
}

// loggedMean is the mean of the rewards of the log, and which are not in it.
func (h *htmlPage) loggedMean() string {
	text := "mean " + meanText(h.chain.logged())
	if n := h.chain.invalid; n > 0 {
		text += ", without " + units.Count(n) + " NaN or missing"
	}
	return text
}

func rewardChoice(h *htmlPage) string {
	if text := rewardText(h.Settings, h.Choice.Rewards); text != "" {
		return text
	}
	return "as logged"
}

func keepChoice(h *htmlPage) string {
	set := h.Settings.Effective()
	if !set.Filtering() {
		return ""
	}
	return fmt.Sprintf("keep_pos %s\nkeep_neg %s\nrecompute %s", units.Fixed(set.KeepPos, 2), units.Fixed(set.KeepNeg, 2), onOff(set.Recompute))
}

func (h *htmlPage) penaltyFigures() []string {
	if h.chain.whyUnshaped != "" {
		return []string{"! " + h.chain.whyUnshaped}
	}
	return []string{units.Fraction(h.chain.shaped, h.chain.rows) + " rewards lowered", "mean " + meanText(h.total.summary().Metric("critic/score/mean"))}
}

func (h *htmlPage) admissionFigures() []string {
	figures := []string{units.Fraction(h.chain.admitted, h.chain.groups) + " groups"}
	if h.chain.admitted > 0 {
		figures = append(figures, "refill "+units.Times(float64(h.chain.groups)/float64(h.chain.admitted)))
	}
	return figures
}

func (h *htmlPage) lossFigures(all *analysis.StepFigures) []string {
	if h.chain.whyUnweight != "" {
		return []string{"! " + h.chain.whyUnweight}
	}
	figures := []string{
		"Σw|A| " + units.Short(all.Metric("vantage/loss/mass")) + " per step", "−/+ " + units.Times(all.Metric("vantage/loss/negative_to_positive")),
		"dilution " + units.Times(all.Metric("vantage/loss/dilution")),
	}
	if x := all.Metric("vantage/loss/longest_quarter"); !math.IsNaN(x) {
		figures = append(figures, "longest quarter "+units.Fixed(100*x, 0)+"%")
	}
	return figures
}

// writeChain writes the stages with what each does to the run.
func (h *htmlPage) writeChain() error {
	if h.plots.charts.Steps == 0 {
		h.note("No step is complete yet.")
		return nil
	}
	h.note("What a trainer does to a reward on its way to the update, over " + h.plots.charts.stepRange() + ". Counts are added up; means are over the steps.")
	h.Open("ol", markup.Class("chain"))
	for _, s := range h.stages() {
		if s.choice == "" {
			h.Open("li", markup.Class("off"))
			h.Element("h3", s.name)
			h.Element("p", "off", markup.Class("choice"))
			h.Element("p", s.off)
			h.Close()
			continue
		}
		h.Open("li")
		h.Element("h3", s.name)
		h.Element("p", s.choice, markup.Class("choice"))
		for _, figure := range s.figures {
			h.Element("p", figure)
		}
		h.Close()
	}
	h.Close()
	return nil
}

// writeSettings writes the settings of the report as options of trainers: those of its own framework first.
func (h *htmlPage) writeSettings() error {
	own, isOwn := trainer.Find(h.Settings.Framework)
	if isOwn {
		h.dialect(own, true)
	} else {
		h.note("vantage does not know how " + h.Settings.Framework + " names them.")
	}
	h.Open("details")
	h.Element("summary", "for other trainers")
	for _, d := range trainer.Dialects() {
		if !isOwn || d.Framework != own.Framework {
			h.dialect(d, false)
		}
	}
	h.Close()
	return nil
}

func (h *htmlPage) dialect(d trainer.Dialect, isOwn bool) {
	title := d.Framework
	if isOwn {
		title += ", whose arithmetic the figures are"
	}
	h.Element("h3", title)
	h.Element("pre", strings.Join(d.Emit(h.Settings), "\n"), markup.Class("copy"), markup.A("tabindex", "0"), markup.A("aria-label", "options of "+d.Framework))
}
