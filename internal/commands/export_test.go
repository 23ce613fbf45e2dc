package commands

import (
	"math"
	"strings"
	"testing"

	"vantage/model"
)

// longRun returns a run of steps with 256 samples.
func longRun(steps int) model.Snapshot {
	store := model.NewStore()
	for step := range steps {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for i := range 256 {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(i/4 + 1), Reward: float64((i * (i + step)) % 3), Advantage: math.NaN(), Length: 10,
			})
		}
		store.Append(chunk)
	}
	return store.Snapshot()
}

// --columns takes names in any order, and says of others what was meant and what there is.
func TestChooseColumns(t *testing.T) {
	t.Parallel()
	snap := longRun(1)
	for named, want := range map[string]string{
		"":                 "step group index reward advantage_original kept advantage length fate refused admitted loss_weight advantage_logged file line",
		"response, step":   "response step",
		"advantag":         `--columns: no column "advantag": did you mean advantage; this log has step, `,
		"zzz":              `--columns: no column "zzz"; this log has step, `,
		"step,line,step":   "--columns names step twice",
		"reward/unwritten": `--columns: no column "reward/unwritten"; this log has step, `,
	} {
		columns, err := chooseColumns(snap, named)
		got := ""
		for _, c := range columns {
			got = strings.TrimSpace(got + " " + c.Name)
		}
		if err != nil {
			got = err.Error()
		}
		if got != want && (err == nil || !strings.HasPrefix(got, want)) {
			t.Errorf("%q gives %s, want %s", named, got, want)
		}
	}
}
