package tui

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/model"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/header"
	"vantage/tui/layout"
	"vantage/tui/view"
)

// anyText draws a text as models, people and broken files write.
func anyText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]string{
		"", "plain words", "一个盒子里有三个红球，", "🙂🍎", "👩‍👩‍👧", "🇩🇪", "שלום עולם", "مرحبا", "é̂̂̂", "ﾞ", "\u2028", "\t", "a\nb",
		"\x1b[2J\a\x00\u202e", "\xff\xfe", "$\\frac{1}{2}$ **bold**", "<think>why", "# ", "|a|b|\n|-|-|", "```\ncode", strings.Repeat("x", 300),
	}), rapid.String()), 0, 3).Draw(t, label), "")
}

// anyRun draws a run of few steps, groups and components, with any texts and numbers.
func anyRun(t *rapid.T) env.Source {
	number := rapid.OneOf(rapid.SampledFrom([]float64{0, 1, 0.5, -1, 1e300, math.NaN(), math.Inf(1), estimators.MissingReward()}), rapid.Float64Range(-9, 9))
	chunk := &model.Chunk{
		Format: "made", Provenance: anyText(t, "how"), Files: []string{anyText(t, "file")}, Notes: []string{anyText(t, "note")},
		HasTruth: true, LengthUnit: model.LengthTokens,
		Progress: model.Progress{Files: 1, CaughtUp: rapid.Bool().Draw(t, "all"), Open: rapid.Bool().Draw(t, "open"), BytesRead: 3, BytesAll: 10},
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "components") {
		chunk.ComponentNames = append(chunk.ComponentNames, anyText(t, "component")+strconv.Itoa(i)) // no two of one name
	}
	for step := range rapid.IntRange(0, 3).Draw(t, "steps") {
		for group := range rapid.IntRange(1, 4).Draw(t, "groups") {
			preview := anyText(t, "prompt")
			for range rapid.IntRange(1, 4).Draw(t, "samples") {
				r := model.Record{
					Step: int64(step), Prompt: uint64(group + 1), Preview: preview, Reward: number.Draw(t, "reward"), Advantage: number.Draw(t, "advantage"),
					Length: rapid.Int32Range(-1, 1<<30).Draw(t, "length"), Offset: int64(len(chunk.Records)),
				}
				for range chunk.ComponentNames {
					r.Components = append(r.Components, number.Draw(t, "part"))
				}
				chunk.Records = append(chunk.Records, r)
			}
		}
	}
	for range rapid.IntRange(0, 12).Draw(t, "problems") {
		chunk.Problems = append(chunk.Problems, model.Problem{File: anyText(t, "file"), Line: rapid.Int64Range(0, 1<<40).Draw(t, "line"), Reason: anyText(t, "reason")})
	}
	text := model.Text{Prompt: anyText(t, "prompt"), Response: anyText(t, "response"), Truth: anyText(t, "truth"), Fields: []model.Field{{Name: anyText(t, "name"), Value: anyText(t, "value")}}}
	return &textSource{madeSource: &madeSource{chunks: []*model.Chunk{chunk}}, text: func(model.Record) (model.Text, error) { return text, nil }}
}

// anyDriver starts App on any run, in ASCII or not, at any size.
func anyDriver(tb testing.TB, t *rapid.T) *driver {
	tb.Helper()
	o := Options{Title: anyText(t, "title"), Settings: filterSettings(), ASCII: rapid.Bool().Draw(t, "ascii"), NoColor: rapid.Bool().Draw(t, "mono"), SecondTitle: anyText(t, "other")}
	if rapid.Bool().Draw(t, "two") {
		o.Second = anyRun(t)
	}
	d := &driver{t: tb, app: New(context.Background(), anyRun(t), o)}
	d.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 400).Draw(t, "w"), Height: rapid.IntRange(1, 120).Draw(t, "h")})
	d.run(d.app.Init())
	return d
}

// pressAnyKeys presses any keys, types any text and changes the size in between.
func pressAnyKeys(t *rapid.T, d *driver) {
	var keys []string
	for _, s := range allKeys() {
		for _, b := range s.Bindings {
			keys = append(keys, b.Keys...)
		}
	}
	for range rapid.IntRange(0, 8).Draw(t, "moves") {
		switch rapid.IntRange(0, 9).Draw(t, "move") {
		case 0:
			d.send(tea.WindowSizeMsg{Width: rapid.IntRange(40, 400).Draw(t, "w"), Height: rapid.IntRange(10, 120).Draw(t, "h")})
		case 1:
			d.send(tea.KeyPressMsg{Code: 'x', Text: anyText(t, "typed")})
		default:
			d.press(rapid.SampledFrom(keys).Draw(t, "key"))
		}
	}
}

// checkFills fails unless lines are exactly h lines of w cells without control characters.
func checkFills(t *rapid.T, lines []string, w, h int, ascii bool) {
	if len(lines) != h {
		t.Fatalf("%d lines of %d×%d", len(lines), w, h)
	}
	for i, line := range lines {
		if got := ansi.StringWidth(line); got != w {
			t.Fatalf("line %d of %d×%d has %d cells: %q", i, w, h, got, line)
		}
		for _, r := range ansi.Strip(line) {
			if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || ascii && r >= utf8.RuneSelf {
				t.Fatalf("%U is in line %d of %d×%d: %q", r, i, w, h, line)
			}
		}
	}
}

// The frame fills the screen exactly, whatever the run, the size and the keys.
func TestFrameFillsTheScreen(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 80, 24, filterSettings(), func(*driver) {
		rapid.Check(t, func(rt *rapid.T) {
			d := anyDriver(t, rt)
			pressAnyKeys(rt, d)
			checkFills(rt, strings.Split(d.frame(), "\n"), d.app.env.Display.W, d.app.env.Display.H, d.app.env.Display.Glyphs.ASCII)
		})
	})
}

// A pane fills its rectangle exactly, whatever that is.
func TestEveryPaneFillsItsRectangle(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 80, 24, filterSettings(), func(*driver) {
		rapid.Check(t, func(rt *rapid.T) {
			d := anyDriver(t, rt)
			pressAnyKeys(rt, d)
			if d.app.env.Result.Analysis == nil {
				return
			}
			r := layout.Rect{W: rapid.IntRange(2, 150).Draw(rt, "pane w"), H: rapid.IntRange(2, 60).Draw(rt, "pane h")}
			for p := range layout.Pane(layout.PaneCount) {
				checkFills(rt, d.app.views.panes.DrawPane(d.app.env, p, r), r.W, r.H, false)
			}
		})
	})
}

// Every view fills the body exactly, in every theme, of a log with log-probs too.
func TestEveryViewFillsTheBody(t *testing.T) {
	t.Parallel()
	for _, source := range []env.Source{madeRunWithTexts(3, proofText), staleRun(3)} {
		viewsFillTheBody(t, source)
	}
}

func viewsFillTheBody(t *testing.T, source env.Source) {
	t.Helper()
	drive(t, source, 120, 36, filterSettings(), func(d *driver) {
		d.press("enter", "esc", "S", "esc", "R", "esc")
		rapid.Check(t, func(rt *rapid.T) {
			w, h := rapid.IntRange(layout.MinWidth, 400).Draw(rt, "w"), rapid.IntRange(layout.MinHeight, 120).Draw(rt, "h")
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
			d.app.env.Display.Theme = rapid.SampledFrom(themes.All()).Draw(rt, "theme")
			d.app.env.Display.Glyphs = rapid.SampledFrom([]chart.Glyphs{chart.Unicode(), chart.ASCII()}).Draw(rt, "glyphs")
			d.press("R", rapid.SampledFrom([]string{"v", "V", "l", "j", "tab", "G"}).Draw(rt, "key"), "esc")
			room := h - len(header.Lines(d.app.env, w)) - 1
			for name := range view.Name(view.Count) {
				a := d.app
				a.position.view = name
				checkFills(rt, a.viewDrawn().Draw(a.envToDraw(), w, room), w, room, false)
			}
		})
	})
}
