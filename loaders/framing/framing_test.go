package framing

import "testing"

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, first string
		want        Framing
	}{
		{"a.jsonl", "{\"a\": 1}\n", Framing{}},
		{"a.jsonl", "\xef\xbb\xbf[\n", Framing{Whole: true}},
		{"a.JSON.gz", "{\"a\": 1}\n", Framing{Whole: true}},
		{"a.csv.zst", "", Framing{Quoted: true}},
		{"a.log", "> a\n", Framing{RecordPrefix: "> "}},
		{"", "> a\n", Framing{RecordPrefix: "> "}},
		{"", "{\n", Framing{Whole: true}},
		{"", "{\"a\": 1}\n{\n", Framing{}},
		{"", "step,reward\n1,{\n", Framing{Quoted: true}},
		{"", "INFO: a, b\n", Framing{}},
	} {
		if got := Detect(c.name, []byte(c.first), "# ", "> "); got != c.want {
			t.Errorf("%q, %q: %+v, want %+v", c.name, c.first, got, c.want)
		}
	}
}
