package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/themes"
)

// A notice goes with its timer or with the next key, and the timer of an earlier notice leaves it.
func TestNoticeGoes(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("]")
		d.wantText("no further step")
		first := d.app.overlays.noticeNumber
		d.press("]") // says the same again
		d.send(noticeEndedMsg{first})
		d.wantText("no further step")
		d.send(noticeEndedMsg{d.app.overlays.noticeNumber})
		if d.app.overlays.notice != "" {
			t.Errorf("the notice stays: %q", d.app.overlays.notice)
		}
		d.wantText("? help")
		d.press("]", "j")
		if d.app.overlays.notice != "" {
			t.Errorf("the next key leaves %q", d.app.overlays.notice)
		}
	})
}

// A notice hides neither the bottom of a pane, nor the row under the cursor, nor a line of input: at the smallest
// size either, and however long it is.
func TestNoticeHidesNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("keep_neg_ratio must be in the range [0.0, 1.0]. ", 6)
	for _, size := range allSizes {
		for name, keys := range map[string][]string{
			"overview": {"G"}, "steps": {"3"}, "warnings": {"4"}, "group": {"G", "enter", "G"}, "value": {"=", "7"}, "command": {":", "x"},
			"list": {"S"}, "all steps": {"3", "3"},
		} {
			drive(t, madeRunWithTexts(30, proofText), size[0], size[1], filterSettings(), func(d *driver) {
				d.press(keys...)
				d.app.overlays.notice = long
				frame := ansi.Strip(d.frame())
				lines := strings.Split(frame, "\n")
				if len(lines) != size[1] || !strings.Contains(frame, "keep_neg_ratio must be") {
					t.Fatalf("%v, %s: %d lines:\n%s", size, name, len(lines), frame)
				}
				if opened, closed := strings.Count(frame, "╭"), strings.Count(frame, "╰"); opened != closed || opened == 0 {
					t.Errorf("%v, %s: %d panes begin and %d end:\n%s", size, name, opened, closed, frame)
				}
				if roles := strings.Join(roleRows(t, themes.Mono(), d.frame(), size[0], size[1]), ""); name == "overview" && !strings.Contains(roles, "CC") {
					t.Errorf("%v, %s: the cursor is not in sight:\n%s", size, name, frame)
				}
				if input := map[string]string{"value": "keep_pos_ratio = 7", "command": ":x"}[name]; !strings.Contains(lines[size[1]-1], input) {
					t.Errorf("%v, %s: %q is not in the last line", size, name, input)
				}
			})
		}
	}
}

// A notice costs two repaints: when it comes and when it goes five seconds later. Then nothing is sent.
func TestNoticeEndsAndTheScreenIsIdle(t *testing.T) {
	t.Parallel()
	source := &timedSource{textSource: &textSource{madeSource: madeRun(3)}, pause: func(int) time.Duration { return 0 }}
	source.chunks[0].Progress.LastWrite = time.Time{}
	inVirtualTime(t, source, func(v *virtualTerminal) {
		time.Sleep(time.Second)
		v.program.Send(keyPress("t"))
		time.Sleep(time.Second)
		before, _ := v.counts()
		time.Sleep(noticeDuration)
		after, _ := v.counts()
		if after == before {
			t.Error("the notice stays")
		}
		time.Sleep(time.Minute / 2)
		if idle, _ := v.counts(); idle != after {
			t.Errorf("%d bytes after the notice", idle-after)
		}
	})
}

// The notice of the start goes too.
func TestFirstNoticeHasATimer(t *testing.T) {
	t.Parallel()
	driveWith(t, madeRun(3), 120, 36, Options{Settings: filterSettings(), Notice: "restored"}, func(d *driver) {
		d.wantText("restored")
		var timed bool
		for _, cmd := range d.app.Init()().(tea.BatchMsg) {
			if msg, ok := cmd().(noticeEndedMsg); ok {
				timed = msg.number == d.app.overlays.noticeNumber
			}
		}
		if !timed {
			t.Error("no timer ends it")
		}
	})
}

// The keys stay in sight beside or below a notice, and a short one moves no line of the body.
func TestNoticeLeavesTheKeys(t *testing.T) {
	t.Parallel()
	for _, size := range allSizes {
		drive(t, madeRun(3), size[0], size[1], filterSettings(), func(d *driver) {
			last := func() string { return ansi.Strip(d.app.lines()[size[1]-1]) }
			body := d.app.lines()[:size[1]-1]
			d.app.overlays.notice = "no further step"
			if lines := d.app.lines(); size[0] >= 80 && strings.Join(lines[:size[1]-1], "\n") != strings.Join(body, "\n") {
				t.Errorf("%v: a notice in a few words moves the body:\n%s", size, d.frame())
			}
			for _, notice := range []string{"no further step", strings.Repeat("a notice that takes two lines ", 2*size[0]/30)} {
				d.app.overlays.notice = notice
				if line := last(); !strings.Contains(line, "j k move") || !strings.Contains(line, "? help  q quit") {
					t.Errorf("%v: %q hides the keys: %q", size, notice, line)
				}
			}
		})
	}
}
