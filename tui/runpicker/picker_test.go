package runpicker

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vantage/model/runlist"
)

var testTime = time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)

// noFinder finds nothing: tests send what is found themselves.
type noFinder struct{ longer bool }

func (*noFinder) Next(context.Context) ([]runlist.Run, error) { return nil, io.EOF }
func (*noFinder) Looked() runlist.Looked                      { return runlist.Looked{} }

func newPicker(w, h int) Picker {
	p := New(context.Background(), Options{
		Dir: "~/runs", Theme: "dark", Now: func() time.Time { return testTime },
		Look: func(longer bool) Finder { return &noFinder{longer} },
	})
	return send(p, tea.WindowSizeMsg{Width: w, Height: h})
}

func send(p Picker, msg tea.Msg) Picker {
	next, _ := p.Update(msg)
	return next.(Picker)
}

func found(p Picker, runs ...runlist.Run) Picker { return send(p, foundMsg{p.finder, runs, nil}) }

// press presses keys: names of special ones, or characters.
func press(p Picker, keys ...string) Picker {
	special := map[string]tea.KeyPressMsg{
		"down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape},
		"space": {Code: tea.KeySpace, Text: " "}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace}, "ctrl+r": {Code: 'r', Mod: tea.ModCtrl},
	}
	for _, key := range keys {
		msg, ok := special[key]
		if !ok {
			r, _ := utf8.DecodeRuneInString(key)
			msg = tea.KeyPressMsg{Code: r, Text: key}
		}
		p = send(p, msg)
	}
	return p
}

// run returns a run that was written so many minutes ago.
func run(name string, minutes int) runlist.Run {
	return runlist.Run{ID: "/" + name, Name: name, Paths: []string{name}, Format: "verl", LastWrite: testTime.Add(-time.Duration(minutes) * time.Minute)}
}

func chosenNames(p Picker) (names []string) {
	for _, r := range p.Chosen() {
		names = append(names, r.Name)
	}
	return names
}

func TestEnterOpensTheFreshestUnlessTheCursorMoves(t *testing.T) {
	p := found(newPicker(80, 24), run("old", 60), run("new", 1))
	if got := chosenNames(press(p, "enter")); !slices.Equal(got, []string{"new"}) {
		t.Errorf("Enter opens %q", got)
	}
	if got := chosenNames(press(p, "down", "enter")); !slices.Equal(got, []string{"old"}) {
		t.Errorf("down and Enter open %q", got)
	}
	if got := chosenNames(press(newPicker(80, 24), "enter")); got != nil {
		t.Errorf("Enter opens %q of nothing", got)
	}
}

// A run that is found later does not move the cursor from its run, nor from its line of the screen.
func TestCursorStaysWhenMoreIsFound(t *testing.T) {
	p := newPicker(80, 24)
	for i := range 30 {
		p = found(p, run(fmt.Sprintf("run%d", i), 100+i))
	}
	for range 25 {
		p = press(p, "down")
	}
	before, _ := p.selected()
	line := p.lineOf(p.cursor) - p.top
	p = found(p, run("fresh1", 1), run("fresh2", 2), run("older", 1000))
	if after, _ := p.selected(); after.ID != before.ID || p.lineOf(p.cursor)-p.top != line {
		t.Errorf("the cursor went from %s in line %d to %s in line %d", before.Name, line, after.Name, p.lineOf(p.cursor)-p.top)
	}
	if got := found(newPicker(80, 24), run("a", 5)); found(got, run("b", 1)).cursor != 0 {
		t.Error("the cursor left the top before it was moved")
	}
}

func TestSpaceMarksTwoRunsToCompare(t *testing.T) {
	p := found(newPicker(80, 24), run("a", 1), run("b", 2), run("c", 3))
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"space", "enter"}, "a"},
		{[]string{"space", "down", "enter"}, "a b"},
		{[]string{"down", "down", "space", "up", "up", "enter"}, "c a"},
		{[]string{"space", "down", "space", "down", "enter"}, "a b"},
		{[]string{"space", "down", "space", "down", "space", "enter"}, "a c"},
		{[]string{"space", "space", "down", "enter"}, "b"},
		{[]string{"space", "esc", "down", "enter"}, "b"},
		{[]string{"space", "/", "c", "enter"}, "a c"},
	} {
		if got := strings.Join(chosenNames(press(p, c.keys...)), " "); got != c.want {
			t.Errorf("%q opens %q, want %q", c.keys, got, c.want)
		}
	}
}

// Letters filter at once; q quits, but is a letter of a filter that has begun, and begins one where a word of a name does.
func TestTypingFilters(t *testing.T) {
	p := found(newPicker(80, 24), run("runs/qwen", 1), run("runs/math-qwq", 2), run("runs/other", 3))
	for keys, want := range map[string]string{"math": "runs/math-qwq", "/qwen": "runs/qwen", "qwen": "runs/qwen", "mq": "runs/math-qwq", "other": "runs/other"} {
		if got := chosenNames(press(press(p, strings.Split(keys, "")...), "enter")); !slices.Equal(got, []string{want}) {
			t.Errorf("%q opens %q, want %q", keys, got, want)
		}
	}
	if frame := ansi.Strip(p.frame()); strings.Contains(frame, "q quit") || !strings.Contains(frame, "^C quit") {
		t.Errorf("the hints tell of another key than ^C to quit:\n%s", frame)
	}
	noneWithQ := found(newPicker(80, 24), run("runs/other", 1), run("runs/seq", 2))
	if _, cmd := noneWithQ.Update(tea.KeyPressMsg{Code: 'q', Text: "q"}); cmd == nil || cmd() != tea.Quit() || !strings.Contains(ansi.Strip(noneWithQ.frame()), "q quit") {
		t.Error("q does not quit")
	}
	filtered := press(p, "m", "q")
	if got := len(press(filtered, "backspace", "backspace").rows); got != 3 {
		t.Errorf("after the filter is deleted %d rows are shown", got)
	}
	if got := press(filtered, "esc"); len(got.rows) != 3 || got.typing {
		t.Error("Esc does not remove the filter")
	}
	if got := press(p, "z", "z"); !strings.Contains(ansi.Strip(got.frame()), "nothing here matches zz") || press(got, "enter").Chosen() != nil {
		t.Error("a filter that nothing matches is not explained")
	}
}

// ^R looks for longer, and answers of the search before are dropped.
func TestLookAgain(t *testing.T) {
	p := newPicker(80, 24)
	first := p.finder
	p = send(p, foundMsg{first, nil, io.EOF})
	if !strings.Contains(ansi.Strip(p.frame()), "vantage demo") {
		t.Error("nothing found, and nothing said of what to do")
	}
	p = press(p, "ctrl+r")
	if finder, ok := p.finder.(*noFinder); !ok || !finder.longer || !p.looking {
		t.Error("^R does not look for longer")
	}
	if p = send(p, foundMsg{first, []runlist.Run{run("late", 1)}, nil}); len(p.rows) != 0 {
		t.Error("an answer of the first search came through")
	}
}

// Words on ages change once a minute at most, and never once nothing changes them.
func TestClock(t *testing.T) {
	p := found(newPicker(80, 24), run("a", 3))
	if want := testTime.Add(time.Minute); !p.nextClock.Equal(want) {
		t.Errorf("the next change is at %s, want %s", p.nextClock, want)
	}
	if p := found(newPicker(80, 24), run("a", 200*24*60)); !p.nextClock.IsZero() {
		t.Error("an old log keeps the clock going")
	}
}

// The wheel moves, a click selects, a second one opens.
func TestMouse(t *testing.T) {
	p := found(newPicker(80, 24), run("a", 1), run("b", 2), run("c", 3))
	click := tea.MouseClickMsg{X: 10, Y: headHeight + 1, Button: tea.MouseLeft}
	p = send(p, click)
	if r, _ := p.selected(); r.Name != "b" {
		t.Errorf("the click selects %s", r.Name)
	}
	if got := chosenNames(send(p, click)); !slices.Equal(got, []string{"b"}) {
		t.Errorf("the second click opens %q", got)
	}
	if r, _ := send(p, tea.MouseWheelMsg{Button: tea.MouseWheelDown}).selected(); r.Name != "c" {
		t.Errorf("the wheel goes to %s", r.Name)
	}
	if p := send(p, tea.MouseClickMsg{X: 1, Y: 20, Button: tea.MouseLeft}); p.Chosen() != nil {
		t.Error("a click below the list opens something")
	}
}

// Whatever is found and typed, the screen is filled exactly, and no control character is sent.
func TestAnyScreenIsFilled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 220).Draw(t, "w"), rapid.IntRange(1, 70).Draw(t, "h")
		ascii := rapid.Bool().Draw(t, "ascii")
		p := newPicker(w, h)
		p.options.ASCII = ascii
		p.options.Dir = rapid.String().Draw(t, "dir")
		for i := range rapid.IntRange(0, 40).Draw(t, "runs") {
			r := run(fmt.Sprint(i), rapid.IntRange(-10, 1e6).Draw(t, "age"))
			r.Name, r.Format, r.Elsewhere = rapid.String().Draw(t, "name"), rapid.SampledFrom([]string{"", "trl", "unstable-baselines"}).Draw(t, "format"), rapid.Bool().Draw(t, "elsewhere")
			p = found(p, r)
		}
		keys := []string{"down", "up", "end", "space", "esc", "?", "/", "backspace", "ctrl+r", "a", "\x1b", "\u202e", "一"}
		for range rapid.IntRange(0, 8).Draw(t, "keys") {
			p = press(p, rapid.SampledFrom(keys).Draw(t, "key"))
		}
		lines := strings.Split(p.frame(), "\n")
		if len(lines) != h {
			t.Fatalf("%d lines, want %d", len(lines), h)
		}
		for _, line := range lines {
			if got := ansi.StringWidth(line); got != w {
				t.Fatalf("%d cells, want %d: %q", got, w, line)
			}
			for _, r := range ansi.Strip(line) {
				if unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Bidi_Control, r) || ascii && r >= utf8.RuneSelf {
					t.Fatalf("%U is on the screen: %q", r, line)
				}
			}
		}
	})
}

// Every key of the table changes the screen or ends it, in a list with a filter and a mark.
func TestEveryKeyDoesSomething(t *testing.T) {
	p := newPicker(80, 14)
	for i := range 30 {
		p = found(p, run(fmt.Sprintf("run%d", i), i))
	}
	p = press(send(p, foundMsg{p.finder, nil, io.EOF}), "r", "down", "space", "down", "down")
	for _, k := range Keys() {
		for _, name := range k.names {
			at := p
			if name == "q" || name == "/" { // letters of a filter that has begun
				at = press(p, "esc")
			}
			next := k.action(at).scrolled()
			if next.started == nil && next.frame() == at.frame() {
				t.Errorf("%s does nothing", name)
			}
		}
	}
}

// Every key has one row, and is explained there or in the row before.
func TestKeys(t *testing.T) {
	seen := map[string]bool{}
	for i, k := range Keys() {
		if (k.Doc == "") != (k.Label == "") || k.action == nil || k.Label == "" && i == 0 {
			t.Errorf("%v is not explained or does nothing", k.names)
		}
		for _, name := range k.names {
			if seen[name] {
				t.Errorf("%s is bound twice", name)
			}
			seen[name] = true
		}
	}
}

// Runs in sight are read one at a time, each once, the first first; what is chosen ends that.
func TestRunsInSightAreRead(t *testing.T) {
	var read []string
	p := New(context.Background(), Options{
		Dir: "~/runs", Theme: "dark", Now: func() time.Time { return testTime }, Look: func(bool) Finder { return &noFinder{} },
		Examine: func(ctx context.Context, r runlist.Run) runlist.Contents {
			read = append(read, r.Name)
			if ctx.Err() != nil {
				return runlist.Contents{}
			}
			return runlist.Contents{Steps: 12, Samples: 3456, Health: "length_collapse since 7", Ill: true}
		},
	})
	p = send(p, tea.WindowSizeMsg{Width: 120, Height: 10}) // four runs are in sight
	for i := range 9 {
		p = found(p, run(fmt.Sprintf("r%d", i), i))
	}
	for p.examining {
		r, _ := p.selected()
		p.examining = false
		next, examine := p.examineNext()
		if p = next; examine != nil {
			p = send(p, examine())
		}
		if now, _ := p.selected(); now.ID != r.ID {
			t.Errorf("the cursor went to %s", now.Name)
		}
	}
	if want := []string{"r0", "r1", "r2", "r3"}; !slices.Equal(read, want) {
		t.Errorf("%v were read, want %v", read, want)
	}
	if frame := ansi.Strip(p.frame()); strings.Count(frame, "length_collapse since 7") != 4 || !strings.Contains(frame, " 3,456 ") && !strings.Contains(frame, " 3456 ") {
		t.Errorf("\n%s", frame)
	}
	ctx := p.ctx
	if press(p, "enter"); ctx.Err() == nil {
		t.Error("reading goes on after the run is opened")
	}
}

// What ails a run is a whole word at each width, with its onset where there is room, and a run that was not read says so.
func TestHealthIsNotCut(t *testing.T) {
	for w, want := range map[int]string{80: "grader outage", 100: "grader outage", 120: "grader outage from 31 to 35"} {
		p := found(newPicker(w, 24), run("ill", 1), run("unread", 2))
		p.contents = map[string]runlist.Contents{run("ill", 1).ID: {Steps: 60, Samples: 960, Health: "grader outage from 31 to 35", Ill: true}}
		lines := strings.Split(ansi.Strip(p.frame()), "\n")
		row := func(name string) string {
			i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, "  "+name+" ") })
			return strings.TrimRight(lines[max(0, i)], " ")
		}
		if got := row("ill"); !strings.HasSuffix(got, "  "+want) {
			t.Errorf("%d columns: %q, want %q", w, got, want)
		}
		if got := row("unread"); !strings.HasSuffix(got, "  not read yet") {
			t.Errorf("%d columns: %q", w, got)
		}
	}
}

// The filter is edited as every line is; a name that is too long loses its middle.
func TestFilterIsEdited(t *testing.T) {
	p := found(newPicker(80, 24), run("runs/a-very-long-name-of-a-project/experiments/seed-17/rollouts", 1), run("other", 2))
	p = press(p, "/", "s", "e", "d")
	p = send(p, tea.KeyPressMsg{Code: tea.KeyLeft})
	p = press(p, "e")
	p = send(p, tea.PasteMsg{Content: "\n"})
	frame := ansi.Strip(p.frame())
	if !strings.Contains(frame, "/ see▏d") || len(p.rows) != 1 || !strings.Contains(frame, "runs/…d-17/rollouts") {
		t.Errorf("\n%s", frame)
	}
	if p = press(p, "backspace"); !strings.Contains(ansi.Strip(p.frame()), "/ se▏d") {
		t.Errorf("\n%s", ansi.Strip(p.frame()))
	}
}
