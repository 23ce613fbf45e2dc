package commands

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/tui"
)

// The screen here is so large that no sentence is cut and few are wrapped.
const screenWidth, screenHeight = 520, 160

// saidOnScreen is every sentence that the screen says of a log: the header, the run at a glance, and the warnings of all steps together.
func saidOnScreen(t *testing.T, l *rawLog) (all []said) {
	t.Helper()
	if l.grows { // the screen here does not follow a log, so that its last step is complete
		return nil
	}
	steps := l.steps()
	first, last := steps[0], steps[len(steps)-1]
	add := func(where, text string, first, last int64) {
		all = append(all, said{where, strings.Join(strings.Fields(text), " "), first, last, nil})
	}
	screen := openScreen(t, l, "0", "1", ">", "4", "z")
	for i, frame := range screen {
		if i == 0 || frame[1] != screen[i-1][1] {
			add("header", frame[1], first, last)
		}
	}
	left, right := columnsOf(screen[0])
	for _, f := range labelled(left) {
		label, text, _ := strings.Cut(f, " ")
		switch label {
		case "samples", "numbers", "advice", "answers", "groups", "ratios":
			if label == "groups" {
				label = "signal"
			}
			add(label, text, first, last)
		case "run":
			add("run", text[:strings.LastIndex(text, "samples")+len("samples")], first, last) // how fresh it is, the clock says
		default:
			t.Errorf("%s: nothing here says when this is true: %q", l.name, f)
		}
	}
	for _, line := range right {
		add("fate", strings.TrimRight(line, "━─ "), first, last)
	}
	for _, line := range paneOf(screen[0], "worst steps, and why") {
		line, _, _ = strings.Cut(line, "││") // charts are next to them
		if m := regexp.MustCompile(`^ +(-?\d+)(?:[–-](-?\d+))?  (.*?)  +signal (.*?) *$`).FindStringSubmatch(line); m != nil {
			from, to := stepsOf(m[1], m[2])
			add("cause", m[3], from, to)
			add("signal of", m[4], from, to)
		} else if m := regexp.MustCompile(`^ \S+ (all wrong|all correct|all equal|single|rounding|invalid|alive) +(.*)`).FindStringSubmatch(line); m != nil {
			add("group", m[1]+": "+m[2], first, last)
		} else if !regexp.MustCompile(`^ *($|Worst first, by the average weight |none: every group|the groups of this step, worst first)`).MatchString(line) {
			t.Errorf("%s: nothing here says when this is true: %q", l.name, line)
		}
	}
	newest := screen[len(screen)-1]
	if m := regexp.MustCompile(`^ steps? (-?\d+)(?:-(-?\d+))?`).FindStringSubmatch(newest[1]); m != nil { // of which the pane is
		first, last = stepsOf(m[1], m[2])
	}
	for _, line := range paneOf(newest, "warnings") {
		if mark := []rune(line + "  "); mark[1] != '!' && mark[1] != '~' {
			continue
		} else if text := strings.TrimSpace(string(mark[3:])); !slices.ContainsFunc(l.findings, func(f record) bool {
			kind, title := strings.ReplaceAll(f.text("kind"), "_", " "), f.text("title")
			if strings.HasPrefix(text, kind+" ") && strings.HasSuffix(text, ": "+title) {
				all = append(all, said{"title", title, int64(f.number("since")), int64(f.number("until")), f})
				return true
			}
			return false
		}) {
			add("warning", text, first, last)
		}
	}
	return all
}

// stepsOf is a range of steps, of one step if the second is "".
func stepsOf(from, to string) (first, last int64) {
	first = int64(saidNumber(from))
	if to == "" {
		return first, first
	}
	return first, int64(saidNumber(to))
}

// openScreen opens a log on the screen and returns what it shows after each key.
func openScreen(t *testing.T, l *rawLog, keys ...string) (frames [][]string) {
	t.Helper()
	p := &program{in: strings.NewReader(""), out: &strings.Builder{}, errOut: &strings.Builder{}}
	cmd := &cobra.Command{Use: "vantage"}
	p.addFlags(cmd, ofLogs)
	if err := cmd.ParseFlags(l.args); err != nil {
		t.Fatal(err)
	}
	paths, set, err := p.configure(l.path)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) { // pauses take no time
		source, err := p.open(paths, false)
		if err != nil {
			t.Fatal(err)
		}
		defer source.Close()
		o := tui.Options{Title: "log", Settings: set, Given: p.given(), SetByFlag: p.isSet, NoColor: true}
		o.Look = func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error) {
			return lookAt(ctx, source, snap, set, diagnosis.Reading{}, previous)
		}
		var app tea.Model = tui.New(t.Context(), source, o)
		var run func(cmd tea.Cmd)
		send := func(msg tea.Msg) {
			next, cmd := app.Update(msg)
			app = next
			run(cmd)
		}
		run = func(cmd tea.Cmd) {
			if cmd == nil {
				return
			}
			switch msg := cmd().(type) {
			case nil, tea.QuitMsg:
			case tea.BatchMsg:
				for _, c := range msg {
					run(c)
				}
			default:
				if name := fmt.Sprintf("%T", msg); name != "tui.clockMsg" && name != "tui.noticeEndedMsg" { // the clock stands still
					send(msg)
				}
			}
		}
		send(tea.WindowSizeMsg{Width: screenWidth, Height: screenHeight})
		run(app.(tui.App).Init())
		for _, key := range keys {
			send(tea.KeyPressMsg{Code: []rune(key)[0], Text: key})
			frames = append(frames, strings.Split(ansi.Strip(app.(tui.App).View().Content), "\n"))
		}
	})
	return frames
}

// paneOf are the lines in the pane with a title, which is as wide as the screen.
func paneOf(frame []string, title string) (lines []string) {
	at := slices.IndexFunc(frame, func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, "╭> 0123456789"), title) })
	for i := at + 1; at >= 0 && i < len(frame) && !strings.HasPrefix(frame[i], "╰"); i++ {
		lines = append(lines, strings.TrimSuffix(strings.TrimLeft(frame[i], "│>"), "│")) // > is the cursor
	}
	return lines
}

// columnsOf are the lines of the facts at a glance, and of the bars next to them.
func columnsOf(frame []string) (left, right []string) {
	for _, line := range paneOf(frame, "the run at a glance") {
		a, b, _ := strings.Cut(line, "││")
		if left = append(left, a); strings.TrimSpace(b) != "" {
			right = append(right, b)
		}
	}
	return left, right
}

// labelled are facts with their labels, each in a line.
func labelled(lines []string) (facts []string) {
	for _, line := range lines {
		switch text := strings.TrimSpace(line); {
		case text == "":
		case strings.HasPrefix(line, "  "):
			facts[len(facts)-1] += " " + text
		default:
			facts = append(facts, strings.Join(strings.Fields(text), " "))
		}
	}
	return facts
}

// screenClaims are those that the screen alone makes.
func screenClaims() []claim {
	carries := func(n, of, percent string, l *rawLog, s said) error {
		fates, groups := l.fates(s.first, s.last)
		err := errors.Join(count("groups", of, groups), percentIs(percent, n, of))
		if n := int(saidNumber(n)); n < fates["alive"] || n > fates["alive"]+fates["invalid"] { // a trainer may leave out what is no number
			err = errors.Join(err, fmt.Errorf("%d groups carry signal", fates["alive"]))
		}
		return err
	}
	trainOf := func(l *rawLog, n, of, percent, none string) error {
		if isNone := none != ""; isNone || l.evaluates {
			if isNone && l.evaluates {
				return nil
			}
			return fmt.Errorf("an evaluation is one in which no sample trains")
		}
		err := errors.Join(count("samples", of, len(l.rows)), percentIs(percent, n, of))
		if n, least := int(saidNumber(n)), l.trains(); n < least || n > least+l.unsettled() {
			err = errors.Join(err, fmt.Errorf("%d samples train", least))
		}
		return err
	}
	return []claim{
		{
			where:   "header",
			pattern: `(?:steps? ` + step + `(?:-` + step + `)?|(\d+) steps of ` + step + `-` + step + `) (?:[▁-█⠀-⣿ ]+ )?reward ` + num + `(?:, ` + num + ` NaN)?( counted)? signal ` + num + `/` + num + ` \(` + num + `\) train (?:` + num + `/` + num + ` \(` + num + `\)|(none \(evaluation\))).*`,
			holds: func(l *rawLog, s said, w []string) error {
				s.first, s.last = stepsOf(w[1]+w[4], w[2]+w[5])
				some := *l
				some.rows = l.within(s.first, s.last)
				mean, n := meanOf(some.rows, rewardOf)
				err := errors.Join(carries(w[9], w[10], w[11], l, s), trainOf(&some, w[12], w[13], w[14], w[15]))
				if w[8] != "" { // as 0
					mean *= float64(n) / float64(len(some.rows))
				}
				err = errors.Join(err, same("the mean reward", w[6], mean))
				if invalid := len(some.rows) - n; w[7] != "" || invalid > 0 {
					err = errors.Join(err, count("rewards that are no numbers", w[7], invalid))
				}
				if w[3] != "" {
					err = errors.Join(err, count("steps", w[3], len(some.steps())))
				}
				return err
			},
		},
		{
			where:   "run",
			pattern: `\S+ · ` + num + ` steps? · ` + num + ` samples`,
			holds: func(l *rawLog, _ said, w []string) error {
				return errors.Join(count("steps", w[1], len(l.steps())), count("samples", w[2], len(l.rows)))
			},
		},
		{
			where:   "signal",
			pattern: num + `/` + num + ` \(` + num + `\) carry signal, ` + num + ` (?:does|do) not`,
			holds: func(l *rawLog, s said, w []string) error {
				return errors.Join(carries(w[1], w[2], w[3], l, s), count("groups without signal", w[4], int(saidNumber(w[2])-saidNumber(w[1]))))
			},
		},
		{
			where:   "signal of",
			pattern: num + `/` + num + ` \(` + num + `\)`,
			holds:   func(l *rawLog, s said, w []string) error { return carries(w[1], w[2], w[3], l, s) },
		},
		{
			where:   "fate",
			pattern: `\S+ (.+?) ` + num + `/` + num + ` \(` + num + `\)`,
			holds: func(l *rawLog, s said, w []string) error {
				if w[1] == "signal" {
					return carries(w[2], w[3], w[4], l, s)
				}
				return firstError(fateIs(l, s, w[1], w[2], w[3]), percentIs(w[4], w[2], w[3]))
			},
		},
		{
			where:   "group",
			pattern: `([a-z ]+): (.*)`,
			holds: func(l *rawLog, s said, w []string) error {
				escapes := regexp.MustCompile(`\\+(u[0-9a-f]{4}|[nrt])?|[^\pL\pN\\]+`) // of the JSON that a prompt may be
				letters := func(text string) string { return escapes.ReplaceAllString(text, "") }
				for _, g := range l.groups(s.first, s.last) {
					if l.fate(g) == w[1] && (strings.HasPrefix(w[2], "group ") || strings.Contains(letters(g.rows[0].prompt), letters(w[2]))) {
						return nil
					}
				}
				return fmt.Errorf("no group of this prompt is %s", w[1])
			},
		},
		{
			where:   "ratios",
			pattern: `no signal in ` + num + ` groups of ` + num + ` steps: no setting changes anything`,
			holds: func(l *rawLog, s said, w []string) error {
				fates, groups := l.fates(s.first, s.last)
				return firstError(count("groups", w[1], groups), count("steps", w[2], len(l.steps())), count("groups of equal rewards", w[1], sumOf(fates, equalFates())))
			},
		},
		{
			where: "ratios", seldom: true,
			pattern: `fewest samples, 80%\+ of Σ\|A\|: (?:no filter|` + num + `/` + num + ` recompute off): keeps ` + num +
				` of Σ\|A\|, trains on ` + num + `/` + num + ` samples \(` + num + `\), kills 0, flips 0`,
			holds: func(l *rawLog, _ said, w []string) error {
				pos, neg := 1.0, 1.0
				if w[1] != "" {
					pos, neg = saidNumber(w[1]), saidNumber(w[2])
				}
				n, shares := l.filtered(pos, neg)
				said := saidNumber(w[3])
				isShare := slices.ContainsFunc(shares, func(x float64) bool { return math.Abs(said-x) <= 0.0051 })
				if !isShare || said < 0.8 {
					return fmt.Errorf("of Σ|A| %v is kept", shares)
				}
				err := errors.Join(count("samples", w[5], len(l.rows)), percentIs(w[6], w[4], w[5]))
				if train := int(saidNumber(w[4])); train < n || train > n+l.unsettled() {
					err = errors.Join(err, fmt.Errorf("%d samples train", n))
				}
				return err
			},
		},
		{
			where: "answers", seldom: true,
			pattern: `no answers were read of (\d+) steps up to (\d+), .*`,
			holds: func(l *rawLog, _ said, w []string) error {
				n, wrong := int(saidNumber(w[1])), 0
				for _, step := range l.steps() {
					if fates, groups := l.fates(step, step); step <= int64(saidNumber(w[2])) && 2*fates["all wrong"] >= groups {
						wrong++
					}
				}
				if n > wrong {
					return fmt.Errorf("%d steps are mostly all wrong", wrong)
				}
				return nil
			},
		},
		{
			where: "warning", of: "none of all",
			pattern: `none of \d+ estimators and scales reproduces all logged advantages`,
			holds: func(l *rawLog, _ said, _ []string) error {
				if !slices.ContainsFunc(l.rows, func(r rawRow) bool { return !math.IsNaN(r.advantage) }) {
					return fmt.Errorf("none is logged")
				}
				return nil
			},
		},
		{
			where: "warning", of: string(analysis.WarnAnswersAlike), seldom: true,
			pattern: num + ` of ` + num + ` groups are all wrong, and the answers of their step alike, first at step ` + num + `: (?:empty answers|.*“(.*?)…?”.*)`,
			holds: func(l *rawLog, s said, w []string) error {
				at := int64(saidNumber(w[3]))
				fates, groups := l.fates(s.first, s.last)
				if n := int(saidNumber(w[1])); n > fates["all wrong"] {
					return fmt.Errorf("%d groups are all wrong", fates["all wrong"])
				}
				return errors.Join(count("groups", w[2], groups), beginAlike(l, said{text: s.text + "such as", first: at, last: at}, w[4]))
			},
		},
	}
}
