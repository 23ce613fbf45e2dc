package illruns

import (
	"bufio"
	"maps"
	"math"
	"slices"
)

// metrics are what a trainer logs of a step, under its own names.
type metrics map[string]float64

// trainerState is a log of metrics alone: Hugging Face's trainer_state.json.
var trainerState = Format{Name: "trainer_state", write: (*writer).trainerState}

// changeMetrics adds a change of the trainer's metrics, which are logged then.
func (r *Run) changeMetrics(f func(t int, m metrics)) { r.metrics = append(r.metrics, f) }

// near is a value that wanders by a share of itself.
func (r *Run) near(x, share float64) float64 { return x * math.Exp(share*r.rng.NormFloat64()) }

// metricsOf are those of a step. Healthy ones, which scenes change: the entropy falls by a third, the KL divergence rises steadily.
func (w *writer) metricsOf(t int) metrics {
	x := float64(t) / float64(w.Steps)
	m := metrics{
		"actor/entropy": w.near(0.6-0.2*x, 0.04), "actor/kl_loss": w.near(0.001+0.02*x, 0.05), "actor/grad_norm": w.near(0.3, 0.15),
		"actor/pg_clipfrac": w.near(0.004, 0.2), "training/rollout_probs_diff_mean": w.near(0.006, 0.05),
	}
	var rewards, advantages moments
	least, most := math.Inf(1), math.Inf(-1)
	groups := w.advantages(w.steps[t])
	for i := range w.steps[t] {
		reward := w.steps[t][i].Reward
		group := groups[w.steps[t][i].Group]
		advantage := (reward - group.mean()) / (group.deviation() + 1e-6)
		rewards, advantages = rewards.with(reward, 1), advantages.with(advantage, 1)
		least, most = min(least, advantage), max(most, advantage)
	}
	m["critic/score/mean"] = rewards.mean()
	m["critic/advantages/mean"], m["critic/advantages/min"], m["critic/advantages/max"] = advantages.mean(), least, most
	for _, f := range w.metrics {
		f(t, m)
	}
	return m
}

// object has the metrics in the order of their names.
func (m metrics) object() (o object) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		o = append(o, field{name, number(m[name])})
	}
	return o
}

// fileLogger: verl's file logger, a line per step.
func (w *writer) fileLogger() error {
	return w.file("metrics.jsonl", func(out *bufio.Writer) error {
		for t := range w.steps {
			line := object{{"step", w.Number(t)}, {"data", w.metricsOf(t).object()}}
			if _, err := out.Write(append(line.append(nil), '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// trainerState: trainer_state.json, the log of a run of TRL.
func (w *writer) trainerState() error {
	var entries []any
	for t := range w.steps {
		var rewards, deviations, equal moments
		groups := w.advantages(w.steps[t])
		for _, name := range slices.Sorted(maps.Keys(groups)) { // sums of another order are other sums
			group := groups[name]
			rewards, deviations = rewards.with(group.mean(), 1), deviations.with(group.deviation(), 1)
			flat := 0.0
			if group.deviation() == 0 {
				flat = 1
			}
			equal = equal.with(flat, 1)
		}
		m := metrics{
			"reward": rewards.mean(), "reward_std": deviations.mean(), "frac_reward_zero_std": equal.mean(), "entropy": w.near(0.4, 0.03),
			"grad_norm": w.near(0.3, 0.15), "learning_rate": 1e-6, "loss": w.near(0.002, 0.5),
		}
		for _, f := range w.metrics {
			f(t, m)
		}
		entries = append(entries, append(m.object(), field{"step", w.Number(t)}))
	}
	return w.file("trainer_state.json", func(out *bufio.Writer) error {
		_, err := out.Write(append(object{{"log_history", entries}, {"max_steps", w.Steps}}.append(nil), '\n'))
		return err
	})
}
