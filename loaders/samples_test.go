package loaders

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/estimators"
	"vantage/internal/testkit/repotest"
	"vantage/model"
)

// collected is all that a source has returned.
type collected struct {
	model.Chunk
	chunks int
}

// drain reads a source to its end.
func drain(t *testing.T, s *Source) collected {
	t.Helper()
	var got collected
	for {
		c, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		got.add(t, c)
	}
}

// snapshotOf reads a source to its end into a store.
func snapshotOf(t *testing.T, s *Source) model.Snapshot {
	t.Helper()
	store := model.NewStore()
	for {
		c, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) {
			return store.Snapshot()
		}
		if err != nil {
			t.Fatal(err)
		}
		store.Append(c)
	}
}

func (a *collected) add(t *testing.T, c *model.Chunk) {
	t.Helper()
	if len(c.Records) > maxRecords {
		t.Fatalf("a chunk of %d records", len(c.Records))
	}
	for i := range c.Blocks {
		c.Records = append(c.Records, c.Blocks[i].Records()...)
	}
	for _, f := range c.Forget {
		kept := a.Records[:0]
		for _, r := range a.Records {
			if r.File != f {
				kept = append(kept, r)
			}
		}
		a.Records = kept
	}
	records, problems, skipped := append(a.Records, c.Records...), append(a.Problems, c.Problems...), a.Skipped+c.Skipped
	forget, notes := append(a.Forget, c.Forget...), append(a.Notes, c.Notes...)
	a.Chunk = *c
	a.Records, a.Problems, a.Skipped, a.Forget, a.Notes = records, problems, skipped, forget, notes
	a.chunks++
}

func readAll(t *testing.T, paths ...string) collected {
	t.Helper()
	s, err := Open(paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	return drain(t, s)
}

// Sample logs give the figures that Python's json gives.
func TestSamples(t *testing.T) {
	for _, c := range []struct {
		path, format  string
		rows, prompts int
		sum           float64 // of the rewards that are numbers
		nan, missing  int
		problems      []string // prefixes
		unit          model.LengthUnit
	}{
		{path: "verl/SYNTHETIC_v0_dapo/rollout_data", format: "verl", rows: 48, prompts: 4, sum: 13, nan: 1, unit: model.LengthCharacters},
		{path: "verl/SYNTHETIC_v1/rollout_data", format: "verl", rows: 32, prompts: 4, sum: 14, unit: model.LengthCharacters},
		{path: "verl/verl_dev_1.jsonl", format: "verl", rows: 128, prompts: 128, sum: 2, unit: model.LengthCharacters},
		{path: "verl/file_logger", problems: []string{"metrics only, no samples"}},
		{path: "easyr1/SYNTHETIC_ckpt", format: "easyr1", rows: 16, prompts: 2, sum: 12, unit: model.LengthCharacters},
		{path: "tinker-cookbook/joanvelja_qwen3-30b", problems: []string{"metrics only, no samples"}},
		{path: "ms-swift/SYNTHETIC_hf", format: "ms-swift", rows: 48, prompts: 4, sum: 77, unit: model.LengthCharacters},
		{path: "roll", format: "roll", rows: 32, prompts: 4, sum: 17, unit: model.LengthCharacters},
		{path: "ms-swift/SYNTHETIC_ray", format: "ms-swift-ray", rows: 32, prompts: 4, sum: 19, unit: model.LengthCharacters},
		{path: "open-instruct", format: "open-instruct", rows: 32, sum: 230, unit: model.LengthTokens},
		{path: "prime-rl/hosted_training_samples/h4y9hb6fjom4xfbclitb2938/results.jsonl", format: "prime-hosted", rows: 16, prompts: 1, sum: 4, unit: model.LengthCharacters},
		{path: "tinker-cookbook/SYNTHETIC", format: "tinker", rows: 48, sum: 25, unit: model.LengthTokens},
		{path: "verifiers/wordle--gpt-4.1-mini", format: "verifiers", rows: 15, prompts: 5, sum: 28.2152380954, unit: model.LengthCharacters},
		{path: "verifiers/gsm8k--gpt-4.1-mini", format: "verifiers", rows: 150, prompts: 50, sum: 0, unit: model.LengthCharacters},
	} {
		t.Run(c.path, func(t *testing.T) {
			got := readAll(t, repotest.SampleLog(t, c.path))
			sum, nan, missing := 0.0, 0, 0
			prompts := map[uint64]bool{}
			for _, r := range got.Records {
				switch {
				case estimators.IsMissing(r.Reward):
					missing++
				case math.IsNaN(r.Reward):
					nan++
				default:
					sum += r.Reward
				}
				if r.Prompt != 0 {
					prompts[r.Prompt] = true
				}
			}
			if len(got.Records) != c.rows || len(prompts) != c.prompts || math.Abs(sum-c.sum) > 1e-9 || nan != c.nan || missing != c.missing {
				t.Errorf("%d rows, %d prompts, sum %v, %d NaN, %d missing; want %d, %d, %v, %d, %d",
					len(got.Records), len(prompts), sum, nan, missing, c.rows, c.prompts, c.sum, c.nan, c.missing)
			}
			if got.Format != c.format || got.LengthUnit != c.unit {
				t.Errorf("format %q unit %d, want %q %d", got.Format, got.LengthUnit, c.format, c.unit)
			}
			if len(got.Problems) != len(c.problems) {
				t.Fatalf("problems %v, want %q", got.Problems, c.problems)
			}
			for i, p := range got.Problems {
				if !strings.HasPrefix(p.Reason, c.problems[i]) {
					t.Errorf("problem %q, want %q", p.Reason, c.problems[i])
				}
			}
			t.Log(got.Provenance, got.Files)
		})
	}
}

// The whole folder of sample logs is read without a panic.
func TestAllSamples(t *testing.T) {
	got := readAll(t, repotest.SampleLog(t, "."))
	if len(got.Records) < 700 {
		t.Errorf("%d rows of all samples", len(got.Records))
	}
	for _, p := range got.Problems {
		t.Log(p)
	}
}

// compareCollected compares all that is read of one log in two ways, but for the file's name,
// the lines and components without a value.
func compareCollected(t *testing.T, want, got collected) {
	t.Helper()
	if diff := cmp.Diff(want.Problems, got.Problems, cmpopts.IgnoreFields(model.Problem{}, "File")); diff != "" {
		t.Errorf("problems: -want +got\n%.2000s", diff)
	}
	if len(want.Records) != len(got.Records) || want.Skipped != got.Skipped || want.Provenance != got.Provenance {
		t.Fatalf("%d samples, %d skipped, %q; want %d, %d, %q", len(got.Records), got.Skipped, got.Provenance, len(want.Records), want.Skipped, want.Provenance)
	}
	for i := range want.Records {
		want, got := withoutEmptyComponents(want.Records[i]), withoutEmptyComponents(got.Records[i])
		if !cmp.Equal(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")) {
			t.Fatalf("sample %d: -want +got\n%s", i, cmp.Diff(want, got, cmpopts.EquateNaNs()))
		}
	}
}
