package cells_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vantage/model/sanitize"
	"vantage/tui/cells"
)

func TestFit(t *testing.T) {
	for _, test := range []struct {
		in   string
		w    int
		want string
	}{
		{"abc", 5, "abc  "},
		{"abcdef", 4, "abc…"},
		{"计算器", 5, "计算…"},
		{"计算器", 4, "计… "},
		{"", 2, "  "},
		{"abc", 0, ""},
		{"\x1b[1mab\x1b[m", 4, "\x1b[1mab\x1b[m  "},
	} {
		if got := cells.Fit(test.in, test.w); got != test.want {
			t.Errorf("Fit(%q, %d) = %q, want %q", test.in, test.w, got, test.want)
		}
	}
}

func TestFitRightAndJustify(t *testing.T) {
	if got := cells.FitRight("12", 4); got != "  12" {
		t.Errorf("%q", got)
	}
	if got := cells.Justify("left", "right", 12); got != "left   right" {
		t.Errorf("%q", got)
	}
	if got := cells.Justify("a long left side", "right", 12); got != "a lon… right" {
		t.Errorf("%q", got)
	}
}

func TestTruncateLeftAndJoinFitting(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{cells.TruncateLeft("critic/advantages/mean", 12), "…ntages/mean"},
		{cells.TruncateLeft("mean", 12), "mean"},
		{cells.JoinFitting(12, " · ", "verl", "3 steps", "576 samples"), "verl"},
		{cells.JoinFitting(14, " · ", "verl", "3 steps", "576 samples"), "verl · 3 steps"},
		{cells.JoinFitting(2, " · ", "verl"), "verl"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestASCII(t *testing.T) {
	if got := cells.ASCII("5+3−2· 1± 计 Σ|A| é"); got != "5+3-2. 1+-?? S|A| ?" {
		t.Errorf("%q", got)
	}
}

// Quotation marks stay, and ± does not become the sign for "about" where it has a blank behind it.
func TestASCIIKeepsWhatASentenceSays(t *testing.T) {
	for s, want := range map[string]string{
		"reward +0.08 ± 0.057 over": "reward +0.08 +-0.057 over",
		"said “it's 0”, ‘so’":       `said "it's 0", 'so'`,
		"0.50±.52 ≈ 0.5":            "0.50~.52 ~ 0.5",
	} {
		if got := cells.ASCII(s); got != want || cells.Width(got) != cells.Width(s) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// Two dots stand for …, in as many cells: the second takes the place of a blank, or of a letter of what was cut, but of
// no frame and no escape sequence.
func TestASCIIEllipsis(t *testing.T) {
	for s, want := range map[string]string{
		"a triangle wi…  16":         "a triangle w..  16",
		"computing …":                "computing..",
		"(read.jsonl …); more":       "(read.jsonl..); more",
		"| …ends of/names |":         "| ..nds of/names |",
		"|…ends|":                    "|..nds|",
		"|…e\u0301nds|":              "|..nds|",
		"|…|":                        "|.|",
		"step …\nstep":               "step..\nstep",
		"\x1b[1mcut…\x1b[m 5":        "\x1b[1mcu..\x1b[m 5",
		"\x1b[1m…\x1b[m":             "\x1b[1m.\x1b[m",
		"\x1b[1mname\x1b[m…\x1b[2mx": "\x1b[1mname\x1b[m.\x1b[2mx",
		"三…四":                        "?..??",
	} {
		if got := cells.ASCII(s); got != want || cells.Width(got) != cells.Width(s) {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

// The result has exactly the requested width, whatever the text.
func TestResultsHaveTheRequestedWidth(t *testing.T) {
	if got := cells.FitRight("\uff9e", 2); ansi.StringWidth(got) != 2 {
		t.Errorf("a combining character joins the space before it: %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, w := rapid.String().Draw(t, "s"), rapid.IntRange(0, 40).Draw(t, "w")
		s = sanitize.Line(s) // as all text from a log
		for name, got := range map[string]string{
			"ASCII": cells.ASCII("\x1b[1m" + cells.Fit(s, w)), "TruncateLeft": cells.Fit(cells.TruncateLeft(s, w), w), "Fit": cells.Fit(s, w), "FitRight": cells.FitRight(s, w), "Justify": cells.Justify(s, "ab", w), "FitLines": cells.FitLines([]string{s}, w, 1)[0],
		} {
			if ansi.StringWidth(got) != w {
				t.Fatalf("%s(%q, %d) is %d wide: %q", name, s, w, ansi.StringWidth(got), got)
			}
		}
	})
}

// Words may be broken at hyphens, options only if they are wider than a line.
func TestWrapKeepsOptionsWhole(t *testing.T) {
	for s, want := range map[string]string{
		"name it with --reward NAME":    "name it with|--reward NAME",
		"say (--num-generations N)":     "say|(--num-generations|N)",
		"a well-known number":           "a well-known|number",
		"an ill-tempered, well-known 1": "an ill-tempered,|well-known 1",
		"--abcdefghijklmnopqrstuvwxyz":  "--abcdefghijklmnop|qrstuvwxyz",
	} {
		if got := strings.Join(cells.Wrap(s, 18), "|"); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
