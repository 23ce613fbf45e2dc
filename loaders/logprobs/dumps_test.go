package logprobs

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/torchtest"
)

type dict = torchtest.Dict

// rolloutFile is a rollout as slime saves it, of samples with a version each and two tokens.
func rolloutFile(t *testing.T, id int, versions ...string) string {
	t.Helper()
	samples := []any{}
	for i, version := range versions {
		samples = append(samples, dict{
			"group_index", i / 2, "index", i, "response", strings.Repeat("long ", 1000), "tokens", torchtest.List(make([]int, 200)...), "loss_mask", torchtest.List(1, 1),
			"weight_versions", torchtest.List(version), "rollout_log_probs", torchtest.List(-1.0, -2.0),
		})
	}
	return string(torchtest.File(t, dict{"rollout_id", id, "samples", samples}))
}

// trainedSample is what slime trained of a sample.
func trainedSample(index int, trainer ...float32) dict {
	return dict{
		"rollout_position", index, "sample_index", index, "response_lengths", 3, "total_lengths", 5, "rollout_log_probs", torchtest.Floats(-1, -2, -3),
		"log_probs", torchtest.Floats(trainer...), "loss_masks", torchtest.Ints(1, 0, 1), "advantages", torchtest.Floats(0.5, 0.5, 0.5),
	}
}

func slimeTrain(t *testing.T, id int, samples ...any) string {
	t.Helper()
	return string(torchtest.File(t, dict{"format_version", 2, "rollout_id", id, "samples", samples}))
}

// ranks are what a rank of miles trained.
func ranks(t *testing.T, id, size, rank int, lists dict) string {
	t.Helper()
	return string(torchtest.File(t, dict{"rollout_id", id, "rank", rank, "rollout_data", lists, "cp_rank", rank, "cp_size", size, "qkv_format", "thd"}))
}

func TestDumps(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"slime, in the order of the rollout, and a sample that did not train": {map[string]string{
			"rollout_data/1.pt": rolloutFile(t, 1, "2", "2", "1"),
			"train_data/1.pt":   slimeTrain(t, 1, trainedSample(1, -1, -9, -3.25), trainedSample(0, -1, -9, -3.5)),
		}, []string{
			`train_data/1.pt:2 step 1 id "0" group "0" r[-1 -2 -3] o[-1 -9 -3.5] n[] mask[true false true] A 0.5 versions 0 0 lag 0`,
			`train_data/1.pt:1 step 1 id "1" group "0" r[-1 -2 -3] o[-1 -9 -3.25] n[] mask[true false true] A 0.5 versions 0 0 lag 0`,
			`rollout_data/1.pt:3 step 1 id "2" group "1" r[-1 -2] o[] n[] mask[true true] A NaN versions -1 -1 lag 1`,
		}},
		"an engine that is not updated, and then begins again": {map[string]string{
			"debug/rollout_0.pt": rolloutFile(t, 0, "1"), "debug/rollout_1.pt": rolloutFile(t, 1, "1"), "debug/rollout_2.pt": rolloutFile(t, 2, "3"),
			"debug/rollout_3.pt": rolloutFile(t, 3, "1"), "debug/rollout_4.pt": rolloutFile(t, 4, "default"), "debug/rollout_5.pt": rolloutFile(t, 5, "2"),
			"debug/eval_rollout_5.pt": rolloutFile(t, 5, "2"),
		}, []string{
			`debug/rollout_0.pt:1 step 0 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN versions -1 -1 lag 0`,
			`debug/rollout_1.pt:1 step 1 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN versions -1 -1 lag 1`,
			`debug/rollout_2.pt:1 step 2 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN versions 1 1 lag 0`,
			`debug/rollout_3.pt:1 step 3 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN versions 2 2 lag 0`,
			`debug/rollout_4.pt:1 step 4 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN no versions`,
			`debug/rollout_5.pt:1 step 5 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN versions 3 3 lag 1`,
		}},
		"a log that begins where a run resumed": {map[string]string{"rollout_data/70.pt": rolloutFile(t, 70, "1")}, []string{
			`rollout_data/70.pt:1 step 70 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN versions 69 69 lag 0`,
		}},
		"miles, ranks of data, and a rank that computed no log-probs": {map[string]string{
			"train_data/4_0.pt": ranks(t, 4, 1, 0, dict{
				"sample_indices", torchtest.List(8, 9), "response_lengths", torchtest.List(2, 1), "total_lengths", torchtest.List(3, 3),
				"rollout_log_probs",
				[]any{torchtest.Floats(-1, -2), torchtest.Floats(-4)},
				"loss_masks",
				[]any{torchtest.Ints(1, 1), torchtest.Ints(1)},
				"log_probs",
				[]any{torchtest.Floats(-1, -2.5)},
				"advantages",
				[]any{torchtest.Floats(-1, -1), torchtest.Floats(2)},
			}),
			"train_data/4_1.pt": ranks(t, 4, 1, 0, dict{
				"sample_indices", torchtest.List(9), "response_lengths", torchtest.List(1), "total_lengths", torchtest.List(3),
				"rollout_log_probs",
				[]any{torchtest.List(-4.0)},
				"loss_masks",
				[]any{torchtest.List(1)},
				"log_probs",
				[]any{torchtest.Floats(-4.5)},
				"advantages",
				[]any{torchtest.Floats(2)},
			}),
		}, []string{
			`train_data/4_0.pt:1 step 4 id "8" group "" r[-1 -2] o[-1 -2.5] n[] mask[true true] A -1 no versions`,
			`train_data/4_1.pt:1 step 4 id "9" group "" r[-4] o[-4.5] n[] mask[true] A 2 no versions`,
		}},
		// Of 8 tokens with 5 of the response, in 4 parts of 2, the first rank has the last token of it alone, the second the others.
		"miles, slices of a context": {map[string]string{
			"train_data/0_0.pt": ranks(t, 0, 2, 0, dict{
				"sample_indices", torchtest.List(0), "response_lengths", torchtest.List(5), "total_lengths", torchtest.List(8),
				"rollout_log_probs",
				[]any{torchtest.Floats(-5)},
				"log_probs",
				[]any{torchtest.Floats(-5.5)},
				"advantages",
				[]any{torchtest.Floats(5)},
				"loss_masks",
				[]any{torchtest.Ints(1, 1, 0, 1, 1)},
			}),
			"train_data/0_1.pt": ranks(t, 0, 2, 1, dict{
				"sample_indices", torchtest.List(0), "response_lengths", torchtest.List(5), "total_lengths", torchtest.List(8),
				"rollout_log_probs",
				[]any{torchtest.Floats(-1, -2, -3, -4)},
				"log_probs",
				[]any{torchtest.Floats(-1.5, -2.5, -3.5, -4.5)},
				"advantages",
				[]any{torchtest.Floats(1, 2, 3, 4)},
				"loss_masks",
				[]any{torchtest.Ints(1, 1, 0, 1, 1)},
			}),
		}, []string{
			`train_data/0_0.pt:1 step 0 id "0" group "" r[-1 -2 -3 -4 -5] o[-1.5 -2.5 -3.5 -4.5 -5.5] n[] mask[true true false true true] A 1 no versions`,
		}},
		"a slice that is missing": {map[string]string{
			"train_data/0_1.pt": ranks(t, 0, 2, 1, dict{
				"sample_indices", torchtest.List(0), "response_lengths", torchtest.List(5), "total_lengths", torchtest.List(8),
				"rollout_log_probs",
				[]any{torchtest.Floats(-1, -2, -3, -4)},
				"log_probs",
				[]any{torchtest.Floats(-1.5, -2.5, -3.5, -4.5)},
				"loss_masks",
				[]any{torchtest.Ints(1, 1, 0, 1, 1)},
			}),
		}, []string{
			`train_data/0_1.pt:1 step 0 id "0" group "" r[-1 -2 -3 -4 NaN] o[-1.5 -2.5 -3.5 -4.5 NaN] n[] mask[true true false true true] A NaN no versions`,
		}},
		"other lengths, no index, and no mask": {map[string]string{
			"train_data/0_0.pt": ranks(t, 0, 2, 0, dict{
				"response_lengths", torchtest.List(5), "total_lengths", torchtest.List(8),
				"rollout_log_probs",
				[]any{torchtest.Floats(-1, -2)},
				"log_probs",
				[]any{torchtest.Floats(-1)},
			}),
		}, []string{`train_data/0_0.pt:1 step 0 id "" group "" r[-1 -2] o[NaN NaN NaN NaN -1] n[] mask[] A NaN no versions`}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, c.files)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// The one folder, or one file of it, finds what belongs to it; a damaged file costs its own numbers alone.
func TestDumpsFindEachOther(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) { filetest.Write(t, filepath.Join(dir, name), data) }
	write("rollout_data/0.pt", rolloutFile(t, 0, "1"))
	write("train_data/0.pt", slimeTrain(t, 0, trainedSample(0, -1, -2, -3)))
	write("rollout_data/1.pt", rolloutFile(t, 1, "2"))
	write("train_data/1.pt", slimeTrain(t, 1, trainedSample(0, -1, -2, -3))[:200])
	write("other/rows.jsonl", `{"rollout_log_probs": [-1], "old_log_probs": [-1]}`+"\n")
	const first = `train_data/0.pt:1 step 0 id "0" group "0" r[-1 -2 -3] o[-1 -2 -3] n[] mask[true false true] A 0.5 versions -1 -1 lag 0`
	const second = `rollout_data/1.pt:1 step 1 id "0" group "0" r[-1 -2] o[] n[] mask[true true] A NaN versions 0 0 lag 0`
	for _, c := range []struct{ path, want string }{
		{"rollout_data", first + second}, {"train_data", first + second}, {"rollout_data/0.pt", first}, {"train_data/0.pt", first}, {"rollout_data/1.pt", second},
	} {
		got, err := readAt(filepath.Join(dir, c.path))
		if err != nil || strings.Join(got, "") != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.path, err, strings.Join(got, "\n"), c.want)
		}
	}
	if got, err := read(t, map[string]string{"train_data/3.pt": "PK\x03\x04damaged"}); err == nil || !strings.Contains(err.Error(), "3.pt") || len(got) > 0 {
		t.Errorf("a damaged file alone: %v, %v", got, err)
	}
}
