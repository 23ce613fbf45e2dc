package logprobs

import (
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/estimators/offpolicy"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/torchtest"
	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// check reads a folder, and holds every sample to what all have in common: a token is scored or not, never both, and no figure of no
// token is a number.
func check(t *testing.T, dir string) {
	t.Helper()
	err := Read(&fileio.Disk{}, dir, func(s Sample) error {
		f := offpolicy.FiguresOf(s.Row)
		trains := max(len(s.Sampler), len(s.Trainer))
		if s.Mask != nil {
			trains = 0
			for _, m := range s.Mask {
				if m {
					trains++
				}
			}
		}
		switch {
		case f.Tokens+f.Unscored != trains:
			t.Fatalf("%d scored and %d unscored of %d tokens: %+v", f.Tokens, f.Unscored, trains, s)
		case (f.MeanAbs == f.MeanAbs) != (f.Tokens > 0):
			t.Fatalf("mean %v of %d tokens", f.MeanAbs, f.Tokens)
		case s.VersionLag != nil && *s.VersionLag < 0:
			t.Fatalf("a lag of %d", *s.VersionLag)
		case s.File == "" || s.Line < 1:
			t.Fatalf("at %q:%d", s.File, s.Line)
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrNone) && !errors.Is(err, fileio.ErrNotRead) && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!errors.Is(err, pages.ErrBroken) && !errors.Is(err, pages.ErrUnsupported) {
		t.Fatal(err)
	}
}

// FuzzLines reads lines of all shapes, damaged.
func FuzzLines(f *testing.F) {
	for _, line := range []string{
		`{"id": "a", "rollout_log_probs": [-1, null], "old_log_probs": [-1, NaN], "response_mask": [1, 0], "policy_version": [1, 2], "advantage": 0.5}`,
		`{"generation_logprobs": [[0, -1]], "prev_logprobs": [[0, -1]], "token_loss_mask": [[0, 1]], "sample_loss_mask": [1], "advantages": [[0, 1]]}`,
		`{"inference_logprobs": [-1], "trainer_logprobs": [-1], "loss_mask": [true], "token_ids": [3], "advantages": [1]}`,
		`{"id": "e", "group": {"id": "g"}, "run": {"work": {"step": 1, "policy": {"start": 0, "end": 1}}}, "traces": [{"nodes": [{"token_ids": [2], "mask": [true], "logprobs": [-1], "trainer_logprobs": [-1]}]}]}`,
		`{"response_tokens": [5], "logprobs": [NaN], "step": 2}`,
		`{"head_version": 2, "tail_version": 3, "task_id": 1}`,
		`{"iteration": 4, "traj_idx": 2, "sampling_client_step": 2}`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		dir := t.TempDir()
		filetest.Write(t, filepath.Join(dir, "step_3", "traces.jsonl"), line)
		filetest.Write(t, filepath.Join(dir, "token_exports", "step_3", "rank_0.jsonl"), line)
		check(t, dir)
	})
}

// FuzzDumps reads what miles trained, of lengths, slices and ranks of any kind.
func FuzzDumps(f *testing.F) {
	f.Add(2, 0, 5, 8, 0, "\x01\x00\xff", uint8(1))
	f.Add(1, 0, 3, 3, 0, "abc", uint8(3))
	f.Add(2, 1, 5, 8, 16, "abcd", uint8(4))
	f.Add(-1, 7, -5, 1<<30, -3, "", uint8(0))
	f.Fuzz(func(t *testing.T, size, rank, response, total, padded int, numbers string, trainer uint8) {
		small := func(n int) int { return int(int32(n)) }
		var sampler []float32
		for _, b := range []byte(numbers) {
			sampler = append(sampler, -float32(b))
		}
		lists := torchtest.Dict{
			"sample_indices", torchtest.List(0), "response_lengths", torchtest.List(small(response)), "total_lengths", torchtest.List(small(total)),
			"max_seq_lens", torchtest.List(small(padded)), "rollout_log_probs",
			[]any{torchtest.Floats(sampler...)},
			"log_probs",
			[]any{torchtest.Floats(make([]float32, trainer)...)},
			"loss_masks",
			[]any{torchtest.List(1, 0, 1)},
		}
		file := torchtest.File(t, torchtest.Dict{"rollout_id", 0, "rollout_data", lists, "cp_rank", small(rank), "cp_size", small(size)})
		dir := t.TempDir()
		filetest.Write(t, filepath.Join(dir, trainFolder, "0_0.pt"), file)
		filetest.Write(t, filepath.Join(dir, rolloutFolder, "0.pt"), []byte(strings.Repeat(numbers, 3)))
		check(t, dir)
	})
}

// FuzzDecimal reads numbers as strconv does, and lists of them as values of any kind are read.
func FuzzDecimal(f *testing.F) {
	for _, text := range []string{"-1.1920928955078125e-07", "0.00012345678806304932", "0, 1,-0.5e-3 ,2", "1e-400", "9007199254740993", "0.1.2", "-"} {
		f.Add(text)
	}
	same := func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }
	f.Fuzz(func(t *testing.T, text string) {
		if x, n := decimal([]byte(text)); n > 0 {
			want, err := strconv.ParseFloat(text[:n], 64)
			if err != nil && !math.IsInf(want, 0) || !same(x, float32(want)) {
				t.Fatalf("%q is read as %v, want %v", text[:n], x, float32(want))
			}
		}
		list := jsonscan.Value{Kind: jsonscan.Array, Raw: []byte("[" + text + "]")}
		var want []float32
		list.EachElement(func(e jsonscan.Value) {
			x, ok := e.ToFloat()
			if !ok || e.Kind != jsonscan.Number {
				x = math.NaN()
			}
			want = append(want, float32(x))
		})
		plain, ok := plainFloats(list.Raw)
		isWhole := jsonscan.ScanObject([]byte(`{"a": `+string(list.Raw)+"}"), nil) == nil
		if ok && isWhole && !slices.EqualFunc(plain, want, same) {
			t.Fatalf("%q is read as %v, want %v", text, plain, want)
		}
		if mask, ok := plainTruths(list.Raw); ok && isWhole && !slices.Equal(mask, truths(append([]float32{}, want...))) {
			t.Fatalf("%q is read as %v, want %v", text, mask, want)
		}
	})
}
