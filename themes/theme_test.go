package themes_test

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"vantage/themes"
)

// Every theme has a name and a description of its own, and is found by its name.
func TestFind(t *testing.T) {
	seen := map[string]bool{}
	for _, theme := range themes.All() {
		if theme.Name == "" || theme.Doc == "" || seen[theme.Name] {
			t.Errorf("theme %q has no name or description of its own", theme.Name)
		}
		seen[theme.Name] = true
		if found, ok := themes.Find(theme.Name); !ok || found.Name != theme.Name || found.Doc != theme.Doc {
			t.Errorf("%q is not found", theme.Name)
		}
	}
	if _, ok := themes.Find("none"); ok {
		t.Error("found a theme that does not exist")
	}
}

// Positive and negative differ in every theme with colours, and mono has none.
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

// The underlay is switched on again after each painted part of the line.
func TestUnderlay(t *testing.T) {
	theme := themes.Default(true)
	got := theme.Underlay(themes.Cursor, "a"+theme.Paint(themes.Good, "b")+"c")
	on, off, _ := strings.Cut(theme.Underlay(themes.Cursor, "x"), "x")
	want := on + "a" + theme.Paint(themes.Good, "b") + on + "c" + off
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// All text of the contrast theme has a contrast of 7 on black (WCAG AAA).
func TestContrastTheme(t *testing.T) {
	theme, _ := themes.Find("contrast")
	for role := themes.Plain; role <= themes.Accent; role++ {
		c, ok := foreground(theme, role)
		if got := contrast(luminance(c), 0); ok && role != themes.Cursor && got < 7 {
			t.Errorf("role %d: contrast %.1f", role, got)
		}
	}
}

// On the background of a theme the default text has a contrast of 7, other text of 4.5 and
// marks of 3 (WCAG AA), and positive and negative differ for deuteranopes. The sixteen colours
// of a terminal are not known.
func TestColours(t *testing.T) {
	for _, theme := range themes.All() {
		background := luminance(hex(t, theme.Background))
		if got := contrast(background, luminance(hex(t, theme.Foreground))); got < 7 {
			t.Errorf("%s: the foreground has a contrast of %.1f", theme.Name, got)
		}
		if theme.Name == "sixteen" || theme.Name == "mono" || theme.Name == "either" {
			continue
		}
		for role, required := range map[themes.Role]float64{
			themes.Dim: 4.5, themes.Key: 4.5, themes.Good: 4.5, themes.Warn: 4.5, themes.Bad: 4.5, themes.Accent: 4.5, themes.Positive: 3, themes.Negative: 3,
		} {
			if c, ok := foreground(theme, role); !ok || contrast(background, luminance(c)) < required {
				t.Errorf("%s: role %d has a contrast of %.1f", theme.Name, role, contrast(background, luminance(c)))
			}
		}
		positive, _ := foreground(theme, themes.Positive)
		negative, _ := foreground(theme, themes.Negative)
		if d := distance(deuteranope(positive), deuteranope(negative)); d < 0.35 {
			t.Errorf("%s: positive and negative are %.2f apart for a deuteranope", theme.Name, d)
		}
	}
}

// The theme for a background that is not known has a contrast of 3 on black, on the backgrounds of dark
// and light, and on white, and its cursor changes no colour to one of these. Positive and negative differ
// for deuteranopes.
func TestEitherTheme(t *testing.T) {
	theme, _ := themes.Find("either")
	for _, background := range []string{"#000000", themes.Default(true).Background, themes.Default(false).Background, "#ffffff"} {
		for role := themes.Plain; role <= themes.Accent; role++ {
			c, ok := foreground(theme, role)
			if got := contrast(luminance(c), luminance(hex(t, background))); ok && got < 3 {
				t.Errorf("role %d: contrast %.1f on %s", role, got, background)
			}
		}
	}
	reversed := themes.Mono().Underlay(themes.Cursor, "xyz")
	if got := theme.Underlay(themes.Cursor, "x"+theme.Paint(themes.Dim, "y")+"z"); uvText(got) != uvText(reversed) {
		t.Errorf("the row under the cursor is not reversed as a whole: %q, want %q", got, reversed)
	}
	positive, _ := foreground(theme, themes.Positive)
	negative, _ := foreground(theme, themes.Negative)
	if d := distance(deuteranope(positive), deuteranope(negative)); d < 0.35 {
		t.Errorf("positive and negative are %.2f apart for a deuteranope", d)
	}
}

// uvText returns what a terminal makes of three cells.
func uvText(s string) string {
	screen := uv.NewScreenBuffer(3, 1)
	uv.NewStyledString(s).Draw(screen, screen.Bounds())
	return screen.Render()
}

// contrast returns the contrast of two luminances, by WCAG.
func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func hex(t *testing.T, s string) rgb {
	t.Helper()
	var r, g, b uint8
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &r, &g, &b); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	c, _ := colour(color.RGBA{r, g, b, 0xff})
	return c
}

// foreground returns the colour of the text of a role, false for the terminal's default.
func foreground(theme *themes.Theme, role themes.Role) (rgb, bool) {
	screen := uv.NewScreenBuffer(1, 1)
	uv.NewStyledString(theme.Paint(role, "x")).Draw(screen, screen.Bounds())
	return colour(screen.CellAt(0, 0).Style.Fg)
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

// deuteranope returns the colour as seen without green-sensitive cones (Machado et al. 2009).
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
