package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vantage/internal/testkit/modeltest"
	"vantage/model/analysis"
	"vantage/model/glance"
)

// However much ails a run, its summary stays within 2 KB and names every kind with severity and first step; what is left out is counted.
func TestSummaryOfAnIllRunFits(t *testing.T) {
	for n := range 15 {
		s := &Summary{Glance: &glance.Glance{}, Trend: &analysis.Trend{}, Diagnosis: modeltest.Ill(n, 100)}
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
			if name := fmt.Sprintf("%s since step %d", want.Kind, want.Since); !strings.Contains(text.String(), name) {
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
		if strings.ContainsAny(text.String()+line.String(), "\x1b\x07") {
			t.Errorf("control characters of the log in\n%q", text.String())
		}
	}
}
