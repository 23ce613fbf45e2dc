package commands

import (
	"context"
	"path/filepath"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/formats"
	"vantage/model"
	"vantage/model/match"
)

// trainers are the default estimators of the trainers that write each format. Formats that are not
// here have none.
func trainers() map[string]string {
	return map[string]string{
		"art": "art local", "art-lines": "art local", "miles": "miles grpo",
		"verl": "verl grpo", "easyr1": "easyr1 grpo", "trl": "trl grpo", "trl-table": "trl grpo", "trackio": "trl grpo", "trackio-traces": "trl grpo", "ms-swift": "ms-swift grpo", "ms-swift-ray": "ms-swift grpo",
		"nemo-rl": "nemo-rl grpo", "roll": "roll grpo", "skyrl": "skyrl grpo", "areal": "areal reward_norm", "areal-text": "areal reward_norm",
		"prime-rl": "prime-rl grpo", "prime-hosted": "prime-rl grpo", "verifiers": "verifiers group", "open-instruct": "open-instruct centered",
		"tinker": "tinker centered", "rllm": "rllm grpo", "torchtitan": "torchtitan centered", "tunix": "tunix grpo", "slime": "slime grpo",
	}
}

// chosen reads a log and returns its format and its choice.
func chosen(t *testing.T, path string) (format string, c match.Choice) {
	t.Helper()
	p := program{split: "all"}
	snap, err := p.readAll(context.Background(), []string{path})
	if err != nil {
		t.Fatal(err)
	}
	set, c, err := p.choose(context.Background(), snap, model.DefaultSettings())
	if err != nil || set.Framework != c.Framework || set.Estimator != c.Estimator || set.Scale != c.Scale {
		t.Fatalf("computes as %+v, says %v (%v)", set, c, err)
	}
	return snap.Run.Format, c
}

// checkChoice fails unless a log is computed as its advantages say, else as its trainer does.
func checkChoice(t *testing.T, format string, c match.Choice) {
	t.Helper()
	want, origin := trainers()[format], match.FromTrainer
	if want == "" {
		want, origin = "easyr1 grpo", match.Assumed
	}
	if c.Confirmed() {
		origin = match.FromAdvantages
		if format != "trl" {
			return // made advantages may be those of any framework
		}
	}
	if got := c.Framework + " " + c.Estimator; got != want || c.Origin != origin {
		t.Errorf("%s: computed as %v, by %q, want %s, by %q", format, c, c.Origin, want, origin)
	}
}

// Every made log is computed as its trainer computes.
func TestMadeLogsAreComputedAsTheirTrainer(t *testing.T) {
	t.Parallel()
	for _, log := range formatstest.Logs(t, filepath.Join("..", "..", "loaders", "formats", "testdata")) {
		t.Run(log.Format, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, filepath.FromSlash(log.Name))
			filetest.Write(t, path, log.Text)
			format, c := chosen(t, path)
			checkChoice(t, format, c)
		})
	}
}

// Every sample log of a trainer is computed as that trainer computes.
func TestSampleLogsAreComputedAsTheirTrainer(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"verl/SYNTHETIC_v0_dapo/rollout_data":      "verl grpo (assumed: the trainer's default)",
		"verl/SYNTHETIC_v1/rollout_data":           "verl grpo (assumed: the trainer's default)",
		"verl/verl_dev_1.jsonl":                    "verl grpo (a guess: each prompt has one sample)",
		"easyr1/SYNTHETIC_ckpt":                    "EasyR1 (Brian's fork) grpo (assumed: the trainer's default)",
		"trl/Illustrated-GRPO":                     "TRL grpo ✓ 36/36 as logged",
		"ms-swift/SYNTHETIC_ray/completions.jsonl": "ms-swift grpo (assumed: the trainer's default)",
		"areal/SYNTHETIC":                          "AReaL reward_norm (assumed: the trainer's default)",
		"roll/SYNTHETIC":                           "ROLL grpo (assumed: the trainer's default)",
		"skyrl/SYNTHETIC":                          "SkyRL grpo (assumed: the trainer's default)",
		"tinker-cookbook/SYNTHETIC":                "tinker-cookbook centered (assumed: the trainer's default)",
		"verifiers/gsm8k--gpt-4.1-mini":            "verifiers group (assumed: the trainer's default)",
		"nemo-rl/SYNTHETIC":                        "nemo-rl grpo",
		"open-instruct/SYNTHETIC":                  "open-instruct centered",
		"prime-rl/SYNTHETIC_v1":                    "prime-rl grpo",
		"ms-swift/SYNTHETIC_hf":                    "ms-swift grpo",
		"rllm/SYNTHETIC":                           "rLLM grpo (assumed: the trainer's default)",
		"tunix/SYNTHETIC":                          "Tunix grpo (assumed: the trainer's default)",
		"wandb/SYNTHETIC_offline-run":              "trl grpo",
		"unstable-baselines/Qwen3-0.6B-TicTacToe-v0-run-1746414948": "common grpo (assumed: mean and std of the group, eps 1e-6)",
	} {
		t.Run(path, func(t *testing.T) {
			format, c := chosen(t, repotest.SampleLog(t, path))
			checkChoice(t, format, c)
			if got := c.String(); got != want && c.Framework+" "+c.Estimator != want {
				t.Errorf("computed as %s, want %s", got, want)
			}
		})
	}
}

// The framework of every format is one of package estimators.
func TestFrameworksOfFormatsExist(t *testing.T) {
	t.Parallel()
	for _, f := range formats.All() {
		set := model.DefaultSettings().WithFramework(f.Framework)
		if _, err := set.FindEstimator(); f.Framework != "" && err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if (f.Framework == "") != (trainers()[f.Name] == "") {
			t.Errorf("%s is of the framework %q, and %q in trainers: name the estimator there by which its logs are computed", f.Name, f.Framework, trainers()[f.Name])
		}
	}
}

// Without a framework, an estimator must be one of some framework, and belongs to that of the log.
func TestAnEstimatorAloneIsThatOfTheLogsFramework(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"rloo": "verl rloo (given)", "opo": "verl opo (given)", "nonsense": "", "leave_one_out": ""} {
		p := program{split: "all"}
		_, set, err := p.configure([]string{"algorithm.adv_estimator=" + name})
		if err != nil {
			if want != "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		store := model.NewStore()
		store.Append(&model.Chunk{Format: "verl", Framework: "verl", Records: []model.Record{{Step: 1, Group: "a", Reward: 1}}})
		_, c, err := p.choose(context.Background(), store.Snapshot(), set)
		if want == "" && err == nil || want != "" && c.String() != want {
			t.Errorf("%s: %v, %v, want %s", name, c, err, want)
		}
	}
}
