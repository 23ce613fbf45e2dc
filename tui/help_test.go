package tui

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/figures"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// ? shows the help, then the estimator at work, then closes the help.
func TestThirdQuestionMarkClosesTheHelp(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("?")
		d.wantText("type to search all of it")
		d.press("?")
		d.wantText("EasyR1 (Brian's fork) grpo", "any key closes this page")
		d.press("?")
		if d.app.overlays.help.Open || d.app.overlays.help.OnEstimator {
			t.Error("the third ? does not close the help")
		}
	})
}

// The help narrows while one types, scrolls, and closes without another effect.
func TestHelpIsSearched(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 80, 24, filterSettings(), func(d *driver) {
		before := d.app.env.Settings
		d.press("?", "tab")
		whole := d.frame()
		d.press("down", "down")
		if d.frame() == whole {
			t.Error("the help does not scroll")
		}
		d.press("end")
		last := d.frame()
		d.press("down", "pgdown", "up")
		if d.frame() == last {
			t.Error("the help scrolls beyond its end")
		}
		d.press("home")
		if d.frame() != whole {
			t.Error("the help does not scroll back")
		}
		d.typeText("keep_neg")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "keep_neg_ratio down by 0.05") || strings.Contains(text, "keep_pos_ratio down") {
			t.Error(text)
		}
		d.press("esc")
		if d.app.overlays.help.Open || d.app.env.Settings.Now != before.Now {
			t.Error("the keys did something else")
		}
	})
}

// The search finds the legend, figures that are elsewhere, commands and fields of the filter.
func TestHelpSearchFindsWhatHelpShows(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 80, 24, filterSettings(), func(d *driver) {
		for query, want := range map[string]string{
			"killed":            "filter left no signal",
			"○":                 "kept, dropped, some each",
			":export":           "jsonl|txt",
			":scale":            "group, batch or none",
			"sample.adv":        "before the filter",
			"effective_samples": "equals the number of",
			"win rate":          "confidence interval",
			"nothing like this": "nothing matches",
		} {
			d.press("?")
			d.typeText(query)
			d.wantText(want)
			d.press("esc")
		}
		d.press("?")
		everything := helpText(d.app)
		for _, f := range model.Fates() {
			if !strings.Contains(everything, f.String()) {
				t.Errorf("%s is not in the help", f)
			}
		}
		for _, f := range figures.Fields() {
			d.app.overlays.help.Query, d.app.overlays.help.Scroll = f.Name, 0
			d.wantText(f.Name)
		}
		for _, name := range commandNames() {
			d.app.overlays.help.Query, d.app.overlays.help.Scroll = ":"+name, 0
			d.wantText(":" + name)
		}
	})
}

// helpText returns all lines of the help as it is before something is searched for.
func helpText(a App) string {
	return ansi.Strip(strings.Join(a.overlays.help.Lines(a.env, a.helpParts(), pane.MaxProseWidth, 1000, math.MaxInt), "\n"))
}

// The help survives a terminal that becomes too small for it, and comes back.
func TestHelpOnATerminalThatShrinks(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 80, 24, filterSettings(), func(d *driver) {
		d.press("?")
		before := d.frame()
		for _, size := range [][2]int{{80, 2}, {20, 24}, {0, 0}, {1, 1}, {80, 24}} {
			d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			d.press("down", "up")
			d.frame()
		}
		if d.frame() != before {
			t.Error("the help is not what it was")
		}
	})
}

// The help of a view is one page, and two on a small terminal: the keys of the view, all of them, on the first page, and what is under the
// cursor. Tab shows the rest below it, the glossary last; no line is cut, and at 80 there is one column. ^D and ^U scroll it, as the help
// says they do.
func TestHelpBeginsWithTheKeys(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 60}} {
		for _, keys := range [][]string{nil, {"2"}, {"3", "3"}, {"S"}, {"C"}, {"G", "enter"}, {"0"}, {"L"}} {
			drive(t, madeRun(3), size[0], size[1], filterSettings(), func(d *driver) {
				d.press(keys...)
				d.press("?")
				d.wantText("keys: " + d.app.viewOpen().Keys().Name)
				page := d.app.overlays.help.Shown
				pages := 1
				if size[0] == 80 {
					pages = 2
				}
				if n := len(page.Lines); n > pages*page.Across*page.H {
					t.Errorf("%v %v: %d lines of help, more than %d pages of %d", size, keys, n, pages, page.Across*page.H)
				}
				if n := slices.Index(page.Lines, ""); n > page.Across*page.H {
					t.Errorf("%v %v: the keys of the view take %d lines, more than a page", size, keys, n)
				}
				short := ansi.Strip(strings.Join(page.Lines, "\n"))
				for _, b := range d.app.viewOpen().Keys().Bindings {
					if !strings.Contains(strings.Join(strings.Fields(short), " "), b.Doc) {
						t.Errorf("%v %v: the help does not say what %s does: %s", size, keys, b.Label, b.Doc)
					}
				}
				if !strings.Contains(short, "under the cursor") {
					t.Errorf("%v %v: nothing under the cursor is explained", size, keys)
				}
				d.press("tab")
				first := ansi.Strip(d.frame())
				page = d.app.overlays.help.Shown
				if size[0] == 80 && page.Across != 1 {
					t.Errorf("%d columns at 80", page.Across)
				}
				last := -1
				for _, title := range []string{"keys: ", "under the cursor", "fates of a group", "signs", "keys: settings", "commands", "metrics on this screen"} {
					at := slices.IndexFunc(page.Lines, func(line string) bool { return strings.HasPrefix(ansi.Strip(line), title) })
					if at <= last {
						t.Errorf("%v %v: %q is line %d, after line %d", size, keys, title, at, last)
					}
					last = at
				}
				for _, line := range page.Lines {
					if n := ansi.StringWidth(line); n > size[0]/page.Across-2 {
						t.Errorf("%q has %d cells of %d", line, n, size[0]/page.Across-2)
					}
				}
				if d.press("ctrl+d"); ansi.Strip(d.frame()) == first {
					t.Error("^D does not scroll")
				}
				if d.press("ctrl+u"); ansi.Strip(d.frame()) != first {
					t.Error("^U does not scroll back")
				}
			})
		}
	}
}

// figuresOfScenes are names of figures that a person sees in the scenes, whose help must explain them.
func figuresOfScenes() map[string][]string {
	header := []string{"reward", "signal", "train"}
	return map[string][]string{
		"overview": append(header, "kept", "Σ|A|", "fate", "prompt", "n", "original", "processed", "std", "at 0", "flips", "max |A|", "effective", "pass@k", "length", "invalid"),
		"baseline": append(header, "Δ", "A baseline", "B candidate", "std"),
		"metrics":  append(header, "critic/score/mean", "critic/advantages_processed/std", "vantage/effective_samples", "sample_distribution/kept_total", "pass@1"),
		"warnings": append(header, "sign-flips", "invalid-rewards", "effective-ratio"),
		"group":    append(header, "#", "reward", "tokens", "orig", "proc", "drop", "alive", "reward component"),
		"sweep":    append(header, "kept", "★", "☆", "killed", "short", "train", "effective", "flips", "Σ|A|", "mean of all", "std of all", "+ : −"),
		"chain": append(header, "admitted", "refill", "kept", "Σ|A|", "train", "signal", "removed", "tokens kept", "mean w", "unjudged", "Σw|A|", "−/+", "dilution",
			"longest quarter"),
		"groupsize":   append(header, "size", "dead", "range", "all wrong", "all correct", "cost"),
		"offpolicy":   append(header, "mean |d|", "k3", "ESS", "top 1", "unscored", "lag", "emptied", "Σ|A| kept", "staleness", "rule", "sweep of a bound"),
		"tokens":      append(header, "#", "geo", "tokens", "orig"),
		"breakdown":   append(header, "difficulty", "samples", "groups", "Σ|A|", "push", "tokens"),
		"prompts":     append(header, "state", "seen", "rate", "trend", "signal", "Σ|A|", "tokens", "Σ|A|/1k", "last_step"),
		"breakdownby": append(header, "push", "tokens"),
		"steps":       append(header, "vantage/signal", "critic/score/mean", "step", "samples", "groups", "kept", "Σ|A|", "flips"),
		"compare":     append(header, "baseline", "candidate", "Δ", "samples", "win rate", "p", "mean Δ", "±"),
		"answers":     append(header, "baseline", "candidate", "Δ", "reward", "tokens"),
	}
}

// The help of every scene explains each figure that a person sees there, and each name of the glossary that is
// on the frame.
func TestHelpExplainsEveryFigureOnTheScreen(t *testing.T) {
	t.Parallel()
	repotest.OneGoroutine(t)
	everydayWords := []string{"all", "rows", "row", "open", "step", "group", "name", "kept", "reward", "rate", "rates", "cut", "size", "samples", "from", "to", "prompts", "original", "steps", "index", "rollout", "rollouts", "logged", "compared", "over"}
	synonyms, words := map[string][]string{}, map[string]*regexp.Regexp{}
	for _, place := range figures.Places() {
		for _, e := range figures.All(place) {
			for _, name := range e.AllNames() {
				if len(name) > 1 && !slices.Contains(everydayWords, name) {
					synonyms[name] = append(synonyms[name], e.AllNames()...)
					words[name] = regexp.MustCompile(`(^|[^\pL\pN_/.])` + regexp.QuoteMeta(name) + `($|[^\pL\pN_/])`)
				}
			}
		}
	}
	seen := figuresOfScenes()
	for _, s := range scenes() {
		wanted := seen[s.name]
		delete(seen, s.name)
		t.Run(s.name, func(t *testing.T) {
			repotest.OneIn(t, 3)
			s.show(t, [2]int{200, 60}, func(d *driver) {
				if d.app.line() != nil || d.app.env.Result.Analysis == nil || d.app.overlays.help.Open || d.app.position.view == view.Copy {
					return // ? is typed, or there is nothing to explain
				}
				d.app.overlays.notice = ""
				frame := ansi.Strip(strings.Join(d.app.linesAbove(), "\n"))
				d.press("?")
				help := helpText(d.app)
				explains := func(name string) bool { return strings.Contains("\n"+help, "\n"+name+"  ") }
				for _, name := range wanted {
					if !explains(name) {
						t.Errorf("the help does not explain %q:\n%s", name, help)
					}
				}
				for name, word := range words {
					if strings.Contains(frame, name) && word.MatchString(frame) && !slices.ContainsFunc(synonyms[name], explains) {
						t.Errorf("%s is on the frame, and the help does not explain it", name)
					}
				}
			})
		})
	}
	for name := range seen {
		t.Errorf("there is no scene %q", name)
	}
}
