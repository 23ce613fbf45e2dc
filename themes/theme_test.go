package themes_test

import (
	"strings"
	"testing"

	"vantage/themes"
)

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, theme := range themes.All() {
		if theme.Name == "" || theme.Doc == "" || seen[theme.Name] {
			t.Errorf("theme %q has no name or doc of its own", theme.Name)
		}
		seen[theme.Name] = true
		if found, ok := themes.Find(theme.Name); !ok || found.Doc != theme.Doc {
			t.Errorf("%q is not found", theme.Name)
		}
	}
	if _, ok := themes.Find("none"); ok {
		t.Error("found a theme that is not there")
	}
}

// Plus is blue and minus orange wherever there is colour, and mono has none.
func TestPaint(t *testing.T) {
	for _, theme := range themes.All() {
		plus, minus := theme.Paint(themes.Positive, "+"), theme.Paint(themes.Negative, "-")
		if theme.Name == "mono" {
			if plus != "+" || minus != "-" {
				t.Errorf("mono paints %q %q", plus, minus)
			}
			continue
		}
		if plus == minus || !strings.Contains(plus, "38;5;") {
			t.Errorf("%s paints %q %q", theme.Name, plus, minus)
		}
	}
}

// What lies under a line is there again after each painted part of it.
func TestOver(t *testing.T) {
	theme := themes.For(true)
	got := theme.Over(themes.Cursor, "a"+theme.Paint(themes.Good, "b")+"c")
	on, off, _ := strings.Cut(theme.Over(themes.Cursor, "x"), "x")
	want := on + "a" + theme.Paint(themes.Good, "b") + on + "c" + off
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
