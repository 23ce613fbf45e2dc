// Package header draws the first three lines: what is open, the figures of the step, the settings.
package header

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/finding"
	"vantage/tui/pane"
	"vantage/tui/trend"
)

// Lines returns the first three lines: what is open, the figures of the step, the settings.
func Lines(e env.Env, w int) []string {
	return []string{RunLine(e, w), StepLine(e, w), SettingsLine(e, w)}
}

// RunLine returns the first line: what is open, how the run is, and how the log is read.
func RunLine(e env.Env, w int) string {
	t := e.Display.Theme
	run := e.Snap.Run
	var all []string
	if run.Format != "" {
		all = []string{run.Format, units.Plural(len(e.Snap.Steps), "steps"), units.Plural(e.Snap.Rows, "samples")}
	}
	if run.Format != "" && run.Attempts.Several() {
		all = slices.Insert(all, 0, run.Attempts.String())
	}
	full, short := finding.HealthWord(e)
	status, room := sourceStatus(e, w >= widthForFullHeader), cells.Width(strings.Join(all, " · "))+4
	plain := sourceStatus(e, false)
	left, right := " "+t.Paint(themes.Title, "vantage")+"  "+openTitle(e, w-len(" vantage    ended "),
		w-len(" vantage    ")-room-cells.Width(short+status)), ""
	for _, form := range []struct {
		health, status string
		room           int // for what the run is
	}{{full, status, room}, {short, status, room}, {full, status, 2}, {short, status, 2}, {short, plain, 2}, {"", plain, 2}} {
		if right = form.status + " "; form.health != "" {
			right = e.Display.MarkKey("0", form.health) + "  " + right
		}
		if cells.Width(left)+cells.Width(right)+form.room <= w {
			break
		}
	}
	if all != nil {
		free := w - cells.Width(left) - cells.Width(right) - 4
		facts := cells.JoinFitting(free, " · ", all...)
		if cells.Width(facts) <= free {
			left += "  " + t.Paint(themes.Dim, facts)
		}
	}
	return cells.Justify(left, right, w)
}

// widthForFullHeader is the width from which the first line says more about the source, when its last row was written too: by the width
// alone, so that this does not come and go with the words beside it.
const widthForFullHeader = 100

// sourceStatus says whether the source is being read, live or ended. In full it says more, and when the last row was written.
func sourceStatus(e env.Env, full bool) string {
	t, p := e.Display.Theme, e.Snap.Run.Progress
	var parts []string
	switch {
	case e.SourceState.Err != nil:
		text := "stopped"
		if e.Result.Analysis != nil { // else the screen shows it
			text += ": press ! for the reason"
		}
		parts = append(parts, t.Paint(themes.Bad, text))
	case e.SourceState.Ended:
		parts = append(parts, t.Paint(themes.Dim, "ended"))
	case e.IsReading():
		parts = append(parts, t.Paint(themes.Accent, "reading "+e.LoadedText()))
	case e.Snap.Rows == 0:
		parts = append(parts, t.Paint(themes.Dim, "waiting"))
	default:
		parts = append(parts, freshness(e, full))
	}
	if !e.SourceState.Ended {
		parts = withLink(e, parts, full)
	}
	if full && !p.LastWrite.IsZero() {
		parts = append(parts, t.Paint(themes.Dim, e.WrittenText()))
	}
	if n := e.UnreadableCount(); n > 0 {
		parts = append(parts, e.Display.MarkKey("!", t.Paint(themes.Warn, "!"+units.Count(n))))
	}
	return strings.Join(parts, "  ")
}

// unlessOpen returns a count that is unknown while the step is being written.
func unlessOpen(s *analysis.StepFigures, n, of int) string {
	if s.Open {
		return units.Missing
	}
	return units.Fraction(n, of)
}

type stepFigure struct {
	Name, value, note string
	short             string // of the value, where there is no room for it; "": none
	width, shortWidth int    // of the longest value and note of any step, so that nothing behind them moves from step to step
}

// shortened is the figure with its short value.
func (f stepFigure) shortened() stepFigure {
	f.value, f.width = f.short, f.shortWidth
	return f
}

// StepFigures returns the figures of the step, the most telling first.
func StepFigures(e env.Env) []stepFigure {
	x := e.Result.Analysis
	push := x.Metric("vantage/abs_advantage_ratio")
	ess := units.Missing
	if n := x.Metric("vantage/effective_samples"); !math.IsNaN(n) {
		ess = units.Brief(n)
	}
	signal, nonzero := unlessOpen(&x.StepFigures, x.Signal, x.Groups), unlessOpen(&x.StepFigures, x.Nonzero, x.Rows)
	mean, counted := figures.Reward(&x.StepFigures)
	reward := stepFigure{Name: "reward", value: env.HeaderReward(mean)}
	reward.shortWidth = cells.Width(reward.value)
	reward.width = reward.shortWidth + nanWidth(e)
	switch {
	case x.InvalidRewards == 0 || !units.IsFinite(mean):
	case counted:
		reward.note = nanText(x.InvalidRewards, true) // which goes first where there is no room
	default:
		reward.value, reward.short = reward.value+nanText(x.InvalidRewards, false), reward.value
	}
	share := func(name, text string, of int) stepFigure {
		short := func(fraction string) string { return strings.Split(fraction, " ")[0] }
		whole := units.Fraction(of, of)
		return stepFigure{Name: name, value: text, short: short(text), width: cells.Width(whole), shortWidth: cells.Width(short(whole))}
	}
	all := []stepFigure{
		reward,
		share("signal", signal, x.Groups),
		share("train", nonzero, x.Rows),
		{Name: "effective", value: ess, width: max(len("99.9"), len(units.Count(x.Rows)))},
	}
	if e.Snap.Run.Evaluates() {
		none := stepFigure{Name: "train", value: env.NoneTrains, short: "none"}
		none.width, none.shortWidth = cells.Width(none.value), cells.Width(none.short)
		all = append(all[:2], none)
	}
	if e.ShowsFilter(&x.StepFigures) {
		kept := share("kept", units.Fraction(x.Kept, x.Rows), x.Rows)
		kept.short, kept.shortWidth = units.Percent(x.Kept, x.Rows), len("100%")
		all = append(all, kept, stepFigure{Name: "Σ|A|", value: units.Times(push), width: cells.Width("0.99×")})
	}
	if x.Statuses.Untrained() > 0 {
		all = append(all, stepFigure{Name: "·", value: x.Statuses.String()})
	}
	return all
}

// nanText says behind the mean reward how many rewards are no numbers, and whether the trainer counts them.
func nanText(n int, counted bool) string {
	if counted {
		return fmt.Sprintf(", %s NaN counted", units.Count(n))
	}
	return fmt.Sprintf(", %s NaN", units.Count(n))
}

// nanWidth is the room for that text: that of the step with most of them.
func nanWidth(e env.Env) int {
	if e.Result.Trend == nil {
		return 0
	}
	widest := 0
	for i := range e.Result.Trend.Steps {
		if s := &e.Result.Trend.Steps[i]; s.InvalidRewards > 0 {
			widest = max(widest, cells.Width(nanText(s.InvalidRewards, s.FiniteRewards == 0)))
		}
	}
	return widest
}

// StepLine returns the figures of the step, as many as fit. How many samples train, and how many groups carry
// signal, are always among them from 60 columns: how many are kept would be taken for it, which is said where any filter is.
func StepLine(e env.Env, w int) string {
	x := e.Result.Analysis
	if x == nil {
		return cells.Spaces(w)
	}
	t := e.Display.Theme
	step := " " + t.Paint(themes.Title, e.ScopeWords())
	figures, right := StepFigures(e), fateCounts(e)+" "
	trend := rewardTrend(e, w)
	room := fatesRoom(e) // whether this step has some or not
	fits := func() bool {
		return cells.Width(step+trend+figuresLine(e, figures))+max(cells.Width(right)+min(1, len(strings.TrimSpace(right))), room) < w
	}
	if x.Open {
		note := " (" + e.GroupsSoFar(&x.StepFigures) + ", still growing)"
		if step += t.Paint(themes.Warn, note); cells.Width(step)+minStepFigures > w {
			step = strings.TrimSuffix(step, t.Paint(themes.Warn, note)) + t.Paint(themes.Warn, " (growing)")
		}
	}
	without := func(names ...string) {
		for _, name := range names {
			if !fits() {
				figures = slices.DeleteFunc(figures, func(f stepFigure) bool { return f.Name == name })
			}
		}
	}
	without("effective")
	if !fits() { // there is no room for what may come
		for i := range figures {
			figures[i].width, figures[i].shortWidth = 0, 0
		}
	}
	for _, name := range []string{"kept", "train", "signal", "reward"} {
		if i := slices.IndexFunc(figures, func(f stepFigure) bool { return f.Name == name && f.short != "" }); i >= 0 && !fits() {
			figures[i] = figures[i].shortened()
		}
	}
	for i := range figures {
		if !fits() {
			figures[i].note = ""
		}
	}
	if !fits() {
		right, room = "", 0
	}
	if x.Open { // of which signal is not known yet
		without("Σ|A|", "kept", "·", "signal", "train")
	}
	without("·", "Σ|A|", "kept", "reward", "signal")
	line := figuresLine(e, figures)
	return cells.Justify(step+trend+line, right, w)
}

// minStepFigures is the room that the step leaves for its figures.
const minStepFigures = 18

func figuresLine(e env.Env, figures []stepFigure) (line string) {
	for _, f := range figures {
		text := f.value + f.note
		line += "  " + e.Display.Theme.Paint(themes.Dim, f.Name+" ") + text + cells.Spaces(max(0, f.width-cells.Width(text)))
	}
	return line
}

// rewardTrend returns the course of the reward on a line of w cells, or nothing. Its width is that of the line: it does not change with the
// figures next to it, nor does it go for them.
func rewardTrend(e env.Env, w int) string {
	n := narrowTrend
	if w >= widthForWideTrend {
		n = wideTrend
	}
	if w < widthForTrend || e.Result.Trend == nil || len(e.Result.Trend.Steps) < 2 {
		return ""
	}
	rewards := e.Result.Trend.Series("critic/score/mean")
	lo, hi := chart.Range(rewards)
	shown, current := trend.NewestWithGaps(e, rewards, trend.Index(e), n)
	return "  " + chart.Sparkline(e.Display.Theme, e.Display.Glyphs, shown, current, lo, hi, len(shown))
}

// The cells of the course of the reward, and the screens from which the figures leave room for it, and for the wide one.
const (
	narrowTrend       = 12
	wideTrend         = 36
	widthForTrend     = 110
	widthForWideTrend = 180
)

// countedFates are those whose groups the header counts.
func countedFates() []model.Fate {
	return []model.Fate{model.FateShort, model.FateKilled, model.FateInvalid, model.FateNoise}
}

// fatesRoom is how much room the counts of fates take at the step with most of them.
func fatesRoom(e env.Env) int {
	if e.Result.Trend == nil {
		return 0
	}
	widest, names := 0, model.Mapped(countedFates(), func(f model.Fate) int { return cells.Width("x 0 " + f.String()) })
	for i := range e.Result.Trend.Steps {
		width := 0
		for k, f := range countedFates() {
			if n := e.Result.Trend.Steps[i].Fates[f]; n > 0 {
				width += names[k] + 2
				for ; n >= 10; n /= 10 {
					width++
				}
			}
		}
		widest = max(widest, width)
	}
	return widest
}

func fateCounts(e env.Env) string {
	t := e.Display.Theme
	var parts []string
	for _, f := range countedFates() {
		if n := e.Result.Analysis.Fates[f]; n > 0 {
			parts = append(parts, t.Paint(e.Display.FateRole(f), fmt.Sprintf("%s %d %s", e.Display.FateGlyph(f), n, f)))
		}
	}
	return strings.Join(parts, "  ")
}

// SettingsLine returns the settings, each behind its key, in the longest form that fits.
func SettingsLine(e env.Env, w int) string {
	reason, brief, short, mark := choiceReason(e)
	long, count := optionsInHeader(e)
	reason, brief, short, mark = long+reason, long+brief, long+short, count+mark
	t, set := e.Display.Theme, e.Settings.Now
	harsh := ""
	if text := e.HarshFilter(); text != "" {
		harsh = "  " + t.Paint(themes.Warn, pane.FirstFitting(w/5, "! "+text, "! harsh"))
	}
	forms := []struct {
		reason, pos, neg, recompute string
		meter                       int
	}{
		{reason, "keep_pos", "keep_neg", "recompute", 20},
		{reason, "keep_pos", "keep_neg", "recompute", 10},
		{reason, "keep_pos", "keep_neg", "recompute", 0},
		{short, "keep_pos", "keep_neg", "recompute", 20},
		{short, "keep_pos", "keep_neg", "recompute", 10},
		{short, "keep_pos", "keep_neg", "recompute", 0},
		{short, "pos", "neg", "recompute", 0},
		{short, "pos", "neg", "", 0},
		{short, "", "", "", 0},
	}
	if !hasRatios(e) {
		for _, stages := range stagesInHeader(e) {
			for _, because := range []string{reason, brief, short} {
				if line := strings.TrimRight(settingsForm(e, because, "", "", "", 0), " ") + stages; cells.Width(line) <= w {
					return cells.Fit(line, w)
				}
			}
		}
	}
	for _, whoseFilter := range borrowedFilter(e) {
		for _, form := range forms {
			settings := strings.TrimRight(settingsForm(e, form.reason, form.pos, form.neg, form.recompute, form.meter), " ")
			for _, stages := range stagesInHeader(e) {
				if line := settings + harsh + whoseFilter + stages; cells.Width(line) <= w {
					return cells.Fit(line, w)
				}
			}
		}
	}
	// whose numbers these are and why, without what there is no room for: ratios, the scale, the reason but for its mark
	key := func(k, word string) string { return " " + t.Paint(themes.Key, k) + " " + t.Paint(themes.Accent, word) }
	whose := key("f", set.Trainer()) + " " + key("e", set.Estimator)
	scale := " " + key("s", string(set.Scale))
	least := []string{whose + scale + short, whose + short, whose + " " + mark}
	for i := range least {
		least[i] = strings.TrimRight(least[i], " ") + harsh
	}
	return cells.Fit(pane.FirstFitting(w, append(least, harsh)...), w)
}

// borrowedFilter says whose the filter at work is where the trainer has none, the longest form first; the last says nothing.
func borrowedFilter(e env.Env) []string {
	set, words := e.Settings.Now.Effective(), []string{""}
	if entry, err := set.FindEstimator(); err != nil || entry.TrainerFilters || !set.Filtering() {
		return words
	}
	for _, text := range []string{"as EasyR1-Brian", "EasyR1-Brian's filter, tried on this log"} {
		words = append([]string{"  " + e.Display.Theme.Paint(themes.Dim, text)}, words...)
	}
	return words
}

// stagesInHeader names the stages of the chain that are set beside ratios and estimator, the longest form
// first: names, then how many.
func stagesInHeader(e env.Env) []string {
	set, t := e.Settings.Now, e.Display.Theme
	truncated := ""
	if set.Truncated != "" {
		truncated = "truncated " + set.Truncated
	}
	names := slices.DeleteFunc(append([]string{truncated}, set.Stages()...), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return []string{""}
	}
	word := func(text string) string {
		return "   " + e.Display.MarkSetting("C", t.Paint(themes.Key, "C")+" "+t.Paint(themes.Accent, text))
	}
	return []string{word(strings.Join(names, " ")), word(fmt.Sprintf("+%d", len(names)))}
}

// optionsInHeader names the options that are not at their default by the end of their keys, and counts
// them where there is no room.
func optionsInHeader(e env.Env) (long, count string) {
	list := e.Settings.Now.Options.List()
	if len(list) == 0 {
		return "", ""
	}
	names := model.Mapped(list, func(option string) string {
		key, _, _ := strings.Cut(option, "=")
		return option[strings.LastIndexByte(key, '.')+1:]
	})
	paint := func(text string) string { return " " + e.Display.Theme.Paint(themes.Accent, sanitize.Line(text)) }
	return paint(strings.Join(names, " ")), paint(fmt.Sprintf("+%d", len(list)))
}

// choiceReason says who chose the estimator, or how many of the logged advantages it reproduces;
// brief is the reason without whose figures are shown; short says it in a word and mark in a character: ✓ ≈ ! for the logged advantages, ?
// for an assumption. Each stands behind the scale.
func choiceReason(e env.Env) (reason, brief, short, mark string) {
	c := e.Choice()
	role := themes.Dim
	switch {
	case c.Origin == "": // the log is not known yet
		return " ", " ", " ", " "
	case c.Differs():
		role, mark = themes.Warn, "!"
	case c.Confirmed():
		role, mark = themes.Good, string([]rune(c.Short())[:1])
	case c.Origin == match.Assumed || c.NoGroups:
		mark = "?"
	default:
		mark = " "
	}
	plain := strings.NewReplacer()
	if e.Display.Glyphs.ASCII {
		plain = strings.NewReplacer("✓", "=", "≈", "~")
	}
	paint := func(text string) string { return e.Display.Theme.Paint(role, plain.Replace(text)) }
	brief, _, _ = strings.Cut(c.Reason(), " · ")
	return " " + paint(c.Reason()) + " ", " " + paint(brief) + " ", " " + paint(c.Short()) + " ", paint(mark)
}

func settingsForm(e env.Env, reason, pos, neg, recompute string, meter int) string {
	t, set := e.Display.Theme, e.Settings.Now
	key := func(k, word string) string {
		return " " + e.Display.MarkSetting(k, strings.TrimRight(t.Paint(themes.Key, k)+" "+word, " ")) + " "
	}
	label := func(name string) string {
		if name == "" {
			return ""
		}
		return t.Paint(themes.Dim, name) + " "
	}
	entry, err := set.FindEstimator()
	off := err != nil || !entry.CanFilter
	ratio := func(k, name string, role themes.Role, value float64) string {
		if off {
			return key(k, t.Paint(themes.Dim, strings.TrimLeft(name+" ", " ")+units.Missing))
		}
		bar := ""
		if meter > 0 {
			bar = chart.Meter(t, e.Display.Glyphs, role, value, meter) + " "
		}
		return key(k, label(name)) + bar + t.Paint(themes.Accent, units.Fixed(value, 2)) + " "
	}
	state := units.OnOff(set.Recompute)
	if off {
		state = units.Missing
	}
	whose := key("f", t.Paint(themes.Accent, set.Trainer())) + key("e", t.Paint(themes.Accent, set.Estimator)) +
		strings.TrimSuffix(key("s", t.Paint(themes.Accent, string(set.Scale))), " ") + reason
	if !hasRatios(e) {
		return whose
	}
	return whose + ratio("p", pos, themes.Positive, set.KeepPos) + ratio("m", neg, themes.Negative, set.KeepNeg) +
		key("r", label(recompute)+t.Paint(themes.Accent, state))
}

// hasRatios reports whether the settings have keep ratios to show: those of the trainer, or those that were tried on its log. The place
// of the others is for the stages that the trainer has.
func hasRatios(e env.Env) bool {
	set := e.Settings.Now
	entry, err := set.FindEstimator()
	isTrainers := err != nil || entry.TrainerFilters
	return isTrainers || set.Recompute || set.Filtering()
}

func freshness(e env.Env, full bool) string {
	t, p := e.Display.Theme, e.Snap.Run.Progress
	text, _ := p.FreshnessText(e.SourceState.Clock)
	if p.Freshness(e.SourceState.Clock) != model.Live {
		return t.Paint(themes.Dim, text)
	}
	if p.Polling && full {
		text += ", polling"
	}
	return t.Paint(themes.Good, e.Display.Glyphs.Dot+" "+text)
}

// withLink puts what is known of the connection to another machine before the parts of the status. While it is
// lost, or a disk does not answer, that stands in place of them: a log that cannot be seen is neither live nor idle.
func withLink(e env.Env, parts []string, full bool) []string {
	t, link, text := e.Display.Theme, e.Snap.Run.Progress.Link, e.LinkText()
	switch {
	case e.Snap.Run.Progress.Silent > 0:
		text = e.SilentText()
	case !link.IsRemote():
		return parts
	case link.State == model.LinkUp && full:
		return slices.Insert(parts, 0, t.Paint(themes.Dim, text))
	case link.State == model.LinkUp:
		return parts
	case !full:
		text = link.StateText()
	}
	return []string{t.Paint(themes.Warn, text)}
}

// openTitle names what is open in at most w cells: the run whose figures the screen shows, and behind the key
// that compares them the second one. The name of one run alone gives way to what else fits next to it in the first line.
func openTitle(e env.Env, w, free int) string {
	if e.Second.Source == nil {
		return cells.TruncateLeft(sanitize.Line(e.Title), max(free, env.MaxRunName))
	}
	t, names := e.Display.Theme, e.RunNames()
	const between = "  c against "
	room := max(6, (w-cells.Width(between))/2)
	for side := range names {
		if over := cells.Width(names[0]) + cells.Width(names[1]) + cells.Width(between); over > w {
			names[side] = cells.TruncateLeft(names[side], room)
		}
	}
	return names[env.SideBaseline] + "  " + e.Display.MarkKey(
		"c", t.Paint(themes.Key, "c")+t.Paint(themes.Dim, " against ")+names[env.SideCandidate],
	)
}
