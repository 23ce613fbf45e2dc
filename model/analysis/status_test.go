package analysis

import (
	"context"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"vantage/estimators"
	"vantage/internal/testkit/filetest"
	"vantage/model"
)

// statusRow is a sample of a group, with what its trainer writes of it.
type statusRow struct {
	group  string
	reward float64
	status model.Status
}

func withStatuses(rows []statusRow) model.Snapshot {
	chunk := &model.Chunk{Format: "made", Progress: model.Progress{CaughtUp: true}}
	for _, r := range rows {
		chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(r.group[0]), Group: r.group, Reward: r.reward, Advantage: math.NaN(), Length: 10, Status: r.status})
	}
	return stepsOf(chunk)
}

// A masked or dropped sample counts in the mean of its group, a failed one in nothing, and none of them trains. Advantages are those of
// prime-rl, reward less mean: of a they are (1, 0, 0) − 1/3, of c (3, 1, 2) − 2.
func TestStatusSaysWhatTrains(t *testing.T) {
	set := model.DefaultSettings()
	set.Framework, set.Estimator, set.Scale = "prime-rl", "grpo", estimators.ScaleNone
	snap := withStatuses([]statusRow{
		{"a", 1, model.StatusTrains},
		{"a", 0, model.StatusCutOff},
		{"a", estimators.MissingReward(), model.StatusErrored},
		{"a", 0, model.StatusMasked},
		{"b", 1, model.StatusMasked},
		{"b", 0, model.StatusDropped},
		{"c", 3, model.StatusTrains},
		{"c", 1, model.StatusTrains},
		{"c", 2, model.StatusDropped},
		{"d", estimators.MissingReward(), model.StatusErrored},
		{"d", estimators.MissingReward(), model.StatusErrored},
	})
	a := analyze(t, snap, set)
	third := 1.0 / 3
	for i, want := range []float64{2 * third, -third, 0, 0, 0, 0, 1, -1, 0, 0, 0} {
		if math.Abs(a.Processed[i]-want) > 1e-7 {
			t.Errorf("sample %d has the advantage %g, want %g", i, a.Processed[i], want)
		}
	}
	if want := []bool{true, true, false, false, false, false, true, true, false, false, false}; !slices.Equal(a.Keep, want) {
		t.Errorf("kept %v", a.Keep)
	}
	for name, want := range map[string]float64{ // Σ|A| = 3, ΣA² = 5/9 + 2; of the rewards that did not fail the mean is 8/8
		"vantage/effective_samples": 9 / (5.0/9 + 2), "vantage/nonzero_advantages": 4, "vantage/signal": 0.5, "vantage/abs_advantage_ratio": 1, "critic/score/mean": 1,
	} {
		if got := a.Metric(name); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %g, want %g", name, got, want)
		}
	}
	if want := (model.StatusCounts{model.StatusTrains: 3, model.StatusCutOff: 1, model.StatusMasked: 2, model.StatusDropped: 2, model.StatusErrored: 3}); a.Statuses != want {
		t.Errorf("statuses %v, want %v", a.Statuses, want)
	}
	if got := a.Table[0].RewardMean; math.Abs(got-third) > 1e-9 {
		t.Errorf("the mean of a is %g, want 1/3", got)
	}
	for g, want := range []struct {
		fate  model.Fate
		cause string
	}{
		{model.FateAlive, "1 masked, 1 errored, 1 cut off of 4, according to the log"},
		{model.FateSkipped, "1 masked, 1 dropped of 2, according to the log"},
		{model.FateAlive, "1 dropped of 3, according to the log"},
		{model.FateSkipped, "2 errored of 2, according to the log"},
	} {
		if got := a.Cause(g); a.Table[g].Fate != want.fate || got != want.cause {
			t.Errorf("group %d is %s, %q, want %s, %q", g, a.Table[g].Fate, got, want.fate, want.cause)
		}
	}
}

// Steps that are joined have the statuses of each, also after one without any.
func TestStatusesOfJoinedSteps(t *testing.T) {
	store := model.NewStore()
	chunk := &model.Chunk{Format: "made", Progress: model.Progress{CaughtUp: true}}
	for i, status := range []model.Status{0, 0, 0, model.StatusMasked} {
		chunk.Records = append(chunk.Records, model.Record{Step: int64(i / 2), Prompt: 1, Reward: float64(i % 2), Advantage: math.NaN(), Length: 1, Status: status})
	}
	store.Append(chunk)
	a, err := AnalyzeSteps(context.Background(), store.Snapshot(), []int{0, 1}, model.DefaultSettings(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []model.Status{0, 0, 0, model.StatusMasked}; !slices.Equal(a.Status, want) || a.Statuses[model.StatusMasked] != 1 || a.Nonzero != 3 {
		t.Errorf("statuses %v, %d train", a.Status, a.Nonzero)
	}
}

// Samples that were cut off train unless the trainer masks or drops them. TRL's GRPO divides by std + 1e-4, ddof 1: masked, the one that
// was cut off still counts, so that 1, 0, 0 have the mean 1/3 and the std 1/√3; dropped, 1 and 0 have 1/2 and 1/√2.
func TestTruncatedSamples(t *testing.T) {
	snap := withStatuses([]statusRow{{"a", 1, 0}, {"a", 0, 0}, {"a", 0, model.StatusCutOff}})
	for truncated, want := range map[string][3]float64{
		"train": {1.1545005, -0.5772503, -0.5772503}, "mask": {1.1545005, -0.5772503, 0}, "drop": {0.7070068, -0.7070068, 0},
	} {
		set := model.DefaultSettings()
		set.Framework, set.Estimator, set.Scale = "trl", "grpo", estimators.ScaleGroup
		set, err := set.Set("truncated", truncated)
		if err != nil {
			t.Fatal(err)
		}
		a := analyze(t, snap, set)
		for i := range want {
			if math.Abs(a.Processed[i]-want[i]) > 1e-6 {
				t.Errorf("%s: %v, want %v", truncated, a.Processed, want)
				break
			}
		}
	}
}

// Masks of truncated samples and clips of advantages are those of the frameworks' own code, which testdata/truncated.py ran. A masked
// sample counts in the mean and std of its group, and not where a batch is whitened by its tokens; a dropped one counts in nothing.
func TestTruncatedSamplesEqualTheFrameworks(t *testing.T) {
	var file struct {
		Cases []struct {
			Rewards   []float64
			Truncated []bool
			Lengths   []int32
		}
		Runs []struct {
			Framework, Estimator, Truncated string
			Scale                           estimators.Scale
			Options                         map[string]json.Number
			Advantages                      []json.RawMessage
		}
	}
	filetest.JSON(t, filepath.Join("testdata", "truncated.json"), &file)
	for _, run := range file.Runs {
		var err error
		set := model.DefaultSettings()
		set.Framework, set.Estimator, set.Scale = run.Framework, run.Estimator, run.Scale
		if set, err = set.Set("truncated", run.Truncated); err != nil {
			t.Fatal(err)
		}
		for key, value := range run.Options {
			if set, err = set.Set("option", key+"="+value.String()); err != nil {
				t.Fatal(err)
			}
		}
		e, err := set.FindEstimator()
		if err != nil {
			t.Fatal(err)
		}
		compared, tolerance := 0, max(2e-7, e.Tolerance)
		for k, c := range file.Cases {
			chunk := &model.Chunk{Format: "made", LengthUnit: model.LengthTokens, Progress: model.Progress{CaughtUp: true}}
			left := [3]int{}
			for i, r := range c.Rewards {
				record := model.Record{Step: 1, Prompt: uint64(i/4 + 1), Reward: r, Advantage: math.NaN(), Length: c.Lengths[i]}
				if c.Truncated[i] {
					record.Status = model.StatusCutOff
				} else {
					left[i/4]++
				}
				chunk.Records = append(chunk.Records, record)
			}
			if run.Framework == "open-instruct" && slices.ContainsFunc(left[:], func(n int) bool { return n%4 != 0 }) {
				continue // it fails, or takes blocks across prompts for groups
			}
			compared++
			var want []float64
			if err := json.Unmarshal(run.Advantages[k], &want); err != nil {
				t.Fatal(err)
			}
			a := analyze(t, stepsOf(chunk), set)
			for i, want := range want {
				if got := a.Processed[i]; math.Abs(got-want) > tolerance*max(1, math.Abs(want)) {
					t.Errorf("%s %s %s %s %v, case %d: sample %d has the advantage %.9g, want %.9g", run.Framework, run.Estimator, run.Scale, run.Truncated, run.Options, k, i, got, want)
					break
				}
			}
		}
		if compared < 2 {
			t.Errorf("%s %s: %d cases compared", run.Framework, run.Estimator, compared)
		}
	}
}
