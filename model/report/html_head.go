package report

import (
	"cmp"
	"time"

	"vantage/model/choice"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// begin writes the page down to the first section.
func (h *htmlPage) begin(shown []section) {
	title := cmp.Or(h.Head.Path, h.Snap.Run.Format)
	h.Doctype()
	h.Open("html", markup.A("lang", "en"))
	h.Open("head")
	h.Void("meta", markup.A("charset", "utf-8"))
	h.Void("meta", markup.A("http-equiv", "Content-Security-Policy"), markup.A("content", "default-src 'none'; style-src "+markup.Hash(pageStyle)+
		"; script-src "+markup.Hash(pageScript)+"; base-uri 'none'; form-action 'none'"))
	h.Void("meta", markup.A("name", "viewport"), markup.A("content", "width=device-width, initial-scale=1"))
	h.Void("meta", markup.A("name", "color-scheme"), markup.A("content", "light dark"))
	h.Void("meta", markup.A("name", "referrer"), markup.A("content", "no-referrer"))
	h.Void("meta", markup.A("name", "generator"), markup.A("content", "vantage "+h.Head.Version))
	h.Element("title", title+" · vantage report")
	h.Embedded("style", pageStyle)
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
	h.tile("reward", meanText(h.chain.reward()), h.rewardHint())
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
	switch logged := meanText(h.chain.logged()); {
	case logged == meanText(h.chain.reward()):
	case h.Settings.Overlong != "":
		return "mean after the length penalty; " + logged + " as logged"
	case h.chain.invalid > 0:
		return "mean with " + units.Count(h.chain.invalid) + " NaN or missing as the trainer counts them; " + logged + " without"
	}
	return "mean of all samples"
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

// fact is something that was read or assumed.
type fact struct {
	name, value string
	proof       string // what says so, with its sign; "" if nothing has to
	isDoubt     bool   // the value, or the proof
	isSure      bool   // the proof
}

// facts writes how the log was read and by whose arithmetic it was computed.
func (h *htmlPage) facts() {
	h.Open("dl", markup.Class("facts"))
	for _, f := range append(h.readFacts(), h.computedFacts()...) {
		if f.value == "" {
			continue
		}
		h.Open("div")
		h.Element("dt", f.name)
		h.Open("dd")
		if f.isDoubt && f.proof == "" {
			h.Element("strong", "! ", markup.Class("doubt"), markup.A("aria-label", "in doubt:"))
		}
		h.Text(f.value)
		if f.proof != "" {
			h.Text(" ")
			h.Element("span", f.proof, proofClass(f))
		}
		h.Close()
		h.Close()
	}
	h.Close()
	h.Break()
}

// readFacts say what was read and how.
func (h *htmlPage) readFacts() []fact {
	run := h.Snap.Run
	facts := []fact{
		{name: "path", value: h.Head.Path},
		{name: "report of", value: h.Head.written()},
		{name: "last row", value: h.freshness()},
		{name: "read", value: run.Provenance},
		{name: "groups", value: h.Grouping.Evidence},
		{name: "groups", value: h.Grouping.Doubt, isDoubt: true},
		{name: "rollouts", value: h.Snap.RolloutEvidence(h.Settings)},
		{name: "lengths", value: run.LengthUnit.Doc()},
	}
	for _, note := range run.Notes {
		facts = append(facts, fact{name: "left out", value: note, isDoubt: true})
	}
	return facts
}

// freshness says when the newest file was written, and whether the log still grew when the report was written.
func (h *htmlPage) freshness() string {
	at := h.lastWrite(time.UTC, time.DateTime)
	if at == "" {
		return ""
	}
	at = "written " + at + " UTC"
	if h.Head.Date.IsZero() {
		return at
	}
	state, _ := h.Snap.Run.Progress.FreshnessText(h.Head.Date)
	return at + "; the run was " + state
}

// computedFacts say by whose arithmetic, and who chose it.
func (h *htmlPage) computedFacts() []fact {
	set := h.Settings
	facts := []fact{
		{
			name: "estimator", value: set.Framework + " " + set.Estimator + ", scale " + string(set.Scale), proof: h.Choice.Reason(),
			isDoubt: h.Choice.Differs() || h.Choice.Origin == choice.Assumed, isSure: h.Choice.Confirmed(),
		},
		{name: "options", value: set.Options.String()},
		{name: "reward", value: rewardText(set, h.Choice.Rewards)},
		{name: "config", value: h.Snap.Run.Config},
	}
	for _, note := range h.Snap.SolvedNotes(h.rewardScales) {
		facts = append(facts, fact{name: "solved", value: note})
	}
	return facts
}

func proofClass(f fact) markup.Attribute {
	switch {
	case f.isDoubt:
		return markup.Class("doubt")
	case f.isSure:
		return markup.Class("sure")
	}
	return markup.Class("hint")
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
	h.Embedded("script", pageScript)
	h.Close() // body
	h.Close() // html
	h.Break()
}
