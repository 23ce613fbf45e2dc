package tui

import (
	"context"
	"fmt"
	"io"
	"math"
	rand "math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/estimators"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/tui/env"
)

// madeSource returns made chunks one by one and then io.EOF.
type madeSource struct{ chunks []*model.Chunk }

func (s *madeSource) Next(context.Context) (*model.Chunk, error) {
	if len(s.chunks) == 0 {
		return nil, io.EOF
	}
	chunk := s.chunks[0]
	s.chunks = s.chunks[1:]
	return chunk, nil
}

// madeRun returns a run of some steps with 24 groups of 8, of every fate but invalid: EasyR1 counts NaN and
// what is missing as 0.
func madeRun(steps int) *madeSource {
	random := rand.New(rand.NewPCG(1, 2))
	prompts := []string{
		"Compute 12 · 13", "Let ABC be a triangle with sides 13, 14 and 15. What is its area?",
		"一个盒子里有三个红球和两个蓝球，取出两个同色的概率是多少？", "Sort a linked list 🙂 in place",
		"What is the remainder of 7^100 on division by 13?", "\x1b[31mred\x1b[0m prompt with an escape",
	}
	source := &madeSource{}
	for step := range steps {
		chunk := &model.Chunk{
			Format: "made", Provenance: "made for a test", Files: []string{"made.jsonl"}, LengthUnit: model.LengthTokens, HasTruth: true,
			Progress: model.Progress{Files: 1, CaughtUp: true},
		}
		for g := range 24 {
			for i := range 8 {
				reward := math.Round(random.Float64()*10) / 10
				switch {
				case g%6 == 0:
					reward = 1
				case g%6 == 1:
					reward = 0
				case g%6 == 2:
					reward = math.Round(random.Float64() + float64(step)/40 - 0.2)
				case g == 9:
					reward = 0.7
				case g == 10 && i == 0:
					reward = math.NaN()
				case g == 11 && i == 0:
					reward = estimators.MissingReward()
				}
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(g + 1), Preview: fmt.Sprintf("%s (task %d)", prompts[g%len(prompts)], g),
					Reward: reward, Advantage: math.NaN(), Length: int32(100 + random.IntN(400)), Line: int64(g*8 + i + 1),
				})
			}
		}
		source.chunks = append(source.chunks, chunk)
	}
	return source
}

// foundBefore looks at no run: it says what ails one at once.
func foundBefore(d *diagnosis.Diagnosis) env.LookAtRun {
	return func(context.Context, model.Snapshot, model.Settings, *diagnosis.Look) (*diagnosis.Look, error) {
		return &diagnosis.Look{Diagnosis: d}, nil
	}
}

// readBefore reads answers of a run, and says what ails it at once.
func readBefore(d diagnosis.Diagnosis, texts env.TextReader) env.LookAtRun {
	return func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error) {
		look, err := diagnosis.See(ctx, snap, set, diagnosis.Reading{Texts: analysis.ReadTextsOf(texts)}, previous)
		if err == nil {
			d.Answers = look.Diagnosis.Answers
			look.Diagnosis = &d
		}
		return look, err
	}
}

// driver drives App as Bubble Tea does, by Update and View.
type driver struct {
	t   testing.TB
	app App
}

// drive starts App on a source at a size, lets it read the whole source, and calls f. Pauses
// take no time.
func drive(t *testing.T, source env.Source, w, h int, set model.Settings, f func(*driver)) {
	t.Helper()
	driveWith(t, source, w, h, Options{Settings: set}, f)
}

// driveWith is drive with more options than the settings. Unless these look at the run, it is healthy.
func driveWith(t *testing.T, source env.Source, w, h int, o Options, f func(*driver)) {
	t.Helper()
	repotest.OneGoroutine(t)
	if healthy := (diagnosis.Diagnosis{Steps: 100, Grounds: diagnosis.Grounds{SampleSteps: 100, Groups: 800}}); o.Look == nil {
		o.Look = foundBefore(&healthy)
		if texts, has := source.(*textSource); has {
			o.Look = readBefore(healthy, texts)
		}
	}
	o.Title, o.NoColor = "runs/made", true
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, app: New(context.Background(), source, o)}
		d.send(tea.WindowSizeMsg{Width: w, Height: h})
		d.run(d.app.Init())
		f(d)
	})
}

// send passes a message to App and runs the commands that follow from it.
func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	next, cmd := d.app.Update(msg)
	d.app = next.(App)
	d.run(cmd)
}

// run runs a command and sends its message.
func (d *driver) run(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil, tea.QuitMsg, clockMsg, noticeEndedMsg: // the clock stands still
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case chunkMsg:
		msg.at = time.Date(2026, 1, 2, 14, 3, 22, 0, time.Local)
		if msg.chunk != nil && len(msg.chunk.Records) > 0 && msg.chunk.Progress.LastWrite.IsZero() {
			msg.chunk.Progress.LastWrite = msg.at
		}
		d.send(msg)
	default:
		d.send(msg)
	}
}

// withoutCommands returns App as it is when its commands have been passed on.
func (a App) withoutCommands() App {
	a.commands.Started = nil
	return a
}

// press presses keys: single characters, or names such as "tab".
func (d *driver) press(keys ...string) {
	d.t.Helper()
	for _, key := range keys {
		d.send(keyPress(key))
	}
}

// keyPress returns the message of a key: a single character, or a name such as "tab".
func keyPress(key string) tea.KeyPressMsg {
	for held, mod := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt} {
		if name, ok := strings.CutPrefix(key, held); ok {
			return tea.KeyPressMsg{Code: keyPress(name).Code, Mod: mod}
		}
	}
	if msg, ok := map[string]tea.KeyPressMsg{
		"tab": {Code: tea.KeyTab}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight},
		"pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete}, "space": {Code: tea.KeySpace, Text: " "}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift},
	}[key]; ok {
		return msg
	}
	return tea.KeyPressMsg{Code: []rune(key)[0], Text: key}
}

// frame returns the screen.
func (d *driver) frame() string { return d.app.frame() }

// filterSettings returns settings under which every part of the screen has something to show.
func filterSettings() model.Settings {
	set := model.DefaultSettings()
	set.KeepPos, set.KeepNeg, set.Recompute = 0.7, 0.5, true
	set.Assumed = true // the made runs are of no trainer
	return set
}

// typeText presses each character.
func (d *driver) typeText(text string) {
	for _, c := range text {
		d.press(string(c))
	}
}

// wantText fails unless every text is on the screen.
func (d *driver) wantText(wanted ...string) {
	d.t.Helper()
	frame := ansi.Strip(d.frame())
	for _, want := range wanted {
		if !strings.Contains(frame, want) {
			d.t.Errorf("%q is not on the screen:\n%s", want, frame)
		}
	}
}
