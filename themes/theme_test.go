package themes_test

import (
	"fmt"
	"image/color"
	"math"
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
		if plus == minus || !strings.Contains(plus, "\x1b[") {
			t.Errorf("%s paints %q %q", theme.Name, plus, minus)
		}
	}
}

// What lies under a line is there again after each painted part of it.
func TestOver(t *testing.T) {
	theme := themes.Default(true)
	got := theme.Underlay(themes.Cursor, "a"+theme.Paint(themes.Good, "b")+"c")
	on, off, _ := strings.Cut(theme.Underlay(themes.Cursor, "x"), "x")
	want := on + "a" + theme.Paint(themes.Good, "b") + on + "c" + off
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The themes for eyes that need it: text on black has a contrast of 7 (WCAG AAA), and
// plus and minus differ for deuteranopes.
func TestContrast(t *testing.T) {
	theme, _ := themes.Find("contrast")
	for role := themes.Plain; role <= themes.Accent; role++ {
		c, ok := colour(theme.Style(role).GetForeground())
		if role == themes.Cursor || !ok {
			continue
		}
		if got := (luminance(c) + 0.05) / 0.05; got < 7 {
			t.Errorf("role %d: contrast %.1f", role, got)
		}
	}
	for _, name := range []string{"dark", "light", "safe", "contrast"} {
		theme, _ := themes.Find(name)
		plus, _ := colour(theme.Style(themes.Positive).GetForeground())
		minus, _ := colour(theme.Style(themes.Negative).GetForeground())
		if d := distance(deuteranope(plus), deuteranope(minus)); d < 0.35 {
			t.Errorf("%s: plus and minus are %.2f apart for a deuteranope", name, d)
		}
	}
}

// Every theme can be read on its own paper: words have a contrast of 4.5 to it, and marks
// one of 3 (WCAG AA). Nobody knows the terminal's own sixteen colours.
func TestPaper(t *testing.T) {
	for _, theme := range themes.All() {
		paper, ink := luminance(hex(t, theme.Background)), luminance(hex(t, theme.Foreground))
		if got := ratio(paper, ink); got < 7 {
			t.Errorf("%s: ink on paper has a contrast of %.1f", theme.Name, got)
		}
		for role, least := range map[themes.Role]float64{
			themes.Dim: 4.5, themes.Key: 4.5, themes.Good: 4.5, themes.Warn: 4.5, themes.Bad: 4.5, themes.Accent: 4.5, themes.Positive: 3, themes.Negative: 3,
		} {
			c, ok := colour(theme.Style(role).GetForeground())
			if got := ratio(paper, luminance(c)); ok && theme.Name != "sixteen" && theme.Name != "mono" && got < least {
				t.Errorf("%s: role %d has a contrast of %.1f", theme.Name, role, got)
			}
		}
	}
}

// ratio is the contrast of two luminances.
func ratio(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func hex(t *testing.T, s string) rgb {
	t.Helper()
	var r, g, b uint8
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &r, &g, &b); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	c, _ := colour(color.RGBA{r, g, b, 0xff})
	return c
}

type rgb [3]float64 // linear

func colour(c color.Color) (rgb, bool) {
	if c == nil {
		return rgb{}, false
	}
	r, g, b, _ := c.RGBA()
	return rgb{linear(r), linear(g), linear(b)}, true
}

func linear(x uint32) float64 {
	v := float64(x) / 0xffff
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func luminance(c rgb) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// deuteranope is what is seen without the cones for green (Machado et al. 2009).
func deuteranope(c rgb) rgb {
	return rgb{
		0.367322*c[0] + 0.860646*c[1] - 0.227968*c[2],
		0.280085*c[0] + 0.672501*c[1] + 0.047413*c[2],
		-0.011820*c[0] + 0.042940*c[1] + 0.968881*c[2],
	}
}

func distance(a, b rgb) float64 {
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}

// A theme is found by the name that it bears.
func TestFind(t *testing.T) {
	for _, want := range themes.All() {
		if got, ok := themes.Find(want.Name); !ok || got.Name != want.Name {
			t.Errorf("%s: found %q, %v", want.Name, got.Name, ok)
		}
	}
	if _, ok := themes.Find("none"); ok {
		t.Error("found a theme that there is not")
	}
}
