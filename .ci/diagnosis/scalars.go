package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"

	"vantage/loaders/demo/illruns"
)

// writeScalars writes what TRL would log of the steps of a run, a line each, under its names: for programs that read scalars.
func writeScalars(run *illruns.Run, path string) error {
	h, err := os.Create(path)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(h)
	lines := json.NewEncoder(out)
	for t := range run.Steps {
		if err = lines.Encode(scalars(run, t)); err != nil {
			break
		}
	}
	return errors.Join(err, out.Flush(), h.Close())
}

func scalars(run *illruns.Run, t int) map[string]float64 {
	var lengths, cut, rewards, deviations, flat []float64
	parts, groups := make([][]float64, len(run.Graders)), map[string][]float64{}
	for _, a := range run.Step(t) {
		lengths, cut = append(lengths, float64(a.Tokens)), append(cut, 0)
		if a.Cut {
			cut[len(cut)-1] = 1
		}
		for i, x := range a.Parts {
			parts[i] = append(parts[i], x)
		}
		groups[a.Group] = append(groups[a.Group], a.Reward)
		rewards = append(rewards, a.Reward)
	}
	for _, group := range groups {
		_, deviation, _ := moments(group)
		deviations, flat = append(deviations, deviation), append(flat, 0)
		if deviation < 1e-9 {
			flat[len(flat)-1] = 1
		}
	}
	line := map[string]float64{"step": float64(run.Number(t)), "num_generations": float64(run.Size)}
	add := func(name string, x float64) {
		if !math.IsNaN(x) {
			line[name] = x
		}
	}
	mean := func(xs []float64) float64 { m, _, _ := moments(xs); return m }
	_, _, longest := moments(lengths)
	add("reward", mean(rewards))
	add("reward_std", mean(deviations))
	add("frac_reward_zero_std", mean(flat))
	add("completions/mean_length", mean(lengths))
	add("completions/max_length", longest)
	add("completions/clipped_ratio", mean(cut))
	for i, g := range run.Graders {
		m, deviation, _ := moments(parts[i])
		add("rewards/"+g.Name+"/mean", m)
		add("rewards/"+g.Name+"/std", deviation)
	}
	return line
}

// moments are the mean, the standard deviation and the largest of the values that are numbers; NaN if none is.
func moments(xs []float64) (mean, deviation, largest float64) {
	n, sum, squares := 0.0, 0.0, 0.0
	largest = math.Inf(-1)
	for _, x := range xs {
		if !math.IsNaN(x) {
			n, sum, squares, largest = n+1, sum+x, squares+x*x, max(largest, x)
		}
	}
	return sum / n, math.Sqrt(max(0, squares/n-sum/n*sum/n)), largest
}
