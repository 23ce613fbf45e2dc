package formats

import (
	"fmt"
	"testing"
)

// Rows are averages if no step comes twice and their names or values say so; what only samples have, or several of one step, are samples.
func TestRows(t *testing.T) {
	for name, c := range map[string]struct {
		row  func(i int) string
		rows int
		want Verdict
	}{
		"one plain row":                {func(int) string { return `{"step": 1, "reward": 0.5}` }, 1, Unsure},
		"several rows a step":          {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.%d}`, i/4, i) }, 8, Samples},
		"and a loss":                   {func(i int) string { return fmt.Sprintf(`{"loss": 0.1, "step": %d, "reward": 0.%d}`, i/4, i) }, 8, Samples},
		"and means":                    {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.%d, "group_mean": 0.5}`, i/4, i) }, 8, Samples},
		"steps that alternate":         {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.%d, "kl": 0.5}`, i%3, i+1) }, 9, Samples},
		"a group id":                   {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "group_id": 7}`, i) }, 9, Samples},
		"an id of text":                {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "id": "a%d"}`, i, i) }, 9, Samples},
		"a text":                       {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "prompt": "p"}`, i) }, 9, Samples},
		"a list":                       {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "ids": [1]}`, i) }, 9, Samples},
		"an advantage":                 {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "advantage": 1}`, i) }, 9, Samples},
		"no step":                      {func(int) string { return `{"reward": 0.5, "length": 3}` }, 9, Samples},
		"no step, means":               {func(int) string { return `{"reward": 0.5, "logprob_mean": 3}` }, 9, Samples},
		"rewards of 0 and 1, one each": {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": %d}`, i, i%2) }, 20, Unsure},
		"shares, one row a step": {func(i int) string {
			return fmt.Sprintf(`{"step": %d, "reward": 0.5, "valid_action": 0.9, "errors": 3}`, i)
		}, 8, Averages},
		"returns below 0, one row a step": {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": -8.15%d}`, i, i) }, 8, Averages},
		"too few of these":                {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "valid_action": 0.9}`, i) }, 5, Unsure},
		"a spread, one row a step":        {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "reward_std": 0.1}`, i) }, 3, Averages},
		"a loss, one row a step":          {func(i int) string { return fmt.Sprintf(`{"reward": 0.5, "step": %d, "loss": 0.1}`, i) }, 2, Averages},
		"the norm of the gradient":        {func(int) string { return `{"step": 1, "reward": 0.5, "grad_norm": 0.1}` }, 1, Averages},
		"the same, the other way round":   {func(int) string { return `{"grad_norm": 0.1, "reward": 0.5, "step": 1}` }, 1, Averages},
		"no reward of a sample":           {func(int) string { return `{"step": 1, "avg_reward": 0.5}` }, 1, Averages},
		"numbers of rows": {func(i int) string {
			return fmt.Sprintf(`{"index": %d, "step": %d, "reward": 0.5, "kl_mean": 0.1}`, i, 10*i)
		}, 8, Averages},
		"a run that began again": {func(i int) string { return fmt.Sprintf(`{"step": %d, "reward": 0.5, "kl": 0.1}`, i-2*(i/30)) }, 40, Averages},
		"training and evaluation": {func(i int) string {
			return fmt.Sprintf([]string{`{"step": %d, "reward": 0.5, "kl": 0.1}`, `{"step": %d, "eval_reward": 0.5}`}[i%2], i/2)
		}, 8, Averages},
		"several runs": {func(i int) string {
			return fmt.Sprintf(`{"run": "%c", "step": %d, "reward": 0.5, "kl": 0.1}`, 'a'+i%2, i/2)
		}, 8, Averages},
		"samples of several runs": {func(i int) string { return fmt.Sprintf(`{"run": "%c", "step": %d, "reward": 0.5}`, 'a'+i%2, i/8) }, 16, Samples},
		"a metric a row": {func(i int) string {
			return fmt.Sprintf(`{"step": %d, "metric": "%s", "value": 0.5}`, i/2, []string{"reward", "loss"}[i%2])
		}, 8, Averages},
		"a step that stands still": {func(i int) string {
			return fmt.Sprintf(`{"train/global_step": 0, "_step": %d, "reward": 0.5, "kl": 0.1}`, i)
		}, 8, Averages},
	} {
		var rows Rows
		for i := range c.rows {
			rows.Add([]byte(c.row(i)))
		}
		if got := rows.Verdict(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
