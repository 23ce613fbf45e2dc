// Package runpicker is the first screen of the program when it is started without a path: a list of
// runs, to choose one to open or two to compare.
//
// In: a [Finder], which finds runs while the list is on the screen. Out: the runs that were chosen
// ([Picker.Chosen]). main runs it and opens them. It draws once for each key and each time more
// runs are found, and otherwise when the words on how old a log is change, which is once a minute
// at most.
package runpicker

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vantage/model/runlist"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
)

// Finder finds runs. Package loaders has one.
type Finder interface {
	// Next waits for runs and returns them. It returns io.EOF when there are no more.
	Next(ctx context.Context) ([]runlist.Run, error)
	// Looked says how far was looked so far.
	Looked() runlist.Looked
}

// Options are what the screen is started with.
type Options struct {
	Dir     string                   // where runs are looked for, as a person reads it
	Look    func(longer bool) Finder // starts to look; longer if a person asks for it
	Examine func(context.Context, runlist.Run) runlist.Contents
	ASCII   bool          // draw with ASCII characters only
	NoColor bool          // even if the terminal has colours
	Theme   string        // by name; "" asks the terminal whether it is dark or light
	Assumed *themes.Theme // until the terminal tells its background; nil: one for any
	Mouse   bool
	Now     func() time.Time // nil: the clock
}

// Picker is the state of the screen.
type Picker struct {
	ctx     context.Context
	options Options
	finder  Finder
	looking bool
	list    runlist.List
	rows    []int // positions in list, in the order of the screen

	contents  map[string]runlist.Contents // by ID, of the runs that were examined; never written in place
	examining bool
	giveUp    context.CancelFunc // ends ctx

	filter   cells.Line
	typing   bool     // every letter is part of the filter
	cursor   int      // in rows
	moved    bool     // the cursor stays on its run; until then on the first one
	top      int      // line of the list that is the first in sight
	marked   []string // IDs of at most two runs, in the order of marking
	helpOpen bool
	helpTop  int // the first line of the help in sight
	chosen   []runlist.Run

	started    tea.Cmd // by the message that is being handled
	theme      *themes.Theme
	themeFixed bool
	w, h       int
	now        time.Time
	nextClock  time.Time // when the words on ages change; zero if nothing waits for it
}

// New returns the screen's model.
func New(ctx context.Context, o Options) Picker {
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx, giveUp := context.WithCancel(ctx)
	p := Picker{ctx: ctx, giveUp: giveUp, options: o, finder: o.Look(false), looking: true, now: o.Now()}
	p.theme, p.themeFixed = themes.First(o.Theme, o.Assumed, o.NoColor)
	return p
}

// Chosen returns the runs to open: none if the person quit, one, or two to compare.
func (p Picker) Chosen() []runlist.Run { return p.chosen }

type foundMsg struct {
	finder Finder
	runs   []runlist.Run
	err    error
}

// examinedMsg is what reading a run has told.
type examinedMsg struct {
	id       string
	contents runlist.Contents
}

type clockMsg struct{}

// Init starts to look.
func (p Picker) Init() tea.Cmd { return p.next() }

func (p Picker) next() tea.Cmd {
	ctx, finder := p.ctx, p.finder
	return func() tea.Msg {
		runs, err := finder.Next(ctx)
		return foundMsg{finder, runs, err}
	}
}

// Update handles a message.
func (p Picker) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p.now, p.started = p.options.Now(), nil
	p, tick := p.handle(msg).scrolled().waitForAge()
	p, examine := p.examineNext()
	return p, tea.Batch(p.started, tick, examine)
}

// examineNext reads the first run in sight that was not read yet, one at a time: a node that trains has other work.
func (p Picker) examineNext() (Picker, tea.Cmd) {
	if p.examining || p.options.Examine == nil || len(p.chosen) > 0 {
		return p, nil
	}
	all := p.lines()
	for _, l := range all[min(p.top, len(all)):min(len(all), p.top+p.bodyHeight())] {
		if l.row < 0 {
			continue
		}
		r := p.list.Runs()[p.rows[l.row]]
		if _, known := p.contents[r.ID]; !known {
			p.examining = true
			ctx, examine := p.ctx, p.options.Examine
			return p, func() tea.Msg { return examinedMsg{r.ID, examine(ctx, r)} }
		}
	}
	return p, nil
}

func (p Picker) handle(msg tea.Msg) Picker {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return p.onKey(msg)
	case foundMsg:
		return p.onFound(msg)
	case examinedMsg:
		p.examining, p.contents = false, maps.Clone(p.contents)
		if p.contents == nil {
			p.contents = map[string]runlist.Contents{}
		}
		p.contents[msg.id] = msg.contents
	case tea.PasteMsg:
		return p.typed(strings.Join(strings.Fields(msg.Content), " "))
	case tea.WindowSizeMsg:
		p.w, p.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		if !p.themeFixed {
			p.theme = themes.Default(msg.IsDark())
		}
	case tea.ColorProfileMsg:
		if msg.Profile <= colorprofile.ASCII {
			p.theme, p.themeFixed = themes.Mono(), true
		}
	case tea.MouseMsg:
		return p.onMouse(msg)
	case clockMsg:
		p.nextClock = time.Time{}
	}
	return p
}

func (p Picker) onFound(msg foundMsg) Picker {
	switch {
	case msg.finder != p.finder: // one that was replaced
		return p
	case msg.err != nil:
		p.looking = false
		return p
	}
	selected, _ := p.selected()
	line := p.lineOf(p.cursor)
	p.list = p.list.Add(msg.runs...)
	p.rows = p.list.Match(p.filter.Text)
	if p.moved {
		p.cursor = max(0, slices.IndexFunc(p.rows, func(i int) bool { return p.list.Runs()[i].ID == selected.ID }))
		p.top += p.lineOf(p.cursor) - line // it stays where it is on the screen
	}
	p.started = p.next()
	return p
}

// waitForAge requests the moment at which the words on ages change.
func (p Picker) waitForAge() (Picker, tea.Cmd) {
	var next time.Time
	for _, r := range p.list.Runs() {
		for _, at := range []time.Time{runlist.NextAge(r.LastWrite, p.now), runlist.NextAge(r.Opened, p.now)} {
			if !at.IsZero() && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
	}
	if next.IsZero() || !p.nextClock.IsZero() {
		return p, nil
	}
	wait := max(time.Minute, next.Sub(p.now))
	p.nextClock = p.now.Add(wait)
	return p, tea.Tick(wait, func(time.Time) tea.Msg { return clockMsg{} })
}

func (p Picker) selected() (r runlist.Run, ok bool) {
	if p.cursor >= len(p.rows) {
		return r, false
	}
	return p.list.Runs()[p.rows[p.cursor]], true
}

// toOpen returns the runs that Enter opens: the marked one and the one under the cursor, the two
// marked ones, or the one under the cursor.
func (p Picker) toOpen() []runlist.Run {
	var runs []runlist.Run
	for _, id := range p.marked {
		if i := p.list.Find(id); i >= 0 {
			runs = append(runs, p.list.Runs()[i])
		}
	}
	if r, ok := p.selected(); ok && len(runs) < 2 && (len(runs) == 0 || runs[0].ID != r.ID) {
		runs = append(runs, r)
	}
	return runs
}

// setFilter shows the runs that a filter means, the best first.
func (p Picker) setFilter(line cells.Line) Picker {
	p.filter, p.cursor, p.top, p.moved = line, 0, 0, line.Text != ""
	p.rows = p.list.Match(line.Text)
	return p
}

const maxFilter = 200

// typed adds what was typed to the filter.
func (p Picker) typed(text string) Picker {
	if text = sanitize.Line(text); strings.TrimSpace(text) == "" || len(p.filter.Text)+len(text) > maxFilter {
		return p
	}
	p.typing = true
	return p.setFilter(p.filter.Insert(text))
}

// scrolled brings the cursor into sight.
func (p Picker) scrolled() Picker {
	p.cursor = max(0, min(p.cursor, len(p.rows)-1))
	h, lines := p.bodyHeight(), p.lines()
	at := p.lineOf(p.cursor)
	p.top = max(0, min(p.top, len(lines)-h))
	p.top = max(min(p.top, at), at-h+1)
	if p.cursor == 0 {
		p.top = 0
	}
	return p
}

// Key is a row of the key table. Dispatch, the hints, the help, the manual and the pages come from
// it.
type Key struct {
	names []string // as Bubble Tea names them
	Label string   // as a person reads them; "": the row before tells of it
	Hint  string   // in the last line of the screen: the key, a space, a word; "": not there
	Doc   string   // in the help and the documentation

	action func(Picker) Picker
}

// Keys returns the keys of the list, in the order of the help. Every other letter begins a filter.
func Keys() []Key {
	return []Key{
		{[]string{"down", "ctrl+n"}, "↓ ↑", "↓ ↑ move", "down, up", move(1)},
		{[]string{"up", "ctrl+p"}, "", "", "", move(-1)},
		{[]string{"pgdown", "ctrl+d"}, "^D ^U", "", "a page down, up", movePage(1)},
		{[]string{"pgup", "ctrl+u"}, "", "", "", movePage(-1)},
		{[]string{"home"}, "Home End", "", "to the top, to the end", move(math.MinInt32)},
		{[]string{"end"}, "", "", "", move(math.MaxInt32)},
		{[]string{"enter"}, "⏎", "⏎ open", "open the run, or the two marked ones to compare", Picker.open},
		{
			[]string{"space", " "},
			"Space", "Space compare", "mark a run; Enter then compares it with a second one, marked or under the cursor",
			Picker.toggleMark,
		},
		{
			[]string{"/"},
			"/", "/ filter", "type a part of a path or of a format; any letter begins it too, q only if a name has a word with q",
			Picker.beginFilter,
		},
		{[]string{"backspace"}, "⌫", "", "delete the last character of the filter", Picker.backspace},
		{[]string{"esc"}, "Esc", "", "remove the filter, then the marks", Picker.escape},
		{[]string{"ctrl+r"}, "^R", "", "look again, for longer", Picker.lookAgain},
		{[]string{"?"}, "?", "? help", "this page", Picker.openHelp},
		{
			[]string{"q", "ctrl+c"},
			"q ^C", "q quit",
			"quit; while a filter is typed, or if a name has a word that begins with q, q is a letter of the filter", Picker.quit,
		},
	}
}

func (p Picker) onKey(msg tea.KeyPressMsg) Picker {
	key := msg.String()
	if p.helpOpen && key != "q" && key != "ctrl+c" {
		return p.onHelpKey(key)
	}
	i := slices.IndexFunc(Keys(), func(k Key) bool { return slices.Contains(k.names, key) })
	isTyped := i < 0 || key == "q" && p.typesQ() || key == "/" && p.typing
	if isTyped {
		if line, ok := p.filter.Press(key); ok && p.typing {
			return p.setFilter(line)
		}
		return p.typed(msg.Text)
	}
	return Keys()[i].action(p)
}

// typesQ reports whether q is a letter of the filter: whoever types the name of a run, such as qwen, does not mean to quit.
func (p Picker) typesQ() bool { return p.typing || p.list.HasWord("q") }

func move(by int) func(Picker) Picker {
	return func(p Picker) Picker {
		p.cursor, p.moved = max(0, min(p.cursor+by, len(p.rows)-1)), true
		return p
	}
}

func movePage(by int) func(Picker) Picker {
	return func(p Picker) Picker { return move(by * max(1, p.bodyHeight()-1))(p) }
}

// open quits, with the runs to open.
func (p Picker) open() Picker {
	if p.chosen = p.toOpen(); len(p.chosen) > 0 {
		p.giveUp()
		p.started = tea.Quit
	}
	return p
}

// toggleMark marks the run under the cursor. A third mark takes the place of the second.
func (p Picker) toggleMark() Picker {
	r, ok := p.selected()
	if !ok {
		return p
	}
	p.moved = true
	marked := slices.Clone(p.marked)
	if i := slices.Index(marked, r.ID); i >= 0 {
		p.marked = slices.Delete(marked, i, i+1)
	} else {
		p.marked = append(marked[:min(len(marked), 1)], r.ID)
	}
	return p
}

func (p Picker) beginFilter() Picker {
	p.typing = true
	return p
}

func (p Picker) backspace() Picker {
	line, _ := p.filter.Press("backspace")
	p.typing = line.Text != ""
	return p.setFilter(line)
}

func (p Picker) escape() Picker {
	if p.filter.Text == "" && !p.typing {
		p.marked = nil
		return p
	}
	p.typing = false
	return p.setFilter(cells.Line{})
}

// lookAgain looks once more; what was found stays until it is found again.
func (p Picker) lookAgain() Picker {
	if !p.looking {
		p.finder, p.looking, p.contents = p.options.Look(true), true, nil
		p.started = p.next()
	}
	return p
}

func (p Picker) openHelp() Picker {
	p.helpOpen, p.helpTop = true, 0
	return p
}

// onHelpKey scrolls the help, or closes it.
func (p Picker) onHelpKey(key string) Picker {
	switch key {
	case "down", "pgdown", "ctrl+d":
		p.helpTop = min(p.helpTop+5, max(0, len(p.helpPage())-p.bodyHeight()-1))
	case "up", "pgup", "ctrl+u":
		p.helpTop = max(0, p.helpTop-5)
	default:
		p.helpOpen = false
	}
	return p
}

func (p Picker) quit() Picker {
	p.giveUp()
	p.chosen, p.started = nil, tea.Quit
	return p
}

// onMouse moves by the wheel, puts the cursor on the run that is clicked, and opens the one under
// the cursor.
func (p Picker) onMouse(msg tea.MouseMsg) Picker {
	m := msg.Mouse()
	switch msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			return move(-3)(p)
		}
		return move(3)(p)
	case tea.MouseClickMsg:
		line, lines := m.Y-headHeight+p.top, p.lines()
		isInBody := !p.helpOpen && m.Y >= headHeight && m.Y < headHeight+p.bodyHeight()
		switch {
		case !isInBody || line >= len(lines) || lines[line].row < 0:
		case lines[line].row == p.cursor && p.moved:
			return p.open()
		default:
			p.cursor, p.moved = lines[line].row, true
		}
	}
	return p
}
