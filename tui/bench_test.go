package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
)

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

// BenchmarkHelp draws the help over a screen of 200×60.
func BenchmarkHelp(b *testing.B) {
	d := largeStep(b, 128, 16)
	d.press("?")
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
		{"estimator", "", []string{"e"}}, // of a framework that skips none: a notice of what is skipped takes seconds to end
		{"framework", "p", []string{"f"}},
	} {
		for _, n := range []int{2_048, 16_384, 131_072, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				d := largeStep(b, n/16, 16)
				if c.before != "" {
					d.press(c.before)
				}
				if c.name == "estimator" {
					d.app.env.Settings.Now = d.app.env.Settings.Now.WithFramework("rllm")
				}
				press := func(i int) {
					d.press(c.keys[i%len(c.keys)])
					d.frame()
					if d.app.overlays.notice != "" {
						b.Fatalf("the notice %q is measured, not the key", d.app.overlays.notice)
					}
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
	const gcPercent = 30 // that of internal/commands
	before := debug.SetGCPercent(gcPercent)
	b.Cleanup(func() { debug.SetGCPercent(before) })
	block := model.Block{Prompts: []model.Prompt{{}}}
	for g := range groups {
		block.Prompts = append(block.Prompts, model.Prompt{Hash: uint64(g + 1), Preview: fmt.Sprintf("question %d of many, whose text goes on for a while", g)})
		for i := range size {
			n := g*size + i
			block.Step, block.Offset = append(block.Step, 1), append(block.Offset, int64(n)*100)
			block.Reward, block.Length = append(block.Reward, float64(n*7919%11)/10), append(block.Length, int32(1+n%4096))
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

// BenchmarkSteps draws the steps of a run of 1,000 at 200×60, and changes the step.
func BenchmarkSteps(b *testing.B) {
	d := &driver{t: b, app: New(context.Background(), madeRun(1000), Options{Title: "runs/made", Settings: filterSettings()})}
	d.app.work.throttled = true // one refresh at the end instead of two a second
	d.send(tea.WindowSizeMsg{Width: 200, Height: 60})
	d.run(readChunk(d.app.commands.Ctx, d.app.source, 0))
	d.send(throttleEndedMsg{})
	d.press("3", "3", "+")
	b.Run("frame", func(b *testing.B) {
		for b.Loop() {
			d.frame()
		}
	})
	b.Run("scrub", func(b *testing.B) {
		for b.Loop() {
			d.press("k")
			d.frame()
		}
	})
}

func BenchmarkGroupView(b *testing.B) {
	long := func(model.Record) (model.Text, error) {
		text, _ := proofText(model.Record{})
		text.Response = strings.Repeat(text.Response, 2000)
		return text, nil
	}
	d := &driver{t: &testing.T{}, app: New(context.Background(), madeRunWithTexts(1, long), Options{Settings: filterSettings()})}
	for _, msg := range []tea.Msg{tea.WindowSizeMsg{Width: 200, Height: 60}} {
		d.send(msg)
	}
	d.run(readChunk(d.app.commands.Ctx, d.app.source, 0))
	d.press("enter", "tab", "/", "e")
	for b.Loop() {
		_ = d.app.frame()
	}
}
