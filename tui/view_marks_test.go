package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/session"
)

// A group, a sample and a step are marked, with notes; the list has them, and Enter goes
// there, from another step and in another order too.
func TestMarksAreFoundAgain(t *testing.T) {
	t.Parallel()
	s := &memoryStore{}
	var group string
	var column int
	driveSession(t, s, Options{}, func(d *driver) {
		d.press("j", "j", "j")
		group = d.app.selectedGroup().Name
		d.press("a")
		d.typeText("why is 7^100 so hard?")
		d.press("enter")
		d.wantText(cursorMark+"*", "* why is 7^100 so hard?")
		d.press("enter", "j", "j", "*", "a")
		column = d.app.rankedSamples(d.app.selectedGroup())[2]
		d.typeText("cheats")
		d.press("enter")
		d.wantText("*  3 ", "* cheats")
		d.press("esc", "[", "3", "*", "3")
		d.wantText("*2 ")
	})
	if got := fmt.Sprintf("%d %d %s %s", len(s.session.Marks), s.session.Marks[0].Step, s.session.Marks[1].Note, s.session.Marks[2].Note); got != "3 2 why is 7^100 so hard? cheats" {
		t.Errorf("%+v", s.session.Marks)
	}
	s.session.View = nil
	driveSession(t, s, Options{}, func(d *driver) {
		d.press("[", "[", "o", "o", "O", "'")
		d.wantText("marks  3", "the step", "why is 7^100 so hard?", "row ", "cheats")
		d.press("j", "enter")
		if d.app.result.analysis.Step != 3 || d.app.selectedGroup().Name != group || d.app.view != viewOverview {
			t.Errorf("at step %d, group %s", d.app.result.analysis.Step, d.app.selectedGroup().Name)
		}
		d.press("[", "'", "G", "enter")
		if d.app.view != viewGroup || d.app.selectedGroup().Name != group || d.app.rankedSamples(d.app.selectedGroup())[d.app.sampleReader.sample] != column {
			t.Errorf("view %d, sample %d", d.app.view, d.app.sampleReader.sample)
		}
		d.press("esc", "'", "g", "enter")
		if d.app.result.analysis.Step != 2 {
			t.Errorf("at step %d", d.app.result.analysis.Step)
		}
		d.press("F", "enter", "'", "g", "j", "enter") // of the step that held still while its group was read
		if d.app.place.follow || d.app.result.analysis.Step != 3 {
			t.Errorf("at step %d, following: %v", d.app.result.analysis.Step, d.app.place.follow)
		}
	})
}

// The key that made a mark removes it, and restores it with its note.
func TestMarkAgainRestoresItsNote(t *testing.T) {
	t.Parallel()
	s := &memoryStore{}
	driveSession(t, s, Options{}, func(d *driver) {
		d.press("a")
		d.typeText("look")
		d.press("enter", "*")
		if len(s.session.Marks) != 0 {
			t.Error("still marked")
		}
		d.press("*")
		if len(s.session.Marks) != 1 || s.session.Marks[0].Note != "look" {
			t.Errorf("%+v", s.session.Marks)
		}
		d.press("'", "*")
		if text := ansi.Strip(d.frame()); len(s.session.Marks) != 0 || !strings.Contains(text, "Nothing is marked yet") {
			t.Errorf("%+v\n%s", s.session.Marks, text)
		}
		d.press("U", "a")
		d.typeText(" again")
		d.press("enter")
		if len(s.session.Marks) != 1 || s.session.Marks[0].Note != "look again" || d.app.view != viewMarks {
			t.Errorf("%+v", s.session.Marks)
		}
		d.press("a", "x", "esc")
		if s.session.Marks[0].Note != "look again" {
			t.Error("Esc changes the note")
		}
	})
}

// If what is marked is gone, or the filter leaves it out, a notice says so.
func TestMarksOfWhatIsGone(t *testing.T) {
	t.Parallel()
	s := &memoryStore{}
	s.session = session.Session{}.WithMark(session.Mark{Step: 99, Group: "x"}).WithMark(session.Mark{Step: 2, Group: "x"}).
		WithMark(session.Mark{Step: 3, Group: "renamed", Prompt: fmt.Sprintf("%016x", 2)}).WithMark(session.Mark{Step: 3, Group: fmt.Sprintf("%016x", 2), Sample: 77})
	driveSession(t, s, Options{}, func(d *driver) {
		for at, want := range []string{"step 2 no longer has the group", "", "no longer has a row 77", "step 99 is not in the log"} {
			d.press("'", "g")
			for range at {
				d.press("j")
			}
			d.press("enter")
			if want == "" && d.app.selectedGroup().Name != fmt.Sprintf("%016x", 2) {
				t.Errorf("the cursor is on %s", d.app.selectedGroup().Name)
			}
			if !strings.Contains(d.app.notice, want) || want == "" && d.app.notice != "" {
				t.Errorf("mark %d: %q, want %q", at, d.app.notice, want)
			}
			d.press("esc")
		}
		d.press("/")
		d.typeText("fate:correct")
		d.press("enter", "'", "g", "j", "enter")
		if !strings.Contains(d.app.notice, "the filter hides the group") {
			t.Errorf("%q", d.app.notice)
		}
	})
}

// Control characters in notes and prompts are never sent to the terminal.
func TestMarksDoNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	s := &memoryStore{}
	evil := "\x1b]52;c;eA==\a\u202e\x00 " + strings.Repeat("e\u0301", 40)
	s.session = session.Session{}.WithMark(session.Mark{Step: 1, Group: evil, Label: evil, Note: evil}).WithMark(session.Mark{Step: 3, Note: evil})
	driveSession(t, s, Options{}, func(d *driver) {
		d.press("3", "3")
		steps := d.frame()
		d.press("'")
		for _, frame := range []string{steps, d.frame()} {
			if text := ansi.Strip(frame); strings.ContainsAny(text, "\x1b\a\x00\u202e") || strings.Contains(frame, "\x1b]") {
				t.Errorf("%q", text)
			}
		}
		d.press("a")
		d.frame()
	})
}

// A note of the longest length can be encoded.
func TestLongestNoteCanBeSaved(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("a")
		d.typeText(strings.Repeat("é", session.MaxNote))
		d.press("enter")
		if _, err := session.Encode(nil, d.app.session.current); err != nil || len(d.app.session.current.Marks[0].Note) != session.MaxNote {
			t.Errorf("%v: %d bytes", err, len(d.app.session.current.Marks[0].Note))
		}
	})
}
