package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/report"
)

func TestMain(m *testing.M) { repotest.Run(m) }

// twoSteps returns a run of two steps: a mixed group and one without signal, then two groups
// with NaN, infinite and missing rewards.
func twoSteps() model.Snapshot {
	store := model.NewStore()
	chunk := &model.Chunk{
		Format: "synthetic", Provenance: "by hand", LengthUnit: model.LengthTokens, HasTruth: true,
		Problems: []model.Problem{{File: "a\x1b[31m.jsonl", Line: 7, Reason: "torn"}}, Skipped: 1,
	}
	add := func(step int64, prompt uint64, rewards ...float64) {
		for _, r := range rewards {
			chunk.Records = append(chunk.Records, model.Record{Step: step, Prompt: prompt, Preview: "what\x1b[2J", Reward: r, Advantage: math.NaN(), Length: 10})
		}
	}
	add(1, 1, 1, 0)
	add(1, 2, 1, 1)
	add(2, 1, math.NaN(), 1)
	add(2, 2, estimators.MissingReward(), math.Inf(1))
	store.Append(chunk)
	return store.Snapshot()
}

func newReport(t *testing.T, snap model.Snapshot, set model.Settings) *report.Report {
	t.Helper()
	r, err := report.New(context.Background(), snap, set)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	snap := twoSteps()
	if _, err := report.JSON(&out, newReport(t, snap, model.DefaultSettings())); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Run   struct{ Samples, Steps int }
		Steps []struct {
			Step     int
			Groups   int
			Fates    map[string]int
			Metrics  map[string]any
			Warnings []struct {
				Kind  string
				Count int
			}
		}
		Problems []struct{ Line int }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	if got.Run.Samples != 8 || len(got.Steps) != 2 || got.Steps[0].Groups != 2 || got.Problems[0].Line != 7 {
		t.Errorf("%+v", got)
	}
	first := got.Steps[0]
	if first.Metrics["critic/score/mean"] != 0.75 || first.Fates["alive"] != 1 || first.Fates["correct"] != 1 || first.Warnings == nil {
		t.Errorf("step 1: %+v", first)
	}
	if w := got.Steps[1].Warnings; len(w) != 1 || w[0].Kind != "invalid-rewards" || w[0].Count != 3 {
		t.Errorf("step 2: %+v", w)
	}
	if strings.ContainsRune(out.String(), '\x1b') {
		t.Error("an escape of the log is in the report")
	}
}

func TestText(t *testing.T) {
	var out bytes.Buffer
	snap := twoSteps()
	set, err := model.DefaultSettings().Set("keep_neg_ratio", "0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := report.Text(&out, newReport(t, snap, set)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"synthetic · 2 steps · 8 samples", "keep_neg_ratio 0.00", "1/2 (50%)", "1 all correct",
		"3 of 4 samples have no usable reward (1 missing, 2 NaN or infinite)", "a␛[31m.jsonl:7: torn",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.ContainsRune(out.String(), '\x1b') {
		t.Error("an escape of the log is in the report")
	}
}

// Of many problems the first are listed, and all are counted.
func TestTextCountsProblems(t *testing.T) {
	store := model.NewStore()
	chunk := &model.Chunk{Records: []model.Record{{Step: 1, Prompt: 1}}, Skipped: 5000}
	for line := range int64(100) {
		chunk.Problems = append(chunk.Problems, model.Problem{File: "a.jsonl", Line: line, Reason: "torn"})
	}
	store.Append(chunk)
	var out bytes.Buffer
	if _, err := report.Text(&out, newReport(t, store.Snapshot(), model.DefaultSettings())); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, "could not read 5000 places") || !strings.Contains(got, "and 4990 more") {
		t.Error(got)
	}
}

// A line has the columns that CSV has, and in those of numbers nothing but numbers and null.
func TestSampleJSONL(t *testing.T) {
	var out bytes.Buffer
	table := &report.SampleTable{Snap: twoSteps(), Settings: model.DefaultSettings(), Columns: report.UsualSampleColumns(twoSteps())}
	if err := report.SampleJSONL(context.Background(), &out, table); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 8 {
		t.Fatalf("%d lines, want 8", len(lines))
	}
	want := `{"step":1,"group":"0000000000000001","index":0,"reward":1.0,"advantage_original":0.70710677,"kept":true,"advantage":0.70710677,` +
		`"length":10,"fate":"alive","refused":false,"admitted":true,"loss_weight":null,"advantage_logged":null,"file":null,"line":null}`
	if lines[0] != want {
		t.Errorf("\n got %s\nwant %s", lines[0], want)
	}
	for i, reward := range map[int]string{4: `"reward":null`, 6: `"reward":null`, 7: `"reward":null`} {
		if !strings.Contains(lines[i], reward) {
			t.Errorf("line %d is %s, want %s", i, lines[i], reward)
		}
	}
	for _, line := range lines {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

// Text of a log stays text in Markdown: it loads no image, is no tag and breaks no row.
func TestMarkdownEscapes(t *testing.T) {
	store := model.NewStore()
	chunk := &model.Chunk{Format: "synthetic", Provenance: "by hand", HasTruth: true}
	for _, r := range []float64{1, 0} {
		chunk.Records = append(chunk.Records, model.Record{
			Step: 1, Prompt: 1, Preview: "![x](http://example.org/x.png) <script> a|b `c`\n# d", Reward: r, Advantage: math.NaN(), Length: -1,
		})
	}
	store.Append(chunk)
	r := newReport(t, store.Snapshot(), model.DefaultSettings())
	r.Per = report.PerGroup
	var out bytes.Buffer
	if _, err := report.Markdown(&out, r); err != nil {
		t.Fatal(err)
	}
	if want := "| 1 | alive | 2 | 1+1− | 0 | 0.500 | 0.707 | !\\[x](http://example.org/x.png) &lt;script> a\\|b 'c'"; !strings.Contains(out.String(), want) {
		t.Errorf("no %q in\n%s", want, out.String())
	}
}
