package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/compare"
	"vantage/model/figures"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

// header returns the first three lines: what is open, the figures of the step, the settings.
func (e env) header(w int) []string {
	return []string{e.runLine(w), e.stepLine(w), e.settingsLine(w)}
}

func (e env) runLine(w int) string {
	t := e.display.theme
	run := e.snap.Run
	var all []string
	if run.Format != "" {
		all = []string{run.Format, units.Plural(len(e.snap.Steps), "steps"), units.Plural(e.snap.Rows, "samples")}
	}
	if run.Format != "" && run.Attempts.Several() {
		all = slices.Insert(all, 0, run.Attempts.String())
	}
	full, short := e.healthWord()
	status, room := e.status(w >= widthForFullHeader), cells.Width(strings.Join(all, " · "))+4
	plain := e.status(false)
	left, right := " "+t.Paint(themes.Title, "vantage")+"  "+e.openTitle(w-len(" vantage    ended "), w-len(" vantage    ")-room-cells.Width(short+status)), ""
	for _, form := range []struct {
		health, status string
		room           int // for what the run is
	}{{full, status, room}, {short, status, room}, {full, status, 2}, {short, status, 2}, {short, plain, 2}, {"", plain, 2}} {
		if right = form.status + " "; form.health != "" {
			right = e.display.markKey("0", form.health) + "  " + right
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

// isReading reports whether the source is still being read for the first time: what is said until then is so far.
func (e env) isReading() bool {
	p := e.snap.Run.Progress
	return !e.sourceState.ended && !p.CaughtUp && p.BytesAll > 0
}

// status says whether the source is being read, live or ended. In full it says more, and when the last row was written.
func (e env) status(full bool) string {
	t, p := e.display.theme, e.snap.Run.Progress
	var parts []string
	switch {
	case e.sourceState.err != nil:
		text := "stopped"
		if e.result.analysis != nil { // else the screen shows it
			text += ": press ! for the reason"
		}
		parts = append(parts, t.Paint(themes.Bad, text))
	case e.sourceState.ended:
		parts = append(parts, t.Paint(themes.Dim, "ended"))
	case e.isReading():
		parts = append(parts, t.Paint(themes.Accent, "reading "+e.loadedText()))
	case e.snap.Rows == 0:
		parts = append(parts, t.Paint(themes.Dim, "waiting"))
	default:
		parts = append(parts, e.freshness(full))
	}
	if !e.sourceState.ended {
		parts = e.withLink(parts, full)
	}
	if full && !p.LastWrite.IsZero() {
		parts = append(parts, t.Paint(themes.Dim, e.writtenText()))
	}
	if n := e.unreadableCount(); n > 0 {
		parts = append(parts, e.display.markKey("!", t.Paint(themes.Warn, "!"+units.Count(n))))
	}
	return strings.Join(parts, "  ")
}

// headerReward returns a mean reward with three decimals, so that its width is the same at
// every step, or a long one without.
func headerReward(x float64) string {
	return firstFitting(len("-999.999"), units.Fixed(x, 3), units.Short(x))
}

// unlessOpen returns a count that is unknown while the step is being written.
func unlessOpen(s *analysis.StepFigures, n, of int) string {
	if s.Open {
		return units.Missing
	}
	return units.Fraction(n, of)
}

type stepFigure struct {
	name, value, note string
	short             string // of the value, where there is no room for it; "": none
}

func (e env) stepFigures() []stepFigure {
	x := e.result.analysis
	push := x.Metric("vantage/abs_advantage_ratio")
	ess := units.Missing
	if n := x.Metric("vantage/effective_samples"); !math.IsNaN(n) {
		ess = units.Brief(n)
	}
	signal, nonzero := unlessOpen(&x.StepFigures, x.Signal, x.Groups), unlessOpen(&x.StepFigures, x.Nonzero, x.Rows)
	mean, counted := figures.Reward(&x.StepFigures)
	reward := stepFigure{"reward", headerReward(mean), "", ""}
	switch {
	case x.InvalidRewards == 0 || !units.IsFinite(mean):
	case counted:
		reward.note = fmt.Sprintf(", %s NaN counted", units.Count(x.InvalidRewards)) // which goes first where there is no room
	default:
		reward.value, reward.short = fmt.Sprintf("%s, %s NaN", reward.value, units.Count(x.InvalidRewards)), reward.value
	}
	withoutPercent := func(fraction string) string { return strings.Split(fraction, " ")[0] }
	all := []stepFigure{
		reward,
		{"signal", signal, "", withoutPercent(signal)},
		{e.display.nonzeroName(), nonzero, "", withoutPercent(nonzero)},
		{"ESS", ess, "", ""},
	}
	if e.showsFilter(&x.StepFigures) {
		all = append(all, stepFigure{"kept", units.Fraction(x.Kept, x.Rows), "", units.Percent(x.Kept, x.Rows)},
			stepFigure{"Σ|A|", units.Times(push), "", ""})
	}
	if x.Statuses.Untrained() > 0 {
		all = append(all, stepFigure{"·", x.Statuses.String(), "", ""})
	}
	return all
}

// showsFilter reports whether a filter or a baseline may make a difference: else what is kept, Σ|A| and flips say nothing.
func (e env) showsFilter(x *analysis.StepFigures) bool {
	return e.settings.now.Effective().Filtering() || e.settings.base.on || x.Kept < x.Rows || math.Abs(x.Metric("vantage/abs_advantage_ratio")-1) > ratioRounding
}

// nonzeroName names the samples whose advantage is not 0.
func (d display) nonzeroName() string {
	if d.glyphs.ASCII {
		return "A!=0"
	}
	return "A≠0"
}

// stepLine returns the figures of the step, as many as fit. How many samples train, and how many groups carry
// signal, are always among them from 60 columns: how many are kept would be taken for it, which is said where any filter is.
func (e env) stepLine(w int) string {
	x := e.result.analysis
	if x == nil {
		return cells.Spaces(w)
	}
	t := e.display.theme
	step := " " + t.Paint(themes.Title, e.scopeWords())
	figures, right := e.stepFigures(), e.fateCounts()+" "
	trend := e.rewardTrend(w)
	fits := func() bool {
		return cells.Width(step+trend+e.figuresLine(figures)+right)+min(1, len(strings.TrimSpace(right))) < w
	}
	if x.Open {
		note := " (" + e.groupsSoFar(&x.StepFigures) + ", still growing)"
		if step += t.Paint(themes.Warn, note); cells.Width(step)+minStepFigures > w {
			step = strings.TrimSuffix(step, t.Paint(themes.Warn, note)) + t.Paint(themes.Warn, " (growing)")
		}
	}
	without := func(names ...string) {
		for _, name := range names {
			if !fits() {
				figures = slices.DeleteFunc(figures, func(f stepFigure) bool { return f.name == name })
			}
		}
	}
	without("ESS")
	for _, name := range []string{"kept", e.display.nonzeroName(), "signal", "reward"} {
		if i := slices.IndexFunc(figures, func(f stepFigure) bool { return f.name == name && f.short != "" }); i >= 0 && !fits() {
			figures[i].value = figures[i].short
		}
	}
	for i := range figures {
		if !fits() {
			figures[i].note = ""
		}
	}
	if !fits() {
		right = ""
	}
	if x.Open { // of which signal is not known yet
		without("Σ|A|", "kept", "·", "signal", e.display.nonzeroName())
	}
	without("·", "Σ|A|", "kept", "reward", "signal")
	line := e.figuresLine(figures)
	return cells.Justify(step+trend+line, right, w)
}

// minStepFigures is the room that the step leaves for its figures.
const minStepFigures = 18

func (e env) figuresLine(figures []stepFigure) (line string) {
	for _, f := range figures {
		line += "  " + e.display.theme.Paint(themes.Dim, f.name+" ") + f.value + f.note
	}
	return line
}

// rewardTrend returns the course of the reward on a line of w cells, or nothing. Its width is that of the line: it does not change with the
// figures next to it, nor does it go for them.
func (e env) rewardTrend(w int) string {
	n := narrowTrend
	if w >= widthForWideTrend {
		n = wideTrend
	}
	if w < widthForTrend || e.result.trend == nil || len(e.result.trend.Steps) < 2 {
		return ""
	}
	rewards := e.result.trend.Series("critic/score/mean")
	lo, hi := chart.Range(rewards)
	shown, current := e.newestWithGaps(rewards, e.trendIndex(), n)
	return "  " + chart.Sparkline(e.display.theme, e.display.glyphs, shown, current, lo, hi, len(shown))
}

// The cells of the course of the reward, and the screens from which the figures leave room for it, and for the wide one.
const (
	narrowTrend       = 12
	wideTrend         = 36
	widthForTrend     = 110
	widthForWideTrend = 180
)

func (e env) fateCounts() string {
	t := e.display.theme
	var parts []string
	for _, f := range []model.Fate{model.FateShort, model.FateKilled, model.FateInvalid, model.FateNoise} {
		if n := e.result.analysis.Fates[f]; n > 0 {
			parts = append(parts, t.Paint(e.display.fateRole(f), fmt.Sprintf("%s %d %s", e.display.fateGlyph(f), n, f)))
		}
	}
	return strings.Join(parts, "  ")
}

// settingsLine returns the settings, each behind its key, in the longest form that fits.
func (e env) settingsLine(w int) string {
	reason, short, mark := e.choiceReason()
	long, count := e.optionsInHeader()
	reason, short, mark = long+reason, long+short, count+mark
	t, set := e.display.theme, e.settings.now
	harsh := ""
	if text := e.harshFilter(); text != "" {
		harsh = "  " + t.Paint(themes.Warn, firstFitting(w/5, "! "+text, "! harsh"))
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
		{short, "pos", "neg", "re", 0},
		{short, "", "", "", 0},
	}
	if !e.hasRatios() {
		for _, stages := range e.stagesInHeader() {
			for _, because := range []string{reason, short} {
				if line := strings.TrimRight(e.settingsForm(because, "", "", "", 0), " ") + stages; cells.Width(line) <= w {
					return cells.Fit(line, w)
				}
			}
		}
	}
	for _, whoseFilter := range e.borrowedFilter() {
		for _, form := range forms {
			settings := strings.TrimRight(e.settingsForm(form.reason, form.pos, form.neg, form.recompute, form.meter), " ")
			for _, stages := range e.stagesInHeader() {
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
	return cells.Fit(firstFitting(w, append(least, harsh)...), w)
}

// borrowedFilter says whose the filter at work is where the trainer has none, the longest form first; the last says nothing.
func (e env) borrowedFilter() []string {
	set, words := e.settings.now.Effective(), []string{""}
	if entry, err := set.FindEstimator(); err != nil || entry.TrainerFilters || !set.Filtering() {
		return words
	}
	for _, text := range []string{"as EasyR1-Brian", "EasyR1-Brian's filter, tried on this log"} {
		words = append([]string{"  " + e.display.theme.Paint(themes.Dim, text)}, words...)
	}
	return words
}

// harshFilter says what the filter leaves if that is little: see [figures.HarshFilter]. It returns "" without a filter, and where it is not known yet.
func (e env) harshFilter() string {
	x := e.result.analysis
	if x == nil || x.Open || x.Rows == 0 || !x.Settings.Filtering() {
		return ""
	}
	return figures.HarshFilter(float64(x.Kept)/float64(x.Rows), x.Metric("vantage/abs_advantage_ratio"))
}

// stagesInHeader names the stages of the chain that are set beside ratios and estimator, the longest form
// first: names, then how many.
func (e env) stagesInHeader() []string {
	set, t := e.settings.now, e.display.theme
	truncated := ""
	if set.Truncated != "" {
		truncated = "truncated " + set.Truncated
	}
	names := slices.DeleteFunc([]string{truncated, set.Overlong, set.GroupFilter, set.Loss}, func(name string) bool { return name == "" })
	if len(names) == 0 {
		return []string{""}
	}
	word := func(text string) string {
		return "   " + e.display.markSetting("C", t.Paint(themes.Key, "C")+" "+t.Paint(themes.Accent, text))
	}
	return []string{word(strings.Join(names, " ")), word(fmt.Sprintf("+%d", len(names)))}
}

// optionsInHeader names the options that are not at their default by the end of their keys, and counts
// them where there is no room.
func (e env) optionsInHeader() (long, count string) {
	list := e.settings.now.Options.List()
	if len(list) == 0 {
		return "", ""
	}
	names := model.Mapped(list, func(option string) string {
		key, _, _ := strings.Cut(option, "=")
		return option[strings.LastIndexByte(key, '.')+1:]
	})
	paint := func(text string) string { return " " + e.display.theme.Paint(themes.Accent, sanitize.Line(text)) }
	return paint(strings.Join(names, " ")), paint(fmt.Sprintf("+%d", len(list)))
}

// choiceReason says who chose the estimator, or how many of the logged advantages it reproduces;
// short says it in a word and mark in a character: ✓ ≈ ! for the logged advantages, ? for an
// assumption. Each stands behind the scale.
func (e env) choiceReason() (reason, short, mark string) {
	c := e.choice()
	role := themes.Dim
	switch {
	case c.Origin == "": // the log is not known yet
		return " ", " ", " "
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
	if e.display.glyphs.ASCII {
		plain = strings.NewReplacer("✓", "=", "≈", "~")
	}
	paint := func(text string) string { return e.display.theme.Paint(role, plain.Replace(text)) }
	return " " + paint(c.Reason()) + " ", " " + paint(c.Short()) + " ", paint(mark)
}

func (e env) settingsForm(reason, pos, neg, recompute string, meter int) string {
	t, set := e.display.theme, e.settings.now
	key := func(k, word string) string {
		return " " + e.display.markSetting(k, strings.TrimRight(t.Paint(themes.Key, k)+" "+word, " ")) + " "
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
			bar = chart.Meter(t, e.display.glyphs, role, value, meter) + " "
		}
		return key(k, label(name)) + bar + t.Paint(themes.Accent, units.Fixed(value, 2)) + " "
	}
	state := units.OnOff(set.Recompute)
	if off {
		state = units.Missing
	}
	whose := key("f", t.Paint(themes.Accent, set.Trainer())) + key("e", t.Paint(themes.Accent, set.Estimator)) +
		strings.TrimSuffix(key("s", t.Paint(themes.Accent, string(set.Scale))), " ") + reason
	if !e.hasRatios() {
		return whose
	}
	return whose + ratio("p", pos, themes.Positive, set.KeepPos) + ratio("m", neg, themes.Negative, set.KeepNeg) +
		key("r", label(recompute)+t.Paint(themes.Accent, state))
}

// hasRatios reports whether the settings have keep ratios to show: those of the trainer, or those that were tried on its log. The place
// of the others is for the stages that the trainer has.
func (e env) hasRatios() bool {
	set := e.settings.now
	entry, err := set.FindEstimator()
	isTrainers := err != nil || entry.TrainerFilters
	return isTrainers || set.Recompute || set.Filtering()
}

// clockMsg says that the words on how fresh the log is may have to change.
type clockMsg struct{ at time.Time }

func (msg clockMsg) on(a App) App { return a.onClock(msg.at) }

// onClock sets what the screen takes for now, and requests the moment at which its words on how fresh
// the log is change: once a minute at most, and never after the log has ended. Requests overtaken by
// an earlier one change nothing when they end.
func (a App) onClock(now time.Time) App {
	if now.After(a.env.sourceState.clock) {
		a.env.sourceState.clock = now
	}
	s := &a.env.sourceState
	_, until := a.env.snap.Run.Progress.FreshnessText(s.clock)
	if !s.nextClock.After(s.clock) {
		s.nextClock = time.Time{} // it has come
	}
	if s.ended || until.IsZero() || !s.nextClock.IsZero() && !until.Before(s.nextClock) {
		return a
	}
	s.nextClock = until
	return a.starts(tea.Tick(until.Sub(s.clock), func(t time.Time) tea.Msg {
		if t.Before(until) { // the clock was set
			t = until
		}
		return clockMsg{t}
	}))
}

func (e env) freshness(full bool) string {
	t, p := e.display.theme, e.snap.Run.Progress
	text, _ := p.FreshnessText(e.sourceState.clock)
	if p.Freshness(e.sourceState.clock) != model.Live {
		return t.Paint(themes.Dim, text)
	}
	if p.Polling && full {
		text += ", polling"
	}
	return t.Paint(themes.Good, e.display.glyphs.Dot+" "+text)
}

// writtenText says when the log was last written, in local time, and of a copy how old its rows are.
func (e env) writtenText() string {
	p := e.snap.Run.Progress
	text := "written " + e.timeText(p.LastWrite)
	if p.Copied() {
		text = "rows of " + e.timeText(p.RowTime) + ", " + text
	}
	return text
}

// timeText returns a time of the day, with the day if that is not today.
func (e env) timeText(at time.Time) string {
	at, now := at.Local(), e.sourceState.clock.Local()
	switch {
	case now.IsZero() || at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return at.Format(time.TimeOnly)
	case at.Year() == now.Year():
		return at.Format("Jan 2 15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// readRate estimates how long reading a log still takes.
type readRate struct {
	since      time.Time     // when reading began; zero if all is read
	startBytes int64         // read by then
	remaining  time.Duration // 0 if it is not known yet
}

// minMeasured is how long reading must have taken before the remaining time is estimated.
const minMeasured = time.Second

func (p readRate) updated(now time.Time, is model.Progress) readRate {
	switch took, read := now.Sub(p.since), is.BytesRead-p.startBytes; {
	case is.CaughtUp || is.BytesAll == 0:
		return readRate{}
	case p.since.IsZero():
		return readRate{since: now, startBytes: is.BytesRead}
	case took >= minMeasured && read > 0:
		p.remaining = time.Duration(float64(took) * float64(is.BytesAll-is.BytesRead) / float64(read))
	}
	return p
}

// loadedText returns how much of the log is read: "34% · 1.2/3.5 GB · 41 s left".
func (e env) loadedText() string {
	p := e.snap.Run.Progress
	text := units.Percent(int(p.BytesRead), int(p.BytesAll)) + " · " + units.BytesOf(p.BytesRead, p.BytesAll)
	if e.sourceState.rate.remaining > 0 {
		text += " · " + units.ApproxDuration(e.sourceState.rate.remaining) + " left"
	}
	return text
}

// withLink puts what is known of the connection to another machine before the parts of the status. While it is
// lost, or a disk does not answer, that stands in place of them: a log that cannot be seen is neither live nor idle.
func (e env) withLink(parts []string, full bool) []string {
	t, link, text := e.display.theme, e.snap.Run.Progress.Link, e.linkText()
	switch {
	case e.snap.Run.Progress.Silent > 0:
		text = e.silentText()
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

func (e env) silentText() string {
	return "disk not answering for " + units.ShortDuration(e.snap.Run.Progress.Silent)
}

func (e env) linkText() string { return sanitize.Line(e.snap.Run.Progress.Link.String()) }

// maxRunName is the width at which the name of a run is cut, from the left: names differ at their ends.
const maxRunName = 24

// runNames returns the names of the two runs that are open, short and different: without the folders that
// both are in.
func (e env) runNames() [2]string {
	names := compare.Names(sanitize.Line(e.title), sanitize.Line(e.second.title))
	for side := range names {
		names[side] = cells.TruncateLeft(names[side], maxRunName)
	}
	if names[0] == names[1] { // they differ where they were cut
		return compare.Names("", "")
	}
	return names
}

// openTitle names what is open in at most w cells: the run whose figures the screen shows, and behind the key
// that compares them the second one. The name of one run alone gives way to what else fits next to it in the first line.
func (e env) openTitle(w, free int) string {
	if e.second.source == nil {
		return cells.TruncateLeft(sanitize.Line(e.title), max(free, maxRunName))
	}
	t, names := e.display.theme, e.runNames()
	const between = "  c against "
	room := max(6, (w-cells.Width(between))/2)
	for side := range names {
		if over := cells.Width(names[0]) + cells.Width(names[1]) + cells.Width(between); over > w {
			names[side] = cells.TruncateLeft(names[side], room)
		}
	}
	return names[sideBaseline] + "  " + e.display.markKey("c", t.Paint(themes.Key, "c")+t.Paint(themes.Dim, " against ")+names[sideCandidate])
}

func (e env) againstSecond() string {
	if e.second.source == nil {
		return ""
	}
	return " against " + e.runNames()[sideCandidate]
}

// ofRun says of which run a table is, if two are open.
func (e env) ofRun() string {
	if e.second.source == nil {
		return ""
	}
	return " of " + e.runNames()[sideBaseline]
}
