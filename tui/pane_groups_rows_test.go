package tui

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/model"
)

// The table follows each character of the filter, Enter keeps it, a filter that nothing
// matches says what to do, and undo brings all groups back.
func TestFilterNarrowsTheTable(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		all := len(d.app.result.rows)
		d.press("/")
		for _, c := range "fate:aliv" {
			d.press(string(c))
		}
		if len(d.app.result.rows) != 0 {
			t.Errorf("half a fate shows %d groups", len(d.app.result.rows))
		}
		if text := ansi.Strip(d.frame()); !strings.Contains(text, fmt.Sprintf("No groups match fate:aliv (0/%d)", all)) {
			t.Error(text)
		}
		d.press("e", "enter")
		for _, g := range d.app.result.rows {
			if fate := d.app.result.analysis.Table[g].Fate; fate != model.FateAlive {
				t.Errorf("a group is %s", fate)
			}
		}
		alive := d.app.result.analysis.Fates[model.FateAlive]
		if text := ansi.Strip(d.frame()); len(d.app.result.rows) != alive || !strings.Contains(text, fmt.Sprintf("groups  [%d/%d] · fate:alive", alive, all)) {
			t.Errorf("%d of %d alive groups\n%s", len(d.app.result.rows), alive, text)
		}
		d.press("u")
		if len(d.app.result.rows) != all {
			t.Errorf("undo leaves %d of %d groups", len(d.app.result.rows), all)
		}
		d.press("/", "s", "t", "d", ">", "enter")
		if !strings.Contains(d.app.notice, "column 5: expected a value") || d.app.position.view != viewFilter {
			t.Errorf("notice %q", d.app.notice)
		}
		d.press("esc")
		if d.app.settings.filter != "" || d.app.position.view != viewOverview {
			t.Error("Esc does not leave")
		}
		d.press("/", "f", "l", "tab")
		if d.app.position.filterDraft != "flips" {
			t.Errorf("Tab makes %q", d.app.position.filterDraft)
		}
		d.typeText(">0 fate:k")
		d.press("tab")
		if d.app.position.filterDraft != "flips>0 fate:killed" {
			t.Errorf("Tab makes %q", d.app.position.filterDraft)
		}
	})
}

func TestSortingKeepsTheCursorOnItsGroup(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("j", "j")
		here := d.app.selectedGroup().Name
		for _, s := range sortings()[1:] {
			d.press("o")
			x := d.app.result.analysis
			if !slices.IsSortedFunc(d.app.result.rows, func(g, h int) int { return s.compare(&x.Table[g], &x.Table[h]) }) {
				t.Errorf("not %s", s.words)
			}
			if d.app.selectedGroup().Name != here {
				t.Errorf("%s: the cursor has left its group", s.words)
			}
		}
		d.press("o", "o", "O")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "prompt▼") || !strings.Contains(text, "by prompt, turned") {
			t.Error(text)
		}
	})
}

// Each figure is drawn, and the counts of a bin are shown.
func TestDistributionShowsEachFigure(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("v")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "2 rewards  all over kept") {
			t.Error(text)
		}
		d.press("l")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, " above, ") {
			t.Error(text)
		}
		for range d.app.distributions() {
			d.press("v", "L")
			d.frame()
		}
	})
}

// BenchmarkScroll moves the cursor in a table of 100,000 groups.
func BenchmarkScroll(b *testing.B) {
	d := largeStep(b, 100_000, 4)
	for b.Loop() {
		d.press("j")
		d.frame()
	}
}

// BenchmarkFrame draws a screen of 200×60.
func BenchmarkFrame(b *testing.B) {
	d := largeStep(b, 128, 16)
	for b.Loop() {
		d.frame()
	}
}

// warmupKeys is how many keys are pressed before the measured ones: the first ones touch new
// memory, which on a virtual machine takes longer than everything else.
const warmupKeys = 24

// BenchmarkKey changes a setting of a step of so many samples, up to the new frame.
func BenchmarkKey(b *testing.B) {
	for _, c := range []struct {
		name, before string
		keys         []string
	}{
		{"ratio", "", []string{"p", "p", "p", "P", "P", "P"}},
		{"recompute", "p", []string{"r"}},
		{"estimator", "p", []string{"e"}},
		{"framework", "p", []string{"f"}},
	} {
		for _, n := range []int{2_048, 16_384, 131_072, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				d := largeStep(b, n/16, 16)
				if c.before != "" {
					d.press(c.before)
				}
				press := func(i int) {
					d.press(c.keys[i%len(c.keys)])
					d.frame()
				}
				for i := range warmupKeys {
					press(i)
				}
				for i := warmupKeys; b.Loop(); i++ {
					press(i)
				}
			})
		}
	}
}

// largeStep returns App with one complete step of so many groups. It collects garbage as
// early as the program does: new memory is slow on a virtual machine.
func largeStep(b *testing.B, groups, size int) *driver {
	b.Helper()
	const gcPercent = 50 // that of loaders/commands
	before := debug.SetGCPercent(gcPercent)
	b.Cleanup(func() { debug.SetGCPercent(before) })
	block := model.Block{Prompts: []model.Prompt{{}}}
	for g := range groups {
		block.Prompts = append(block.Prompts, model.Prompt{Hash: uint64(g + 1), Preview: fmt.Sprintf("question %d of many, whose text goes on for a while", g)})
		for i := range size {
			n := g*size + i
			block.Step, block.Offset = append(block.Step, 1), append(block.Offset, int64(n)*100)
			block.Reward, block.Length = append(block.Reward, float64(n*7919%11)/10), append(block.Length, int32(n%4096))
			block.Prompt = append(block.Prompt, int32(g+1))
		}
	}
	source := &madeSource{chunks: []*model.Chunk{{
		Format: "made", Files: []string{"x"}, HasTruth: true, Blocks: []model.Block{block}, Progress: model.Progress{CaughtUp: true},
	}}}
	d := &driver{t: b, app: New(context.Background(), source, Options{Title: "made", Settings: model.DefaultSettings()})}
	d.send(tea.WindowSizeMsg{Width: 200, Height: 60})
	d.run(d.app.Init())
	return d
}

// Undo brings the order back like the filter, and the cursor stays on its group.
func TestUndoOrder(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("j", "j")
		group, rows := d.app.selectedGroup().Name, slices.Clone(d.app.result.rows)
		d.press("o", "O", "p")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "by prompt, turned") || slices.Equal(rows, d.app.result.rows) {
			t.Errorf("the order is not another:\n%s", text)
		}
		d.press("u", "u")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "by prompt") || strings.Contains(text, "turned") {
			t.Errorf("the first undo of the order leaves\n%s", text)
		}
		d.press("u")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "worst first") || !slices.Equal(rows, d.app.result.rows) || d.app.selectedGroup().Name != group {
			t.Errorf("the last undo leaves\n%s", text)
		}
		d.press("ctrl+r")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "by prompt") {
			t.Errorf("redo leaves\n%s", text)
		}
	})
}

// Long numbers are shortened, never cut.
func TestLargeFigures(t *testing.T) {
	var records []model.Record
	for i := range 5000 {
		records = append(records, model.Record{Step: 1, Group: "many", Reward: float64(i%1000) - 54_000, Advantage: math.NaN(), Length: -1})
	}
	for i := range 8 {
		records = append(records, model.Record{Step: 1, Group: "huge", Reward: 3.4e38 / float64(1+i), Advantage: math.NaN(), Length: -1})
	}
	source := &madeSource{chunks: []*model.Chunk{{Format: "jsonl", Records: records, Progress: model.Progress{CaughtUp: true}}}}
	drive(t, source, 80, 24, model.DefaultSettings(), func(d *driver) {
		frame := ansi.Strip(d.frame())
		for _, want := range []string{"-54k±289", " 5000 "} {
			if !strings.Contains(frame, want) {
				t.Errorf("no %q in\n%s", want, frame)
			}
		}
		if regexp.MustCompile(`\d…`).MatchString(frame) {
			t.Errorf("a number is cut:\n%s", frame)
		}
		d.press("enter")
		if frame := ansi.Strip(d.frame()); regexp.MustCompile(`\d…|\d{12}`).MatchString(frame) {
			t.Errorf("a number is cut, or too long:\n%s", frame)
		}
	})
}
