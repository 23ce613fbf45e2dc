package report

import "testing"

// What a spreadsheet would run is text, numbers stay numbers.
func TestCSVText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "g1": "g1", "=1+1": "'=1+1", "+cmd": "'+cmd", "-a": "'-a", "@SUM(A1)": "'@SUM(A1)", "-0.5": "-0.5", "+1e3": "+1e3", "a\x1b[2J": "a␛[2J", "\t=1": " =1",
	} {
		if got := csvText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
