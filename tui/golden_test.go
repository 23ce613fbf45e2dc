package tui

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"vantage/internal/testkit/repotest"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/pane"
)

// roleLetters are the letters of the roles in golden frames. Of roles that look the same the
// first counts.
const roleLetters = " dtkpndgwb-aC-amh01234ss"

const legend = `The screen at each size: as it is seen, then the role of each cell, then in ASCII.

d dim or dropped   t title   k key   a accent or focus   - frame or track   p positive   n negative
g good   w warning   b bad   m match   h here   0-4 the shades of a map   s the area behind a line; capitals (C, =): under the cursor

Lines end where blanks begin; " is the line above once more. Without colours the screen has the same
text, but > in the frame beside the row under the cursor, and each role is bold, underlined or reversed
as the theme without colours says: there is a picture of its own only where it has not.

`

// letterOfStyle returns the letter of every style of a theme.
func letterOfStyle(theme *themes.Theme) map[string]rune {
	all := map[string]rune{}
	set := func(painted string, letter rune) {
		look := cellsOf(painted, 1, 1)[0][0].Style.String()
		if _, ok := all[look]; !ok {
			all[look] = letter
		}
	}
	for role, letter := range roleLetters {
		set(theme.Paint(themes.Role(role), "x"), letter)
	}
	for role, letter := range roleLetters {
		over := theme.Underlay(themes.Cursor, theme.Paint(themes.Role(role), "x"))
		set(over, underCursor(letter))
		set(theme.Underlay(themes.OnShade, theme.Paint(themes.Role(role), "x")), letter)
	}
	return all
}

// underCursor returns the letter of a role in the row under the cursor.
func underCursor(letter rune) rune {
	switch letter {
	case ' ':
		return 'C'
	case '-':
		return '='
	}
	return unicode.ToUpper(letter)
}

// cellsOf returns a frame as a terminal shows it.
func cellsOf(frame string, w, h int) []uv.Line {
	screen := uv.NewScreenBuffer(w, h)
	screen.Method = ansi.GraphemeWidth
	uv.NewStyledString(frame).Draw(screen, uv.Rect(0, 0, w, h))
	return screen.Lines
}

// roleRows returns the roles of a frame, a letter for each cell, row by row.
func roleRows(tb testing.TB, theme *themes.Theme, frame string, w, h int) []string {
	tb.Helper()
	known := letterOfStyle(theme)
	var rows []string
	for _, row := range cellsOf(frame, w, h) {
		line := ""
		for _, c := range row {
			letter, ok := known[c.Style.String()]
			if !ok {
				tb.Fatalf("no role looks like %q", c.Style.String())
			}
			line += string(letter)
		}
		rows = append(rows, line)
	}
	return rows
}

// monoRoles returns the letters that roles have without colours, where some look the same.
func monoRoles(rows []string) []string {
	mono, looks := themes.Mono(), letterOfStyle(themes.Mono())
	look := func(painted string) rune { return looks[cellsOf(painted, 1, 1)[0][0].Style.String()] }
	plain := map[rune]rune{}
	for role, letter := range roleLetters {
		painted := mono.Paint(themes.Role(role), "x")
		plain[letter], plain[underCursor(letter)] = look(painted), look(mono.Underlay(themes.Cursor, painted))
	}
	all := make([]string, len(rows))
	for i, row := range rows {
		all[i] = strings.Map(func(r rune) rune { return plain[r] }, row)
	}
	return all
}

// frameText returns the text of a frame, row by row.
func frameText(frame string) []string { return strings.Split(ansi.Strip(frame), "\n") }

// withoutCursorMark returns the rows of a frame with its border in place of the mark of the cursor.
func withoutCursorMark(rows []string) []string {
	all := slices.Clone(rows)
	for i, row := range all {
		if rest, marked := strings.CutPrefix(row, pane.CursorMark); marked {
			row = "│" + rest
		}
		all[i] = strings.Replace(row, "│"+pane.CursorMark, "││", 1) // in a pane to the right of another
	}
	return all
}

// goldenRows returns rows as the file holds them.
func goldenRows(rows []string) []byte {
	var b bytes.Buffer
	for i, row := range rows {
		if row = strings.TrimRight(row, " "); i > 0 && row != "" && rows[i] == rows[i-1] {
			row = `"`
		}
		b.WriteString(row + "\n")
	}
	return b.Bytes()
}

// snapshots draws the present screen with colours, without, and in ASCII.
func (d *driver) snapshots() []txtar.File {
	d.t.Helper()
	was := d.app.env.Display
	defer func() { d.app.env.Display = was }()
	return snapshotsOf(d.t, d.app.env.Display.W, d.app.env.Display.H, func(theme *themes.Theme, ascii bool) string {
		d.app.env.Display.Theme, d.app.env.Display.Glyphs = theme, chart.Unicode()
		if ascii {
			d.app.env.Display.Glyphs = chart.ASCII()
		}
		return d.frame()
	})
}

// snapshotsOf is snapshots of any screen that draw draws.
func snapshotsOf(tb testing.TB, w, h int, draw func(theme *themes.Theme, ascii bool) string) []txtar.File {
	tb.Helper()
	dressed := func(theme *themes.Theme, ascii bool) string {
		frame := draw(theme, ascii)
		for i, line := range strings.Split(frame, "\n") {
			if got := ansi.StringWidth(line); got != w {
				tb.Errorf("line %d of %dx%d has %d cells: %q", i, w, h, got, line)
			}
		}
		if n := strings.Count(frame, "\n") + 1; n != h {
			tb.Errorf("%d lines at %dx%d", n, w, h)
		}
		return frame
	}
	colour, mono, ascii := dressed(themes.Default(true), false), dressed(themes.Mono(), false), dressed(themes.Mono(), true)
	roles, without := roleRows(tb, themes.Default(true), colour, w, h), roleRows(tb, themes.Mono(), mono, w, h)
	name := fmt.Sprintf("%dx%d", w, h)
	files := []txtar.File{{Name: name, Data: goldenRows(frameText(colour))}, {Name: name + " roles", Data: goldenRows(roles)}}
	if !slices.Equal(withoutCursorMark(frameText(mono)), frameText(colour)) || !slices.Equal(without, monoRoles(roles)) {
		files = append(files, txtar.File{Name: name + " mono", Data: goldenRows(frameText(mono))}, txtar.File{Name: name + " mono roles", Data: goldenRows(without)})
	}
	return append(files, txtar.File{Name: name + " ASCII", Data: goldenRows(frameText(ascii))})
}

// matchGolden compares snapshots with those in the golden file.
func matchGolden(t *testing.T, name string, files []txtar.File) {
	t.Helper()
	path := filepath.Join("testdata", "frames", name+".txtar")
	if repotest.Updating() {
		if err := os.WriteFile(path, txtar.Format(&txtar.Archive{Comment: []byte(legend), Files: files}), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range archive.Files {
		want[f.Name] = string(f.Data)
	}
	for _, f := range files {
		if diff := cmp.Diff(strings.Split(want[f.Name], "\n"), strings.Split(string(f.Data), "\n")); diff != "" {
			t.Errorf("%s, %s: go test ./tui -run Golden -update writes it anew\n%s", name, f.Name, diff)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("%s is not drawn any more", name)
	}
}
