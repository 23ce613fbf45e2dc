package report

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"vantage/model"
)

// Every page says what it is of and when it was written; a head that nobody set leaves no trace.
func TestHead(t *testing.T) {
	date := time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("CET", 3600))
	for name, c := range map[string]struct {
		write func(io.Writer, *Report) (*Charts, error)
		want  []string
	}{
		"text": {Text, []string{"path       runs/\u241b[31ma\n", "report     of 2026-01-02 03:04:05 UTC by vantage v1.2.3\n"}},
		"md":   {Markdown, []string{"- **path** runs/\u241b\\[31ma\n", "- **report** of 2026-01-02 03:04:05 UTC by vantage v1.2.3\n"}},
		"json": {JSON, []string{`"path": "runs/\u001b[31ma"`, `"date": "2026-01-02T03:04:05Z"`, `"version": "v1.2.3"`}},
	} {
		r := reportOf(t, 1, model.DefaultSettings(), []float64{1, 0})
		var bare, out bytes.Buffer
		if _, err := c.write(&bare, r); err != nil {
			t.Fatal(err)
		}
		r.Head = Head{Path: "runs/\x1b[31ma", Date: date, Version: "v1.2.3"}
		if _, err := c.write(&out, r); err != nil {
			t.Fatal(err)
		}
		rest := out.String()
		for _, want := range c.want {
			if !strings.Contains(rest, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, rest)
			}
			if strings.Contains(bare.String(), want[:10]) {
				t.Errorf("%s has %q without a head", name, want[:10])
			}
		}
	}
	if got := (Head{Path: "a", Date: date}).line(); got != "a · 2026-01-02 03:04:05 UTC" {
		t.Error(got)
	}
	if got := (Head{}).line(); got != "" {
		t.Errorf("%q without a head", got)
	}
}
