package report

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// chainTotal are sums over the steps that a summary of a step does not have; means are those of complete steps.
type chainTotal struct {
	rows, shaped             int
	groups, admitted         int
	invalid                  int     // samples whose reward is NaN or missing
	loggedSum, rewardSum     float64 // of the means of the steps, times their samples
	loggedRows, rewardRows   int     // that have such a mean
	whyUnshaped, whyUnweight string  // why the newest step lacks a stage that is set; "" if it has it
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
		c.loggedSum, c.loggedRows = c.loggedSum+x*float64(a.Rows), c.loggedRows+a.Rows
	}
	if x := a.Metric("critic/score/mean"); x-x == 0 {
		c.rewardSum, c.rewardRows = c.rewardSum+x*float64(a.Rows), c.rewardRows+a.Rows
	}
	c.whyUnshaped, c.whyUnweight = a.WhyUnshaped(), a.NoLoss
}

// logged returns the mean of the rewards as logged, NaN if there is none.
func (c *chainTotal) logged() float64 { return c.loggedSum / float64(c.loggedRows) }

// reward returns the mean of the rewards that train, NaN if there is none.
func (c *chainTotal) reward() float64 { return c.rewardSum / float64(c.rewardRows) }

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
	return []string{units.Fraction(h.chain.shaped, h.chain.rows) + " rewards lowered", "mean " + meanText(h.chain.reward())}
}

func (h *htmlPage) admissionFigures() []string {
	figures := []string{units.Fraction(h.chain.admitted, h.chain.groups) + " groups"}
	if h.chain.admitted > 0 {
		figures = append(figures, "refill "+units.Times(float64(h.chain.groups)/float64(h.chain.admitted)))
	}
	return figures
}

func (h *htmlPage) lossFigures(all *analysis.Summary) []string {
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
	if h.charts.Steps == 0 {
		h.note("No step is complete yet.")
		return nil
	}
	h.note("What a trainer does to a reward on its way to the update, over " + h.charts.stepRange() + ". Counts are added up; means are over the steps.")
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
