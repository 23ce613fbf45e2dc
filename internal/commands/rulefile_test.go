package commands

import (
	"fmt"
	"testing"
)

func TestParseRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- killed>5%\n- short > 0 # none\n":     "[killed>5% short>0]",
		"rules:\n  - 'signal<20%'\n":            "[signal<20%]",
		`["pass@1<0.1", critic/score/mean<0.1]`: "[pass@1<0.1 critic/score/mean<0.1]",
	} {
		rules, err := parseRules([]byte(text))
		if err != nil || fmt.Sprint(rules) != want {
			t.Errorf("%q: %v, %v, want %s", text, rules, err, want)
		}
	}
	for _, text := range []string{"", "rules:", "rules: []", "killed>5%", "- 5", "- [killed>5%]", "rule: [killed>5%]", "rules: [a>1]\nlast: 3", "\x00", "{"} {
		if rules, err := parseRules([]byte(text)); err == nil {
			t.Errorf("%q passes as %v", text, rules)
		}
	}
}

// Any file gives at least one rule, or an error.
func FuzzRules(f *testing.F) {
	f.Add([]byte("rules:\n  - killed>5%\n  - &a short>0\n  - *a\n"))
	f.Add([]byte("- |\n  killed>5%\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if rules, err := parseRules(text); err == nil && len(rules) == 0 {
			t.Errorf("%q: an empty list passes", text)
		}
	})
}
