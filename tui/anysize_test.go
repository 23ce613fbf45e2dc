package tui

import (
	"math"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"vantage/model"
)

// anySize draws a size of the terminal, often one that nothing fits into.
func anySize(t *rapid.T) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{
		Width:  rapid.OneOf(rapid.IntRange(0, 220), rapid.IntRange(0, 3), rapid.IntRange(58, 64)).Draw(t, "w"),
		Height: rapid.OneOf(rapid.IntRange(0, 70), rapid.IntRange(0, 3), rapid.IntRange(14, 20)).Draw(t, "h"),
	}
}

// anyMouse draws what a hand does with a mouse, also beside the screen.
func anyMouse(t *rapid.T) tea.Msg {
	x, y := rapid.IntRange(-2, 222).Draw(t, "x"), rapid.IntRange(-2, 72).Draw(t, "y")
	switch rapid.IntRange(0, 3).Draw(t, "button") {
	case 0:
		return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}
	case 1:
		return tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft}
	case 2:
		return tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}
	}
	return tea.MouseWheelMsg{X: x, Y: y, Button: tea.MouseWheelDown}
}

// anyChunk draws rows of a step that come while the run is on the screen, or that its file is read again: then it shrinks,
// to nothing if no rows come.
func anyChunk(t *rapid.T) chunkMsg {
	chunk := &model.Chunk{Files: []string{"made.jsonl"}, Progress: model.Progress{Files: 1, CaughtUp: rapid.Bool().Draw(t, "all"), Open: rapid.Bool().Draw(t, "open")}}
	if rapid.Bool().Draw(t, "again") {
		chunk.Forget = []int32{0}
	}
	step := rapid.Int64Range(-3, 1<<40).Draw(t, "step")
	for i := range rapid.IntRange(0, 12).Draw(t, "rows") {
		chunk.Records = append(chunk.Records, model.Record{
			Step: step, Prompt: uint64(i/4 + 1), Preview: "a prompt", Reward: rapid.SampledFrom([]float64{0, 1, -1e300, 1e300, math.NaN(), math.Inf(-1)}).Draw(t, "reward"),
			Advantage: math.NaN(), Length: int32(i), Offset: int64(i),
		})
	}
	return chunkMsg{chunk: chunk, at: time.Date(2026, 1, 2, 14, 3, 22, 0, time.Local)}
}

// No view ends in a panic, and each fills the screen, whatever its size becomes between any keys, with the mouse on, and
// while the run grows and shrinks.
func TestAnySizeInAnyView(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, s := range allKeys() {
		for _, b := range s.Bindings {
			keys = append(keys, b.Keys...)
		}
	}
	drive(t, madeRun(1), 80, 24, filterSettings(), func(*driver) {
		rapid.Check(t, func(rt *rapid.T) {
			d := anyDriver(t, rt)
			d.app.env.Display.Mouse = true
			for range rapid.IntRange(1, 16).Draw(rt, "moves") {
				switch rapid.IntRange(0, 9).Draw(rt, "move") {
				case 0, 1, 2:
					d.send(anySize(rt))
				case 3:
					d.send(anyChunk(rt))
				case 4:
					d.send(anyMouse(rt))
				default:
					d.press(rapid.SampledFrom(keys).Draw(rt, "key"))
				}
				frame := d.frame()
				if w, h := d.app.env.Display.W, d.app.env.Display.H; w > 0 && h > 0 {
					checkFills(rt, strings.Split(frame, "\n"), w, h, d.app.env.Display.Glyphs.ASCII)
				}
				d.app.spots()
			}
		})
	})
}
