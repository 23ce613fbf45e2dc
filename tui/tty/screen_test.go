package tty

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Of a key whose repeats wait for one another most are dropped, also where the program waits for a processor now and then; of a key
// that is handled before the next one comes, and of keys that alternate, none.
func TestBacklog(t *testing.T) {
	for _, c := range []struct {
		name                  string
		keys                  string
		busy, gap, longGap    time.Duration // of 20 gaps one is long
		fewest, most, presses int
	}{
		{"waiting", "f", 7 * time.Millisecond, 50 * time.Microsecond, 0, 3700, 4000, 4000},
		{"waiting on a busy machine", "f", 7 * time.Millisecond, time.Millisecond, 30 * time.Millisecond, 2000, 4000, 4000},
		{"in time", "f", 14 * time.Millisecond, 19 * time.Millisecond, 19 * time.Millisecond, 0, 0, 1000},
		{"alternating", "][", 30 * time.Millisecond, 0, 0, 0, 0, 1000},
	} {
		var b backlog
		now, dropped := time.Unix(1, 0), 0
		for i := range c.presses {
			if now = now.Add(c.gap); i%20 == 19 {
				now = now.Add(c.longGap)
			}
			if b.drops(tea.KeyPressMsg{Code: rune(c.keys[i%len(c.keys)])}, now) {
				dropped++
				continue
			}
			now = now.Add(c.busy)
			b.handled(now)
		}
		if dropped < c.fewest || dropped > c.most {
			t.Errorf("%s: %d of %d were dropped", c.name, dropped, c.presses)
		}
	}
}

// stuckTerminal takes nothing until it is let go.
type stuckTerminal struct {
	taken  bytes.Buffer
	letGo  chan struct{}
	writes chan struct{} // one for each write that has begun
}

func (s *stuckTerminal) Write(p []byte) (int, error) {
	select {
	case s.writes <- struct{}{}:
	default:
	}
	<-s.letGo
	return s.taken.Write(p)
}

// counter counts its messages and quits on q.
type counter int

func (c counter) Init() tea.Cmd { return nil }

func (c counter) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if press, ok := msg.(tea.KeyPressMsg); ok {
		if press.Code == 'q' {
			return c, tea.Quit
		}
		return c + 1, nil
	}
	return c, nil
}

func (c counter) View() tea.View { return tea.NewView(fmt.Sprintf("seen %d", int(c))) }

// A terminal that takes no output holds up neither the keys nor the end; one that takes it again shows what is newest.
func TestTerminalThatTakesNothing(t *testing.T) {
	for _, letsGo := range []bool{false, true} {
		out := &stuckTerminal{letGo: make(chan struct{}), writes: make(chan struct{}, 1)}
		s, err := New(counter(0), out, colorprofile.NoTTY, tea.WithInput(nil), tea.WithWindowSize(20, 4))
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan tea.Model, 1)
		go func() {
			last, _ := s.Run()
			ended <- last
		}()
		<-out.writes
		for range 7 {
			s.Send(tea.KeyPressMsg{Code: 'x'})
		}
		if letsGo {
			close(out.letGo)
			time.Sleep(5 * stuckTime)
		}
		s.Send(tea.KeyPressMsg{Code: 'q'})
		select {
		case last := <-ended:
			if last != counter(7) {
				t.Errorf("it ended with %v", last)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("q does not end it")
		}
		if letsGo && !strings.Contains(out.taken.String(), "seen 7") {
			t.Errorf("the terminal shows %q", out.taken.String())
		}
		if !letsGo {
			close(out.letGo)
		}
	}
}
