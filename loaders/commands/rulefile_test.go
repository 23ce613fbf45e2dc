package commands

import (
	"strings"
	"testing"

	"vantage/model/check"
)

func TestParseRules(t *testing.T) {
	for text, want := range map[string]string{
		"- killed>5%\n- short > 0 # none\n":     "killed>5%|short > 0",
		"rules:\n  - 'signal<20%'\n":            "signal<20%",
		`["pass@1<0.1", critic/score/mean<0.1]`: "pass@1<0.1|critic/score/mean<0.1",
	} {
		rules, err := parseRules([]byte(text))
		if err != nil || strings.Join(rules, "|") != want {
			t.Errorf("%q: %q, %v, want %s", text, rules, err, want)
		}
	}
	for _, text := range []string{"", "rules:", "rules: []", "killed>5%", "- 5", "- [killed>5%]", "rule: [killed>5%]", "rules: [a>1]\nlast: 3", "\x00", "{"} {
		if rules, err := parseRules([]byte(text)); err == nil {
			t.Errorf("%q passes as %q", text, rules)
		}
	}
}

// Any file gives at least one rule, or an error.
func FuzzRules(f *testing.F) {
	f.Add([]byte("rules:\n  - killed>5%\n  - &a short>0\n  - *a\n"))
	f.Add([]byte("- |\n  killed>5%\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		texts, err := parseRules(text)
		if err != nil {
			return
		}
		rules, err := check.ParseAll(texts)
		if err == nil && len(rules) == 0 {
			t.Errorf("%q: an empty list passes", text)
		}
	})
}
