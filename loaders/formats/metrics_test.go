package formats

import (
	"strings"
	"testing"
)

// A log of averages is refused with the words of the trainer that wrote it: where its samples are, and which option
// writes them. The names of the averages are those of the trainers' code.
func TestAveragesSayWhereTheSamplesAre(t *testing.T) {
	for name, c := range map[string]struct{ record, want string }{
		"verl's file logger":    {`{"step":1,"data":{"training/global_step":1,"critic/score/mean":0.5}}`, "(last: critic/score/mean 0.5); verl writes samples, one row each, to DIR/{step}.jsonl with trainer.rollout_data_dir=DIR; then run `vantage DIR`"},
		"EasyR1's file logger":  {`{"step":1,"reward":{"overall":0.3,"format":1},"critic":{"score":{"mean":0.2}}}`, "EasyR1 writes samples, one row each, to DIR/generations.log with trainer.logger=[console,file], trainer.val_generations_to_log=N"},
		"rLLM's file logger":    {`{"step":1,"data":{"training/global_step":1,"critic/score/mean":0.5,"groups/num_trajs_before_filter":64}}`, "(last: critic/score/mean 0.5); rLLM writes samples, one row each, to DIR/episodes/{train,val}_step_{step}_epoch_{epoch}/episode_{hash}_{id}.json with rllm.episode_logging.log_episodes=true and rllm.episode_logging.episode_log_dir=DIR"},
		"rLLM's older trainer":  {`{"step":1,"data":{"critic/score/mean":0.5,"batch/solve_none":0.1,"batch/solve_all":0.2,"batch/solve_partial":0.7}}`, "rLLM writes samples, one row each, to DIR/episodes/"},
		"ART's history.jsonl":   {`{"train/reward":0.7,"train/exception_rate":0.0,"train/reward_std_dev":0.1,"step":3,"recorded_at":"2026-01-01T00:00:00"}`, "(last: train/reward 0.7); ART writes samples, one row each, to DIR/{project}/models/{model}/trajectories/{split}/{step}.parquet by default, into the folder trajectories next to history.jsonl; DIR is .art, or that of LocalBackend(path=DIR); then run `vantage DIR`"},
		"slime's metrics":       {`{"rollout/step":1,"rollout/raw_reward":0.5}`, "slime (or miles) writes samples, one row each, to DIR/rollout_data/{rollout_id}.pt with --dump-details DIR"},
		"tinker's metrics":      {`{"step":0,"progress/batch":0,"progress/done_frac":0.1,"env/all/reward/total":0.5}`, "tinker-cookbook writes samples, one row each, to DIR/iteration_{step}/{train,eval}_rollout_summaries.jsonl by default, with log_path=DIR; then run `vantage DIR`"},
		"prime-rl's metrics":    {`{"step":0,"time":1.5,"progress/total_rollouts":8,"reward/all/mean":0.5}`, "prime-rl writes samples, one row each, to DIR/rollouts/step_{step}/{train,eval}/{effective,all}/traces.jsonl by default, with DIR = output_dir/run.name (--no-monitors.file turns it off); then run `vantage DIR/rollouts`"},
		"ms-swift's logging":    {`{"loss":0.1,"reward":0.5,"completions/mean_length":9.0,"global_step/max_steps":"1/9","elapsed_time":"1s","memory(GiB)":9.1,"train_speed(s/it)":1.5}`, "(last: reward 0.5); ms-swift writes samples, one row each, to DIR/v{n}-{time}/completions.jsonl with --log_completions true"},
		"TRL's metrics":         {`{"loss":0.1,"reward":0.5,"frac_reward_zero_std":0.25,"completions/mean_length":9.0}`, "TRL writes samples, one row each, to DIR/completions/completions_{step}.parquet with log_completions=True"},
		"trainer_state.json":    {`{"epoch":0.1,"global_step":2,"log_history":[{"reward":0.25,"step":1},{"reward":0.5,"step":2},{"train_runtime":9.5,"step":2}],"stateful_callbacks":{}}`, "metrics only, no samples: it holds averages of steps (last: reward 0.5); TRL writes samples to DIR/completions/completions_{step}.parquet with log_completions=True, logging_steps=1 and output_dir=DIR in GRPOConfig, ms-swift writes samples to DIR/v{n}-{time}/completions.jsonl with --log_completions true --logging_steps 1 --output_dir DIR; then run `vantage DIR`"},
		"a trainer not known":   {`{"step":1,"loss":0.5}`, "vantage needs one row per sample: `vantage list formats` lists how each trainer writes them"},
		"of no averages at all": {`{"global_step":2,"log_history":[]}`, "metrics only, no samples: it holds averages of steps; TRL writes samples to"},
	} {
		if got := Refusal([]byte(c.record)); !strings.HasPrefix(got, "metrics only, no samples: it holds averages of steps") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// Every trainer whose averages are known writes samples in a format that is read.
func TestAveragesLeadToFormats(t *testing.T) {
	for _, log := range metricsLogs() {
		f, ok := Find(log.format)
		if !ok {
			t.Errorf("%s: no format %s", log.trainer, log.format)
		}
		for _, mark := range log.marks {
			if got := WhereSamplesAre([]byte("x\n" + mark)); !strings.HasPrefix(got, log.trainer+" writes samples, one row each, to ") || !strings.HasSuffix(got, "; then run `"+f.Command()+"`") {
				t.Errorf("%s, by %s: %q", log.trainer, mark, got)
			}
		}
	}
}
