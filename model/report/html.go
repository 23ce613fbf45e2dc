package report

import (
	"cmp"
	"embed"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/offpolicy"
	"vantage/model/trainer"
	"vantage/model/units"
)

// HTMLParts are the parts of the page of [HTML] that are not figures of the report.
type HTMLParts struct {
	Sweep   *Sweep                                   // of the same steps; nil if there is none
	NoSweep string                                   // why there is none; "": nobody asks, as the trainer has no filter
	Texts   int                                      // of how many of the worst groups two answers are shown
	Text    func(at model.Place) (model.Text, error) // reads the text of a sample; nil if Texts is 0
	Worst   func(*analysis.Trend) []glance.Span      // the worst steps of the page first; nil: nobody asks

	OffPolicy *offpolicy.Study // of the log-probs of tokens; nil if the log has none
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
	chain       chainTotal
	stepColumns []figures.Column[*analysis.StepFigures]
	steps       []string    // rows of the newest
	worst       worstGroups // candidates
	trend       analysis.Trend
	worstSteps  []glance.Span // the worst first
}

// HTML writes one page for a browser that needs nothing else: what was read and how, the stages from the reward to
// the loss, warnings, charts, the sweep, the groups that need a look and, of some, two answers, a row per step, and
// the settings to copy. It can be read without its script, which sorts and searches tables. The
// Content-Security-Policy of the page allows that script and nothing that is not in the page. The last line of the
// page says that it is not cut.
func HTML(w io.Writer, r *Report) (*Charts, error) {
	p, err := r.newPage(w, append(pageTrends(), findingTrends(r.Diagnosis)...), maxPagePoints)
	if err != nil {
		return nil, err
	}
	h := &htmlPage{page: p, worst: worstGroups{most: max(groupsPerFate, r.Parts.Texts)}}
	h.stepColumns = figures.Select(figures.Steps(), "step", "samples", "groups", "reward", "length", "signal", "kept", "train", "Σ|A|",
		"flips")
	h.trend = analysis.Trend{Settings: r.Settings, Grouping: r.Grouping}
	if r.Parts.Worst != nil {
		h.trend.Steps = make([]analysis.StepFigures, 0, len(r.Snap.Steps))
	}
	err = r.eachStep(func(s *analysis.StepFigures, a *analysis.Analysis) error {
		h.add(s, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.Parts.Worst != nil {
		h.worstSteps = r.Parts.Worst(&h.trend)
	}
	shown := slices.DeleteFunc(h.sections(), func(s section) bool { return !s.has })
	h.writeHead(shown)
	for _, s := range shown {
		h.put(openTag("section", attr("id", s.id), attr("aria-labelledby", s.id+"-title")), tag("h2", attr("id", s.id+"-title"), s.title))
		s.write()
		h.put(closeTag("section"), lineBreak)
	}
	h.writeFoot()
	return p.charts, p.out.Flush()
}

// put writes parts of the page: see [tag].
func (h *htmlPage) put(parts ...any) { _, _ = h.out.WriteString(string(inner(parts...))) }

func (h *htmlPage) note(text string) { h.put(noteTag(text)) }

func noteTag(text string) markup { return tag("p", class("note"), text) }

func (h *htmlPage) add(s *analysis.StepFigures, a *analysis.Analysis) {
	h.measure(s, a)
	h.page.add(s)
	if h.Parts.Worst != nil {
		h.trend.Steps = append(h.trend.Steps, s.Means(h.Settings))
	}
	if h.rows++; h.rows > len(h.Snap.Steps)-maxPageSteps {
		h.steps = append(h.steps, h.stepCells(s))
	}
	if a == nil {
		return
	}
	h.chain.add(a)
	if !s.Open {
		h.worst.add(a)
	}
}

type section struct {
	id, title string
	has       bool
	write     func()
}

func (h *htmlPage) sections() []section {
	c := h.charts
	return []section{
		{"findings", "What ails the run", h.Diagnosis != nil, h.writeFindings},
		{"chain", "From reward to loss", true, h.writeChain},
		{"warnings", "Warnings", true, h.writeWarnings},
		{"worst", "Worst steps", c.Steps > 1 && len(h.worstSteps) > 0, h.writeWorstSteps},
		{"steps", "Over the steps", c.Steps > 1, h.writeTrends},
		{"off-policy", "How off-policy the samples are", h.Parts.OffPolicy != nil && h.Parts.OffPolicy.Total.Compared > 0, h.writeOffPolicy},
		{"advantages", "Advantages and solve rates", c.hasDistribution() || c.hasSolved(), h.writeDistributions},
		{"sweep", "What a filter would do", h.Parts.Sweep != nil || h.Parts.NoSweep != "", h.writeSweep},
		{"groups", "Groups", h.total.sum.Groups > 0, h.writeGroups},
		{"texts", "Answers", h.Parts.Texts > 0 && len(h.worst.ranked()) > 0, h.writeTexts},
		{"table", "Every step", true, h.writeSteps},
		{"settings", "Settings to copy", true, h.writeSettings},
	}
}

func (h *htmlPage) writeHead(shown []section) {
	title := cmp.Or(h.Head.withoutFolders(h.Head.Path), h.Snap.Run.Format)
	size := units.Plural(len(h.Snap.Steps), "steps") + " · " + units.Plural(h.Snap.Rows, "samples") + " · " +
		units.Plural(h.total.sum.Groups, "groups")
	policy := "default-src 'none'; style-src " + assetHash(pageFiles, "page.css") + "; script-src " + assetHash(pageFiles, "page.js") +
		"; base-uri 'none'; form-action 'none'"
	links := model.Mapped(shown, func(s section) markup { return tag("li", tag("a", linkTo(s.id), s.title)) })
	meta := func(name constant, content any) markup {
		return emptyTag("meta", attr("name", name), attr("content", content))
	}
	h.put(
		markup("<!DOCTYPE html>\n"), openTag("html", attr("lang", "en")),
		tag("head",
			emptyTag("meta", attr("charset", "utf-8")),
			emptyTag("meta", attr("http-equiv", "Content-Security-Policy"), attr("content", policy)),
			meta("viewport", "width=device-width, initial-scale=1"), meta("color-scheme", "light dark"), meta("referrer", "no-referrer"),
			meta("generator", "vantage "+h.Head.Version),
			tag("title", title+" · vantage report"),
			embedded("style", pageFiles, "page.css"),
		),
		openTag("body"),
		tag("a", class("skip"), linkTo("main"), "Skip to the numbers"),
		tag("header",
			tag("p", class("eyebrow"), "vantage report"),
			tag("h1", attr("dir", "auto"), title),
			tag("p", class("lead"), h.Snap.Run.Format+" · "+size+attemptText(h.Snap.Run.Attempts)),
			h.verdict(), h.tiles(), h.factList(), lineBreak,
		),
		tag("nav", attr("aria-label", "Sections"), tag("ul", links)), lineBreak,
		openTag("main", attr("id", "main")), lineBreak,
	)
}

func (h *htmlPage) tiles() markup {
	all := h.total.summary()
	tile := func(name, value, hint string) markup {
		return tag("li", tag("span", class("name"), name), tag("span", class("value"), value), tag("span", class("hint"), hint))
	}
	tiles := []markup{
		tile("reward", meanText(all.Metric("critic/score/mean")), h.rewardHint()),
		tile("groups with signal", units.Percent(all.Signal, all.Groups), units.Count(all.Signal)+" of "+units.Count(all.Groups)),
		tile("samples that train", units.Percent(all.Nonzero, all.Rows),
			units.Count(all.Nonzero)+" of "+units.Count(all.Rows)+" have an advantage that is not 0"),
	}
	if h.Settings.Effective().Filtering() {
		tiles = append(tiles, tile("kept by the filter", units.Percent(all.Kept, all.Rows),
			"Σ|A| "+units.Times(all.Metric("vantage/abs_advantage_ratio"))+" of that without it"))
	}
	return tag("ul", class("tiles"), append(tiles, h.troubleTile(tile)))
}

// troubleTile counts what was found, and otherwise the kinds of warnings of single steps.
func (h *htmlPage) troubleTile(tile func(name, value, hint string) markup) markup {
	kinds, hint := h.total.warningSpans, "none at any step"
	if len(kinds) > 0 {
		hint = "first: " + string(kinds[0].Kind)
	}
	if d := h.Diagnosis; d != nil && len(d.Findings) > 0 {
		hint = "first: " + d.Findings[0].Kind.Words() + "; " + units.Plural(len(kinds), "kinds of warnings") + " at single steps"
		return tile("findings", units.Count(len(d.Findings)), hint)
	}
	return tile("kinds of warnings", units.Count(len(kinds)), hint)
}

func (h *htmlPage) rewardHint() string {
	logged, left := meanText(h.chain.logged()), h.total.notNumbers
	isLogged := logged == meanText(h.total.summary().Metric("critic/score/mean"))
	switch {
	case isLogged && left > 0:
		return "mean of " + h.total.rewardsMeant() + "; " + units.Count(left) + " NaN or missing"
	case isLogged:
	case h.Settings.Overlong != "":
		return "mean after the length penalty; " + logged + " as logged"
	case h.chain.invalid > 0:
		return "mean with " + units.Count(h.chain.invalid) + " NaN or missing as the trainer counts them; " + logged + " without"
	}
	return "mean of " + h.total.rewardsMeant()
}

func (h *htmlPage) factList() markup {
	var list []markup
	for _, f := range h.facts(", ", "path", "report of", "freshness", "read", "groups", "doubt", "rollouts", "statuses", "lengths", "left out",
		"estimator", "options", "reward", "config", "solved") {
		var doubt, proof markup
		if f.Doubt && f.Proof == "" {
			doubt = tag("strong", class("doubt"), attr("aria-label", "in doubt:"), "! ")
		}
		if f.Proof != "" {
			kind := class("hint")
			switch {
			case f.Doubt:
				kind = class("doubt")
			case f.Sure:
				kind = class("sure")
			}
			proof = " " + tag("span", kind, f.Proof)
		}
		list = append(list, factTag(f.Label, doubt, h.Head.withoutFolders(f.Text), proof))
	}
	return tag("dl", class("facts"), list)
}

func factTag(term string, parts ...any) markup {
	return tag("div", tag("dt", term), tag("dd", parts...))
}

func (h *htmlPage) writeFoot() {
	var foot []markup
	if h.Head.Command != "" {
		foot = append(foot, tag("p", "The same report again:"), tag("pre", class("copy"), attr("tabindex", "0"),
			h.Head.withoutFolders(h.Head.Command)))
	}
	if at := h.Head.written(); at != "" {
		foot = append(foot, tag("p", "Written "+at+". Every number is explained in the glossary of vantage."))
	}
	h.put(closeTag("main"), tag("footer", foot, tag("p", class("complete"), h.completeLine())), embedded("script", pageFiles, "page.js"),
		closeTag("body"), closeTag("html"), lineBreak)
}

// chainTotal are sums over the steps that a summary of a step does not have; means are those of complete steps.
type chainTotal struct {
	rows, shaped             int
	groups, admitted         int
	invalid                  int     // samples whose reward is NaN or missing
	loggedSum                float64 // of the means of the finite rewards of the steps, times their number
	loggedRows               int
	removed, unjudged        int    // samples, by the off-policy rule
	whyUnshaped, whyUnweight string // why the newest step lacks a stage that is set; "" if it has it
	whyUncorrected           string
}

func (c *chainTotal) add(a *analysis.Analysis) {
	c.rows, c.shaped = c.rows+a.Rows, c.shaped+a.Shaped()
	c.groups, c.admitted = c.groups+a.Groups, c.admitted+a.AdmittedGroups
	removed, unjudged := a.Corrected()
	c.removed, c.unjudged = c.removed+removed, c.unjudged+unjudged
	if a.Open {
		return
	}
	for i := range a.Warnings {
		if a.Warnings[i].Kind == analysis.WarnInvalidRewards {
			c.invalid += a.Warnings[i].Count
		}
	}
	if x := a.LoggedMean(); units.IsFinite(x) {
		n := a.Rows
		if a.FiniteRewards > 0 {
			n = a.FiniteRewards
		}
		c.loggedSum, c.loggedRows = c.loggedSum+x*float64(n), c.loggedRows+n
	}
	c.whyUnshaped, c.whyUncorrected, c.whyUnweight = a.WhyUnshaped(), a.WhyUncorrected(), a.NoLoss
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
	all, set, chain := h.total.summary(), h.Settings, &h.chain
	logged := "mean " + meanText(chain.logged())
	if n := chain.invalid; n > 0 {
		logged += ", without " + units.Count(n) + " NaN or missing"
	}
	penalty := []string{units.Fraction(chain.shaped, chain.rows) + " rewards lowered", "mean " + meanText(all.Metric("critic/score/mean"))}
	if chain.whyUnshaped != "" {
		penalty = []string{"! " + chain.whyUnshaped}
	}
	admission := []string{units.Fraction(chain.admitted, chain.groups) + " groups"}
	if chain.admitted > 0 {
		admission = append(admission, "refill "+units.Times(float64(chain.groups)/float64(chain.admitted)))
	}
	kept := ""
	if s := set.Effective(); s.Filtering() {
		kept = fmt.Sprintf("keep_pos %s\nkeep_neg %s\nrecompute %s", units.Fixed(s.KeepPos, 2), units.Fixed(s.KeepNeg, 2),
			units.OnOff(s.Recompute))
	}
	everyKept := "every sample goes on"
	if not := all.Statuses.NotTraining(); not != "" {
		everyKept = "all but " + not + ", " + set.StatusSource()
	}
	loss := []string{
		"Σw|A| " + units.Short(all.Metric("vantage/loss/mass")) + " per step",
		"−/+ " + units.Times(all.Metric("vantage/loss/negative_to_positive")),
		"dilution " + units.Times(all.Metric("vantage/loss/dilution")),
	}
	if x := all.Metric("vantage/loss/longest_quarter"); !math.IsNaN(x) {
		loss = append(loss, "longest quarter "+units.Fixed(100*x, 0)+"%")
	}
	if chain.whyUnweight != "" {
		loss = []string{"! " + chain.whyUnweight}
	}
	reward, _, _ := strings.Cut(rewardText(set, h.Choice.Rewards), " (") // without what proves it, which stands above
	chainStages := []stage{
		{
			"reward", cmp.Or(reward, "as logged"),
			[]string{logged, units.Plural(all.Rows, "samples"), units.Plural(all.Groups, "groups")},
			"",
		},
		{"length penalty", set.Overlong, penalty, "no reward is lowered for its length"},
		{"groups admitted", set.GroupFilter, admission, "every group goes on"},
		{"samples kept", kept, []string{
			units.Fraction(all.Kept, all.Rows) + " samples",
			"Σ|A| " + units.Times(all.Metric("vantage/abs_advantage_ratio")),
		}, everyKept},
		{"advantage", set.Computes() + ", scale " + string(set.Scale), []string{
			"train " + units.Fraction(all.Nonzero, all.Rows) + " samples", "signal " + units.Fraction(all.Signal, all.Groups) + " groups",
		}, ""},
	}
	if set.OffPolicy != "" {
		chainStages = append(chainStages, stage{"off-policy rule", set.OffPolicy, chain.correction(), ""})
	}
	return append(chainStages, stage{"weight in the loss", set.Loss, loss, "each sample counts by its advantage alone"})
}

// correction is what the off-policy rule does.
func (c *chainTotal) correction() []string {
	if c.whyUncorrected != "" {
		return []string{"! " + c.whyUncorrected}
	}
	texts := []string{units.Fraction(c.removed, c.rows) + " samples removed"}
	if c.unjudged > 0 {
		texts = append(texts, units.Count(c.unjudged)+" without log-probs train as they are")
	}
	return texts
}

func (h *htmlPage) writeChain() {
	if h.charts.Steps == 0 {
		h.note("No step is complete yet.")
		return
	}
	var list []markup
	for _, s := range h.stages() {
		if s.choice == "" {
			list = append(list, tag("li", class("off"), tag("h3", s.name), tag("p", class("choice"), "off"), tag("p", s.off)))
			continue
		}
		lines := model.Mapped(s.figures, func(figure string) markup { return tag("p", figure) })
		list = append(list, tag("li", tag("h3", s.name), tag("p", class("choice"), s.choice), lines))
	}
	h.note("What a trainer does to a reward on its way to the update, over " + h.charts.stepRange() +
		". Counts are added up, reward and Σ|A| are of all samples; refill and the loss are means over the steps.")
	h.put(tag("ol", class("chain"), list))
}

// writeSettings writes the settings of the report as options of trainers: those of its own framework first.
func (h *htmlPage) writeSettings() {
	options := func(d trainer.Dialect, note string) markup {
		text := strings.Join(d.Emit(h.Settings), "\n")
		return tag("h3", d.Title()+note) +
			tag("pre", class("copy"), attr("tabindex", "0"), attr("aria-label", "options of "+d.Title()), text)
	}
	own, isOwn := trainer.Find(h.Settings.Framework)
	if isOwn {
		h.put(options(own, ", the estimator of this page"))
	} else {
		h.note(h.Settings.Trainer() + " has no keys for them that vantage can write; these are those of other trainers.")
	}
	var others []markup
	for _, d := range trainer.Dialects() {
		if !isOwn || d.Framework != own.Framework {
			others = append(others, options(d, ""))
		}
	}
	h.put(tag("details", tag("summary", "for other trainers"), others))
}
