package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/loaders"
	"vantage/loaders/formats"
	logged "vantage/loaders/scalars"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/glance"
	"vantage/model/offpolicy"
	"vantage/model/report"
	"vantage/model/scalars"
)

func (p *program) summary() *cobra.Command {
	steps, texts := &stepRange{}, textsFlag{}
	isOfAll := func(*call) bool { return *steps == (stepRange{}) }
	return command[func(io.Writer, *report.Summary) error]{
		use:   "summary PATH... [algorithm.key=value...]",
		short: "Say in 2 KB what ails a run, what trains, and the worst steps",
		long: `summary prints at most 2 KB: what ails the run, worst first, with the step at which it
began and the evidence; how many samples train; the fates of the groups; the worst steps;
one line of advice; then the log and whether it still grows, the estimator, and what the
log cannot show. It is made for coding agents and scripts; report has all metrics.

With --steps or --last all is of these steps, and what ails them is judged by the steps
before them too.`,
		example: `vantage summary runs/qwen-math/rollouts
vantage summary runs/qwen-math/rollouts --last 20
vantage summary runs/qwen-math/rollouts --json`,
		format: answerFlag(report.SummaryText, report.SummaryJSON, 0),
		steps:  steps,
		sets:   unweighed | correcting,
		flags:  func(cmd *cobra.Command) { texts.addTo(cmd, readEvery) },
		run: orScalars(false, isOfAll, onLog(ofLog, func(ctx context.Context, log *openLog) (*report.Summary, error) {
			found, err := diagnose(ctx, log.Source, log.whole, log.snap, log.set, texts.every)
			if err != nil {
				return nil, err
			}
			run, trend, err := glanceAt(ctx, log, found.Answers)
			if err != nil {
				return nil, err
			}
			log.choice.Shown = found.ByRule
			s := &report.Summary{Answer: log.answer(), Trend: trend, Glance: run, Diagnosis: found}
			for i := range run.Spans[:min(report.MaxWorst, len(run.Spans))] {
				name := ""
				switch a, g, err := deadGroup(ctx, log.snap, log.set, &run.Spans[i]); {
				case err != nil:
					return nil, err
				case a != nil:
					name = a.Table[g].Name
				}
				s.Examples = append(s.Examples, name)
			}
			return s, nil
		})),
	}.build(p)
}

// glanceAt computes all steps of a run, of which some answers were read, and sums them up.
func glanceAt(ctx context.Context, log *openLog, answers diagnosis.Answers) (*glance.Glance, *analysis.Trend, error) {
	trend, err := analysis.ComputeMeans(ctx, log.snap, log.set)
	if err != nil {
		return nil, nil, err
	}
	for i := range trend.Steps {
		warnAlike(answers, &trend.Steps[i], nil)
	}
	return glance.Of(trend, answers, log.snap.Run), trend, nil
}

// warnAlike adds the warning that the answers of a step are alike to its figures, if they are. a is its analysis, or nil.
func warnAlike(answers diagnosis.Answers, s *analysis.StepFigures, a *analysis.Analysis) {
	if w := glance.AlikeWarning(answers, s, a); w != nil {
		s.Warnings = append(slices.Clip(s.Warnings), *w)
	}
}

// textsFlag is --texts: how many texts are asked for, or all.
type textsFlag struct {
	n       int
	every   bool
	numbers bool // a number can be given
}

// readEvery is what --texts all is for.
const readEvery = "read every answer to say what ails the run; by default some of them, evenly over steps and groups"

// addTo declares the flag of a command that takes no number.
func (t *textsFlag) addTo(cmd *cobra.Command, usage string) { cmd.Flags().Var(t, "texts", usage) }

// addNumbersTo declares the flag of a command that takes a number too.
func (t *textsFlag) addNumbersTo(cmd *cobra.Command, n int, usage string) {
	t.n, t.numbers = n, true
	t.addTo(cmd, usage)
}

func (t *textsFlag) String() string {
	switch {
	case t.every:
		return everyText
	case t.numbers:
		return strconv.Itoa(t.n)
	}
	return ""
}

// Type is how help names the value.
func (t *textsFlag) Type() string {
	if t.numbers {
		return numberOrEvery
	}
	return everyText
}

// The types of the flag.
const (
	everyText     = "all"
	numberOrEvery = "N|" + everyText
)

// Set takes the value.
func (t *textsFlag) Set(value string) error {
	if t.every = value == everyText; t.every {
		return nil
	}
	n, err := strconv.Atoi(value)
	switch {
	case !t.numbers:
		return errors.New("expected all")
	case err != nil, n < 0:
		return errors.New("expected a number that is not negative, or all")
	}
	t.n = n
	return nil
}

// textReader are those of the samples of a log.
type textReader interface {
	Text(context.Context, model.Place) (model.Text, error)
}

// lookAt looks at what ails a run: at its steps, at texts of some answers, and at what the trainer logged of its steps, if the log can be
// asked for that: see [loaders.Source.Scalars]. log is nil if nothing can be read again; how is which texts are read of it, and previous
// the look before, or nil.
func lookAt(
	ctx context.Context, log textReader, snap model.Snapshot, set model.Settings, how diagnosis.Reading, previous *diagnosis.Look,
) (*diagnosis.Look, error) {
	if log != nil {
		how.Texts = analysis.ReadTextsOf(log)
	}
	look, err := diagnosis.See(ctx, snap, set, how, previous)
	if err != nil {
		return nil, err
	}
	if look.Dated = snap.Run.Progress.RowTime; log != nil && look.Dated.IsZero() {
		look.Dated = rowTime(ctx, log, snap)
	}
	still := false
	if beside, ok := log.(interface{ Scalars() (*logged.Found, error) }); ok {
		switch found, err := beside.Scalars(); {
		case err == nil:
			still = found.Still()
			scalars.Add(look.Diagnosis, found.Scalars)
			look.Diagnosis.Notes = slices.Concat([]string{found.String()}, look.Diagnosis.Notes, found.Notes)
		case !errors.Is(err, logged.ErrNone):
			scalars.Unread(look.Diagnosis, err.Error())
		}
	}
	if study := studyOf(log, still); study != nil {
		study.Diagnose(look.Diagnosis)
	}
	return look, nil
}

// studyOf is what the log-probs of the tokens of a log say, nil if it has none: see [loaders.Source.LogProbs].
func studyOf(log any, still bool) *offpolicy.Study {
	tokens, ok := log.(interface {
		LogProbs(still bool) (*offpolicy.Study, error)
	})
	if !ok {
		return nil
	}
	study, err := tokens.LogProbs(still)
	if err != nil {
		return nil
	}
	return study
}

// diagnose says what ails a run at some of its steps, by these and those before. If every is set, it reads all texts.
func diagnose(
	ctx context.Context, source *loaders.Source, snap, selected model.Snapshot, set model.Settings, every bool,
) (*diagnosis.Diagnosis, error) {
	if len(selected.Steps) == 0 {
		return &diagnosis.Diagnosis{}, nil
	}
	first, last := selected.Steps[0].Number, selected.Steps[len(selected.Steps)-1].Number
	isWhole := len(selected.Steps) == len(snap.Steps) // of the samples: the scalars may have more steps
	i, _ := snap.Find(last)
	look, err := lookAt(ctx, source, snap.Only(snap.Steps[:i+1]), set, diagnosis.Reading{Every: every, From: first}, nil)
	if err != nil {
		return nil, err
	}
	if isWhole {
		return look.Diagnosis, nil
	}
	return look.Diagnosis.Within(first, last), nil
}

// deadGroup returns a group of the first of some steps with the fate that most of their groups without signal have, as its index
// in the table of the step; nil if there is none.
func deadGroup(ctx context.Context, snap model.Snapshot, set model.Settings, span *glance.Span) (*analysis.Analysis, int, error) {
	fates := span.DeadFates()
	if len(fates) == 0 {
		return nil, 0, nil
	}
	for i := span.First; i <= span.Last; i++ {
		a, err := analysis.Analyze(ctx, snap, i, set)
		if err != nil {
			return nil, 0, err
		}
		if g := slices.IndexFunc(a.Table, func(g analysis.Group) bool { return g.Fate == fates[0].Fate }); g >= 0 {
			return a, g, nil
		}
	}
	return nil, 0, nil
}

// defaultChars is so few that an answer of long texts costs its reader little, and shows how they end.
const defaultChars = 200

func (p *program) why() *cobra.Command {
	var best, worst bool
	var chars int
	texts := textsFlag{}
	return command[func(io.Writer, *report.Why) error]{
		use:   "why [GROUP] PATH... [algorithm.key=value...]",
		short: "Explain in 2 KB what became of a group, and show its answers",
		long: `why prints at most 2 KB about a group: what ails the run at its step, its fate and the
reason, for each sample the reward and the advantage before and after the filter, and the
prompt, the ground truth, and the answers with the best and the worst reward. Texts are
cut in the middle; --text N prints more. Control characters are made visible.

GROUP is a name from summary, report --per group or export, or the beginning of one. If
several steps have the group, the newest is shown; --steps 7 asks for step 7. Without
GROUP it is the group that summary names for the worst step.`,
		example: `vantage why runs/qwen-math/rollouts
vantage why 3f2a runs/qwen-math/rollouts --json
vantage why 3f2a runs/qwen-math/rollouts --worst --text 4000`,
		format: answerFlag(report.WhyText, report.WhyJSON, noteConfig),
		steps:  &stepRange{},
		sets:   unweighed,
		flags: func(cmd *cobra.Command) {
			cmd.Flags().BoolVar(&best, "best", false, "only the answer with the best reward, and no samples")
			cmd.Flags().BoolVar(&worst, "worst", false, "only the answer with the worst reward, and no samples")
			cmd.Flags().IntVar(&chars, "text", defaultChars, "cut each text in the middle to this many characters")
			texts.addTo(cmd, readEvery)
		},
		refuse: func() error {
			if chars < 1 {
				return fmt.Errorf("--text %d: expected a number of characters", chars)
			}
			return nil
		},
		run: onLog(ofGroup, func(ctx context.Context, log *openLog) (*report.Why, error) {
			look, err := lookAt(ctx, log.Source, log.whole, log.set, diagnosis.Reading{Every: texts.every}, nil)
			if err != nil {
				return nil, err
			}
			y, err := findGroup(ctx, log, look.Diagnosis.Answers)
			if err != nil {
				return nil, err
			}
			y.Diagnosis = look.Diagnosis.Within(y.Analysis.Step, y.Analysis.Step)
			y.Chars, y.Explicit, y.OneShown = chars, chars > defaultChars, best || worst
			y.Shown = append(y.Shown, answersToShow(y, best, worst)...)
			err = readAnswers(ctx, log, y)
			isAsked := best || worst || chars != defaultChars
			if err != nil && !isAsked && ctx.Err() == nil { // the rest is known without the texts
				y.Shown, y.Unread, err = nil, err.Error(), nil
			}
			return y, err
		}),
	}.build(p)
}

// answersToShow returns the best and the worst answer, or the one of them that is asked for.
func answersToShow(y *report.Why, best, worst bool) (shown []report.ShownText) {
	if best || !worst {
		shown = append(shown, report.ShownText{Which: "best", Column: y.Best()})
	}
	if worst || !best {
		shown = append(shown, report.ShownText{Which: "worst", Column: y.Worst()})
	}
	return shown
}

// readAnswers reads the texts of the answers that are shown, up to the first that cannot be read.
func readAnswers(ctx context.Context, log *openLog, y *report.Why) (err error) {
	i, _ := y.Snap.Find(y.Analysis.Step)
	for k := range y.Shown {
		at := y.Snap.Steps[i].Place(int(y.Analysis.InputRow[y.Shown[k].Column]))
		if y.Shown[k].Text, err = log.Text(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// takeGroup takes the argument that names a group: the first, if paths follow it.
func (l *openLog) takeGroup() error {
	p, args := l.p, l.args
	if len(args) == 0 {
		return usage(fmt.Errorf("%s takes a path, or a group and then a path, as `vantage %[1]s GROUP PATH`: `vantage summary PATH` "+
			"names groups", l.name))
	}
	paths, _, err := p.splitArguments(args[1:])
	if err != nil {
		return err
	}
	_, missing := p.disk.Stat(args[0])
	isPath := missing == nil
	if len(paths) == 0 {
		if !isPath && args[0] != "-" && !loaders.IsElsewhere(args[0]) {
			return usage(fmt.Errorf("there is no file %s: %s takes a path, or a group and then a path", args[0], l.name))
		}
		return nil
	}
	if isPath {
		if _, err := p.disk.Stat(args[1]); err != nil {
			return usage(fmt.Errorf("%s is a path: the group comes first, as `vantage %s %s %s`", args[0], l.name, args[1], args[0]))
		}
	}
	l.group, l.args = args[0], args[1:]
	return nil
}

// worstGroup returns the group that stands in a summary for the worst steps of a run; where every group carries signal, the one with the
// lowest mean reward of the newest step.
func worstGroup(ctx context.Context, log *openLog, answers diagnosis.Answers) (*report.Why, error) {
	run, _, err := glanceAt(ctx, log, answers)
	if err != nil {
		return nil, err
	}
	y := &report.Why{Answer: log.answer()}
	for i := 0; i < len(run.Spans) && y.Analysis == nil; i++ {
		span := &run.Spans[i]
		if y.Analysis, y.Group, err = deadGroup(ctx, log.snap, log.set, span); err != nil {
			return nil, err
		}
		y.Chosen = fmt.Sprintf("stands for the worst of the run, %s: %s", span.Steps(), span.Cause())
	}
	if y.Analysis == nil {
		newest := len(log.snap.Steps) - 1
		if newest > 0 && log.snap.Open(newest) {
			newest--
		}
		if y.Analysis, err = analysis.Analyze(ctx, log.snap, newest, log.set); err != nil {
			return nil, err
		}
		for g := range y.Analysis.Table {
			if y.Analysis.Table[g].RewardMean < y.Analysis.Table[y.Group].RewardMean {
				y.Group = g
			}
		}
		y.Chosen = fmt.Sprintf("no group is without signal; this one has the lowest mean reward of step %d", y.Analysis.Step)
	}
	names, err := groupNames(ctx, log.snap, log.set)
	y.Steps = stepsNamed(log.snap, names, y.Analysis.Table[y.Group].Name)
	return y, err
}

// findGroup returns the newest group that the argument names: of that name, or the only one whose name begins so; without one the worst.
func findGroup(ctx context.Context, log *openLog, answers diagnosis.Answers) (*report.Why, error) {
	if log.group == "" {
		return worstGroup(ctx, log, answers)
	}
	y, snap := &report.Why{Answer: log.answer()}, log.snap
	names, err := groupNames(ctx, snap, log.set)
	if err != nil {
		return nil, err
	}
	name, err := chooseName(names, log.group)
	if err != nil {
		return nil, err
	}
	y.Steps = stepsNamed(snap, names, name)
	newest, _ := snap.Find(y.Steps[len(y.Steps)-1])
	if y.Analysis, err = analysis.Analyze(ctx, snap, newest, log.set); err != nil {
		return nil, err
	}
	y.Group = slices.IndexFunc(y.Analysis.Table, func(g analysis.Group) bool { return g.Name == name })
	return y, nil
}

// stepsNamed returns the steps that have a group of a name.
func stepsNamed(snap model.Snapshot, names [][]string, name string) (steps []int64) {
	for i := range snap.Steps {
		if slices.Contains(names[i], name) {
			steps = append(steps, snap.Steps[i].Number)
		}
	}
	return steps
}

func groupNames(ctx context.Context, snap model.Snapshot, set model.Settings) ([][]string, error) {
	names := make([][]string, len(snap.Steps))
	for i := range snap.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		grouped, err := analysis.GroupStep(snap, i, set)
		if err != nil {
			return nil, err
		}
		for k := range len(grouped.Offsets) - 1 {
			names[i] = append(names[i], grouped.GroupName(k))
		}
	}
	return names, nil
}

const shownNames = 5

func chooseName(names [][]string, given string) (string, error) {
	begin := map[string]bool{}
	var some []string
	for i := range names {
		for _, name := range names[len(names)-1-i] { // the newest step first
			switch {
			case name == given:
				return name, nil
			case given != "" && strings.HasPrefix(name, given):
				begin[name] = true
			case len(some) < shownNames:
				some = append(some, name)
			}
		}
	}
	switch all := slices.Sorted(maps.Keys(begin)); len(all) {
	case 0:
	case 1:
		return all[0], nil
	default:
		return "", fmt.Errorf("no such group: several begin with %q, such as %s: write more of it", given,
			strings.Join(all[:min(shownNames, len(all))], ", "))
	}
	return "", fmt.Errorf("no such group: none is called %q, or begins so; the log has groups such as %s; `vantage summary PATH` "+
		"names some without signal", given, strings.Join(some, ", "))
}

// scalarsFor is how a command sums up scalars.
type scalarsFor struct {
	format string
	reward string // the series that is the reward, "" for that whose name tells it
	whole  bool   // whatever its length
}

// runner does what a command is for, and writes it.
type runner[T any] func(ctx context.Context, c *call, write func(io.Writer, T) error) error

// orScalars is what summary and report do: where a path has no samples, they sum up the scalars that are there, if any are. only is
// false for what has no sense without samples; nil: never.
func orScalars[T any](whole bool, only func(*call) bool, ofSamples runner[T]) runner[T] {
	return func(ctx context.Context, c *call, write func(io.Writer, T) error) error {
		refused := ofSamples(ctx, c, write)
		var unopened *loaders.Error
		isWithout := errors.Is(refused, errNoSamples) || errors.As(refused, &unopened) || refused != nil && c.isRewardOfScalars()
		if isWithout && (only == nil || only(c)) {
			if ok, err := c.p.writeScalars(ctx, c.paths, scalarsFor{format: c.format, reward: c.set.Reward, whole: whole}); ok {
				return err
			}
		}
		return refused
	}
}

// isRewardOfScalars reports whether --reward names a series, since nothing else is there.
func (c *call) isRewardOfScalars() bool {
	return c.set.Reward != "" && len(c.paths) == 1 && !loaders.IsElsewhere(c.paths[0]) && logged.Alone(c.p.disk, c.paths[0])
}

// scalarsAlone is, as text, what the scalars at a path say of a run, if nothing else is there; else nil. A screen shows samples.
func (p *program) scalarsAlone(ctx context.Context, paths []string, set model.Settings) []byte {
	if len(paths) != 1 || !logged.Alone(p.disk, paths[0]) {
		return nil
	}
	var text bytes.Buffer
	to := *p
	to.out = &text
	if ok, err := to.writeScalars(ctx, paths, scalarsFor{format: "text", reward: set.Reward}); !ok || err != nil {
		return nil
	}
	return text.Bytes()
}

// writeScalars writes what the scalars at a path say; ok: there are some. If not, [loaders.Open] says why nothing can be read there.
func (p *program) writeScalars(ctx context.Context, paths []string, how scalarsFor) (ok bool, err error) {
	if len(paths) != 1 || loaders.IsElsewhere(paths[0]) {
		return false, nil
	}
	found, err := logged.Read(p.disk, paths[0])
	if err != nil {
		return false, nil
	}
	if how.reward != "" {
		if err := found.TakeReward(how.reward); err != nil {
			return true, usage(err)
		}
	}
	s := &report.Scalars{
		Whole: how.whole, Path: titleOf(paths), File: filepath.Clean(found.File), Format: found.Format,
		Run: found.Scalars, Diagnosis: scalars.Diagnose(found.Scalars), Notes: found.Notes,
	}
	var names strings.Builder
	for i := range found.Series {
		names.WriteString(found.Series[i].Name + "\n")
	}
	switch s.Advice = formats.WhereSamplesAre([]byte(names.String())); {
	case s.Advice != "":
	case found.IsState():
		s.Advice = formats.WhereSamplesOfStateAre()
	default:
		s.Advice = "samples tell more: `vantage list formats` has how each trainer writes them"
	}
	write := report.ScalarsText
	if how.format == "json" {
		write = report.ScalarsJSON
	}
	return true, write(p.output(ctx, how.format), s)
}
