// Package tty runs a model of Bubble Tea on a terminal and draws its frames. Bubble Tea reads the keys and runs the commands; its
// own renderer would look 60 times a second whether there is something to draw, and a frame would wait for it. main calls it.
package tty

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"vantage/model/fault"
)

// Screen is a model on a terminal, and the model that Bubble Tea sees.
type Screen struct {
	*tea.Program

	model tea.Model
	last  time.Time     // a frame was drawn
	due   bool          // a message will say when the next one may be
	drawn chan struct{} // closed by the first frame
	keys  backlog

	mu       sync.Mutex // on a signal another goroutine gives the terminal back
	in       *os.File   // nil: there are no keys
	before   *term.State
	out      io.Writer
	buf      bytes.Buffer // is sent with the next frame
	cells    uv.ScreenBuffer
	renderer *uv.TerminalRenderer // nil: the terminal is not ours now
	profile  colorprofile.Profile
	mouse    tea.MouseMode
	atOnce   bool          // the terminal can show a frame in one piece
	writing  chan struct{} // closed once the terminal has taken what was sent last; nil: it has

	fault *fault.Fault // the model, or one of its commands, panicked: nothing is asked of it any more
}

// A frame is drawn at once, but the next one only so much later; and the first one when the terminal's first answers may have come.
const (
	frameTime = 8 * time.Millisecond
	firstTime = 2 * time.Millisecond
	lateStart = 100 * time.Millisecond // the model starts without a frame, in a terminal without size
)

// A terminal that takes nothing, as over a link that hangs or after ^S, holds up a key no longer than this, and the end no longer than
// lastTime; frames are left out until it does.
const (
	stuckTime = 100 * time.Millisecond
	lastTime  = 300 * time.Millisecond
)

// backlog is how long keys have waited for one another: the time that keys took to handle, less the time in which nothing was to be
// handled. Beyond maxBacklog the repeats of a key that is held down are dropped, so that the next key, as ^C, counts soon. (A gap
// between two keys tells nothing by itself: on a busy machine the program may have waited for a processor.)
type backlog struct {
	waited    time.Duration
	last      string    // key
	key, free time.Time // a key that is being handled came; the last message was handled
}

const maxBacklog = 300 * time.Millisecond

// drops says, as a message comes, whether it is a key to be dropped.
func (b *backlog) drops(msg tea.Msg, now time.Time) bool {
	b.waited = max(0, b.waited-now.Sub(b.free))
	b.free = now
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return false
	}
	key := press.String()
	drops := key == b.last && b.waited > maxBacklog
	if b.last = key; !drops {
		b.key = now
	}
	return drops
}

func (b *backlog) handled(now time.Time) {
	if b.free = now; !b.key.IsZero() {
		b.waited = min(b.waited+now.Sub(b.key), 2*maxBacklog)
		b.key = time.Time{}
	}
}

// nextFrameMsg says that the next frame may be drawn.
type nextFrameMsg struct{}

// New returns a screen for a model. Other options than these are those of a test.
func New(first tea.Model, out io.Writer, profile colorprofile.Profile, others ...tea.ProgramOption) (*Screen, error) {
	s := &Screen{model: first, drawn: make(chan struct{}), out: out, profile: profile, cells: uv.NewScreenBuffer(0, 0)}
	options := []tea.ProgramOption{
		tea.WithOutput(out), tea.WithColorProfile(profile), tea.WithFilter(s.filter),
		tea.WithoutRenderer(), tea.WithFPS(1), // which stays as a tick
		tea.WithoutSignalHandler(), // which would race with that of main
	}
	if file, ok := out.(term.File); ok {
		if s.in = os.Stdin; !term.IsTerminal(s.in.Fd()) {
			keys, _, err := uv.OpenTTY()
			if err != nil {
				return nil, fmt.Errorf("cannot open a terminal to read keys from: %w", err)
			}
			s.in = keys
		}
		w, h, _ := term.GetSize(file.Fd())
		options = append(options, tea.WithInput(s.in), tea.WithWindowSize(w, h))
	}
	s.Program = tea.NewProgram(s, append(options, others...)...)
	return s, nil
}

// Run shows the model until it quits, and returns its last state. A panic of the model or its commands goes on once the terminal is given
// back.
func (s *Screen) Run() (tea.Model, error) {
	if err := s.enter(); err != nil {
		return s.model, err
	}
	defer s.Leave()
	if s.in != nil {
		resized := make(chan os.Signal, 1)
		uv.NotifyWinch(resized)
		defer func() { signal.Stop(resized); close(resized) }()
		fault.Go(func() {
			for range resized {
				s.sendSize()
			}
		})
	}
	_, err := s.Program.Run()
	if s.fault != nil {
		panic(s.fault)
	}
	return s.model, err
}

func (s *Screen) sendSize() {
	if file, ok := s.out.(term.File); ok {
		if w, h, err := term.GetSize(file.Fd()); err == nil {
			s.Send(tea.WindowSizeMsg{Width: w, Height: h})
		}
	}
}

// Outside calls a function with the terminal as it was before.
func (s *Screen) Outside(f func() error) error {
	s.Leave()
	defer func() {
		_ = s.enter()
		fault.Go(s.sendSize)
	}()
	return f()
}

// enter makes the terminal ours.
func (s *Screen) enter() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in != nil {
		if s.before, err = term.MakeRaw(s.in.Fd()); err != nil {
			return fmt.Errorf("cannot have the terminal send each key: %w", err)
		}
	}
	r := uv.NewTerminalRenderer(&s.buf, os.Environ())
	r.SetColorProfile(s.profile)
	r.SetBackspace(true)
	r.SetTabStops(-1)
	r.SetScrollOptim(true)
	r.SaveCursor()
	r.SetFullscreen(true)
	r.SetRelativeCursor(false)
	s.renderer, s.mouse = r, tea.MouseModeNone
	s.resize(s.cells.Width(), s.cells.Height())
	s.buf.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste +
		ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(1) + ansi.RequestBackgroundColor)
	if _, far := os.LookupEnv("SSH_TTY"); !far && !strings.Contains(os.Getenv("TERM_PROGRAM"), "Apple") {
		s.buf.WriteString(ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore)
	}
	s.flush()
	return nil
}

// Leave gives the terminal back as it was.
func (s *Screen) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renderer == nil {
		return
	}
	s.setMouse(tea.MouseModeNone)
	if s.cells.Method == ansi.GraphemeWidth {
		s.buf.WriteString(ansi.ResetModeUnicodeCore)
	}
	if s.writing != nil {
		select {
		case <-s.writing:
		case <-time.After(lastTime):
		}
	}
	s.buf.WriteString(ansi.PopKittyKeyboard(1) + ansi.ResetModifyOtherKeys + ansi.ResetModeBracketedPaste +
		ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable)
	s.flush()
	s.renderer = nil
	if s.before != nil {
		_ = term.Restore(s.in.Fd(), s.before)
	}
}

// Init implements [tea.Model]. What the model starts would take the processors before there is a frame, so it starts after that.
func (s *Screen) Init() tea.Cmd {
	first := s.model // as it is now: messages come in while this waits
	start := guarded(func() tea.Msg { return tea.BatchMsg{first.Init()} }, "")
	return func() tea.Msg {
		select {
		case <-s.drawn:
		case <-time.After(lateStart):
		}
		return start()
	}
}

// filter takes what is for the terminal alone, which Bubble Tea would keep until its next tick, and what the terminal says of itself.
func (s *Screen) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys.drops(msg, time.Now()) {
		return nil
	}
	switch msg { // these have types that only Bubble Tea knows
	case tea.ClearScreen():
		s.resize(s.cells.Width(), s.cells.Height())
	case tea.RequestBackgroundColor():
		msg = tea.RawMsg{Msg: ansi.RequestBackgroundColor}
	}
	switch msg := msg.(type) {
	case tea.RawMsg:
		if s.renderer != nil {
			fmt.Fprint(&s.buf, msg.Msg)
			s.flush()
		}
		return nil
	case tea.WindowSizeMsg:
		s.resize(msg.Width, msg.Height)
	case tea.ColorProfileMsg:
		if s.profile = msg.Profile; s.renderer != nil {
			s.renderer.SetColorProfile(s.profile)
		}
	case tea.ModeReportMsg:
		switch known := msg.Value == ansi.ModeReset; {
		case msg.Mode == ansi.ModeSynchronizedOutput:
			s.atOnce = known
		case msg.Mode == ansi.ModeUnicodeCore && (known || msg.Value.IsSet()):
			s.buf.WriteString(ansi.SetModeUnicodeCore)
			s.cells.Method = ansi.GraphemeWidth
		}
	}
	return msg
}

// Update implements [tea.Model].
func (s *Screen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	return s, s.update(msg)
}

func (s *Screen) update(msg tea.Msg) (cmd tea.Cmd) {
	defer fault.Catch(func(f *fault.Fault) { s.endWith(f.During("answering a key or a message on the screen")) })
	switch msg := msg.(type) {
	case nextFrameMsg:
		s.due = false
		return nil
	case faultMsg:
		panic(msg.Fault)
	}
	if s.fault != nil {
		return nil
	}
	fault.Plant("update", s.keys.last)
	s.model, cmd = s.model.Update(msg)
	return guarded(cmd, s.keys.last)
}

func (s *Screen) endWith(f *fault.Fault) {
	if s.fault == nil {
		s.fault = f
		fault.Go(s.Quit) // it waits for the caller
	}
}

// faultMsg is a panic in a command.
type faultMsg struct{ *fault.Fault }

// guarded turns a panic of a command, or of those in its batch, into a message. It was begun after a key.
func guarded(cmd tea.Cmd, key string) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer fault.Catch(func(f *fault.Fault) { msg = faultMsg{f.During("computing for the screen")} })
		fault.Plant("command", key)
		msg = cmd()
		batch, ok := msg.(tea.BatchMsg)
		if !ok {
			return msg
		}
		all := make(tea.BatchMsg, len(batch))
		for i, one := range batch {
			all[i] = guarded(one, key)
		}
		return all
	}
}

// resize has the next frame drawn as a whole.
func (s *Screen) resize(w, h int) {
	s.cells.Touched = nil
	s.cells.Resize(w, h)
	if s.renderer != nil {
		s.renderer.Erase()
		s.renderer.Resize(w, h)
	}
}

// View implements [tea.Model]: it draws, or has a message come when that is due.
func (s *Screen) View() (nothing tea.View) {
	defer fault.Catch(func(f *fault.Fault) { s.endWith(f.During("drawing the screen")) })
	defer func() { s.keys.handled(time.Now()) }()
	if s.fault != nil {
		return nothing
	}
	now := time.Now()
	if s.last.IsZero() {
		s.last = now.Add(firstTime - frameTime)
	}
	wait := s.last.Add(frameTime).Sub(now)
	if s.isStuck() {
		wait = stuckTime
	}
	if wait > 0 {
		if !s.due {
			s.due = true
			time.AfterFunc(wait, func() { s.Send(nextFrameMsg{}) })
		}
		return nothing
	}
	fault.Plant("view", s.keys.last)
	s.draw(s.model.View())
	s.last = now
	return nothing
}

func (s *Screen) draw(v tea.View) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.renderer == nil || v.Content == "" {
		return
	}
	s.setMouse(v.MouseMode)
	s.cells.Clear()
	uv.NewStyledString(v.Content).Draw(s.cells, s.cells.Bounds())
	s.renderer.Render(s.cells.RenderBuffer)
	_ = s.renderer.Flush()
	s.flush()
	select {
	case <-s.drawn:
	default:
		close(s.drawn)
	}
}

func (s *Screen) setMouse(mode tea.MouseMode) {
	switch mode {
	case s.mouse:
	case tea.MouseModeNone:
		s.buf.WriteString(ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr)
	default:
		s.buf.WriteString(ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr)
	}
	s.mouse = mode
}

// flush sends what is to be sent, unless the terminal has not taken yet what was sent before: then the next frame sends it. If the terminal
// is gone, a signal ends the program.
func (s *Screen) flush() {
	if s.buf.Len() == 0 || !s.hasTaken() {
		return
	}
	text := bytes.Clone(s.buf.Bytes())
	if s.atOnce {
		text = []byte(ansi.SetModeSynchronizedOutput + string(text) + ansi.ResetModeSynchronizedOutput)
	}
	s.buf.Reset()
	taken := make(chan struct{})
	s.writing = taken
	fault.Go(func() {
		defer close(taken)
		_, _ = s.out.Write(text)
	})
	select {
	case <-taken:
		s.writing = nil
	case <-time.After(stuckTime):
	}
}

// hasTaken reports whether the terminal has taken all that was sent.
func (s *Screen) hasTaken() bool {
	select {
	case <-s.writing:
		s.writing = nil
	default:
	}
	return s.writing == nil
}

func (s *Screen) isStuck() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.hasTaken()
}
