package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vantage/internal/testkit/modeltest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/glance"
)

// However much ails a run, its summary stays within 2 KB and names every kind with severity and first step; what is left out is counted.
func TestSummaryOfAnIllRunFits(t *testing.T) {
	repotest.OneGoroutine(t)
	for n := range 15 {
		s := &Summary{Glance: &glance.Glance{}, Trend: &analysis.Trend{}, Diagnosis: modeltest.Ill(n, 100)}
		s.Diagnosis.Answers = diagnosis.Answers{Read: 1280, Of: 40_960}
		var text, line bytes.Buffer
		if err := SummaryText(&text, s); err != nil {
			t.Fatal(err)
		}
		if err := SummaryJSON(&line, s); err != nil {
			t.Fatal(err)
		}
		if text.Len() > MaxAnswer || line.Len() > MaxAnswer {
			t.Errorf("%d findings: %d and %d bytes", n, text.Len(), line.Len())
		}
		var got struct {
			Health   string
			Findings []struct {
				Kind, Severity, Title, Advice string
				Since                         int64
				Evidence                      []string
			}
			MoreEvidence int `json:"more_evidence"`
		}
		if err := json.Unmarshal(line.Bytes(), &got); err != nil || len(got.Findings) != n {
			t.Fatalf("%d findings: %v in %s", n, err, line.Bytes())
		}
		shown := 0
		for i, f := range got.Findings {
			want := s.Diagnosis.Findings[i]
			if f.Kind != string(want.Kind) || f.Severity != string(want.Severity) || f.Since != want.Since {
				t.Errorf("finding %d: %+v", i, f)
			}
			if name := fmt.Sprintf("%s since step %d", want.Kind.Words(), want.Since); !strings.Contains(text.String(), name) {
				t.Errorf("%q is not in\n%s", name, text.String())
			}
			shown += len(f.Evidence)
		}
		if shown+got.MoreEvidence != 3*n {
			t.Errorf("%d findings: %d pieces of evidence, %d left out", n, shown, got.MoreEvidence)
		}
		if n > 0 && (got.Health != "reward_hacking since 61" || got.Findings[0].Title == "" || got.Findings[0].Advice == "" || len(got.Findings[0].Evidence) == 0) {
			t.Errorf("%d findings: of the worst %+v, health %s", n, got.Findings[0], got.Health)
		}
		if n == 0 && got.Health != "healthy" {
			t.Errorf("without findings the run is %s", got.Health)
		}
		if !strings.Contains(text.String(), "not checked: 39680 of 40960 answers") {
			t.Errorf("what was not read is not in\n%s", text.String())
		}
		if strings.ContainsAny(text.String()+line.String(), "\x1b\x07") {
			t.Errorf("control characters of the log in\n%q", text.String())
		}
	}
}

// A report has the findings of the run in each of its formats, before its figures, without what a terminal or a browser would obey.
func TestReportsBeginWithFindings(t *testing.T) {
	groups := make([][]float64, 10)
	for i := range groups {
		groups[i] = []float64{0, 1}
	}
	for name, write := range map[string]func(*bytes.Buffer, *Report) error{
		"text":     func(b *bytes.Buffer, r *Report) error { _, err := Text(b, r); return err },
		"Markdown": func(b *bytes.Buffer, r *Report) error { _, err := Markdown(b, r); return err },
		"HTML":     func(b *bytes.Buffer, r *Report) error { _, err := HTML(b, r); return err },
		"JSON":     func(b *bytes.Buffer, r *Report) error { _, err := JSON(b, r); return err },
	} {
		r := reportOf(t, 10, model.DefaultSettings(), groups...)
		r.Diagnosis = modeltest.Ill(3, 10)
		var out bytes.Buffer
		if err := write(&out, r); err != nil {
			t.Fatal(name, err)
		}
		page := out.String()
		for _, want := range []string{"reward_hacking since 7", "the reward rises to 0.91", "640 samples each", "84% of groups are all right", "weigh correctness above format", "length_collapse", "the log has no texts"} {
			switch name {
			case "HTML":
				want = strings.NewReplacer("reward_hacking since 7", "! reward hacking since 7 +1", "length_collapse", "watch: length collapse").Replace(want)
			case "text", "Markdown":
				want = strings.NewReplacer("reward_hacking since 7", "reward hacking since 7 +1", "length_collapse", "length collapse").Replace(want)
			}
			if at := strings.Index(strings.ReplaceAll(page, "The reward", "the reward"), want); at < 0 || name == "text" && want != "the log has no texts" && at > strings.Index(page, "needs a look") && strings.Contains(page, "needs a look") {
				t.Errorf("%s: %q is at %d of\n%.3000s", name, want, at, page)
			}
		}
		if strings.ContainsAny(page, "\x1b\x07") {
			t.Errorf("%s has control characters of the log", name)
		}
		if marks := strings.Count(page, `class="onset"`); name == "HTML" && marks != 3 {
			t.Errorf("%d onsets are drawn", marks)
		}
	}
}
