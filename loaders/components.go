package loaders

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
)

// components collects what each reward function gave to a sample. Columns come
// under names of their own; the order is that in which they were first met.
type components struct {
	names  []string
	index  map[string]int
	values []float64 // of the row at hand, NaN where nothing
	given  value     // the total that an object of rewards holds beside its parts
	under  string    // the name of that
	open   bool      // every column of numbers without another meaning is a reward function's
	also   []string  // columns that a person asked for, whatever else they are
}

// maxComponents bounds how many columns are kept: nobody weighs more.
const maxComponents = 64

// metricsPrefix marks what stands among the metrics of a log: reward functions
// and counts of turns side by side, so that it is never summed unasked.
const metricsPrefix = "metrics/"

func (c *components) begin() {
	c.given = value{}
	for i := range c.values {
		c.values[i] = math.NaN()
	}
}

// pick keeps the column if its name and value say that it is a reward function's.
func (c *components) pick(key, v value) {
	switch {
	case v.kind == object:
		c.nested(key, v)
	case v.kind == number || v.kind == real || v.kind == boolean:
		if name := string(key.text()); c.wants(name) {
			c.set(name, v)
		}
	case v.kind == null || v.kind == list && isComponent(string(key.text())):
		c.set(string(key.text()), v)
	}
}

// wants reports whether a column of numbers under that name is kept.
func (c *components) wants(name string) bool {
	return isComponent(name) || c.open && !isFigure(name) || slices.Contains(c.also, name)
}

// isComponent knows the names that trainers give to single reward functions.
func isComponent(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "judge_reward", "baseline", "reward_baseline", "reward_baselines", "greedy_reward":
		return true
	case "total_reward", "final_reward", "trajectory_reward", "episode_reward", "raw_reward", "rm_score":
		return false
	}
	for _, end := range []string{"_reward", "_reward_func", "_score", "_reward_fn"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, "rewards/") || strings.HasPrefix(name, "reward_func_") || strings.HasPrefix(name, "reward/")
}

// isFigure knows columns of numbers that no reward function gave.
func isFigure(name string) bool {
	switch name {
	case "num_turns", "entropy", "step", "gen_step", "index", "request_id", "truncated", "is_truncated":
		return true
	}
	return false
}

// nested takes the numbers of an object under rewards, reward_components or
// metrics; {"score": s, "weight": w} counts as s·w.
func (c *components) nested(key, v value) {
	prefix, ok := nest(key.raw)
	if !ok || isStatistics(v) {
		return
	}
	_ = scanObject(v.raw, func(name, v value) {
		if v.kind == object {
			v = weighted(v)
		}
		switch {
		case v.kind != number && v.kind != real && v.kind != boolean:
		case prefix == "" && isTotal(name.raw):
			c.given, c.under = v, string(key.raw)+"."+string(name.raw)
		default:
			c.set(prefix+string(name.text()), v)
		}
	})
}

// isTotal knows the names that a total has among its parts.
func isTotal(name []byte) bool {
	switch string(bytes.ToLower(name)) {
	case "overall", "total", "total_reward", "final", "final_reward", "reward", "score", "sum":
		return true
	}
	return false
}

// isStatistics reports whether an object tells of many rewards, not of one.
func isStatistics(v value) (yes bool) {
	_ = scanObject(v.raw, func(name, _ value) {
		switch string(name.raw) {
		case "mean", "avg", "std", "min", "max":
			yes = true
		}
	})
	return yes
}

// nest knows the names of objects that hold what reward functions gave, and what is
// put before the names in them.
func nest(key []byte) (prefix string, ok bool) {
	switch string(bytes.ToLower(key)) {
	case "rewards", "reward", "score", "scores", "reward_components", "reward_breakdown":
		return "", true
	case "metrics":
		return metricsPrefix, true
	}
	return "", false
}

// weighted is the number of a {"score": …, "weight": …}, absent if it is none.
func weighted(v value) value {
	score, weight := math.NaN(), 1.0
	_ = scanObject(v.raw, func(key, v value) {
		x, ok := v.toFloat()
		switch {
		case !ok:
		case string(key.raw) == "score":
			score = x
		case string(key.raw) == "weight":
			weight = x
		}
	})
	if math.IsNaN(score) {
		return value{}
	}
	return floatValue(score * weight)
}

func (c *components) set(name string, v value) {
	x, ok := v.toFloat()
	if v.kind == null || !ok {
		x = math.NaN()
	}
	at, known := c.index[name]
	if !known {
		if math.IsNaN(x) && v.kind == null || len(c.names) >= maxComponents {
			return
		}
		if c.index == nil {
			c.index = map[string]int{}
		}
		at = len(c.names)
		c.index[name] = at
		c.names = append(c.names, name)
		c.values = append(c.values, math.NaN())
	}
	c.values[at] = x
}

// row returns a copy of the values, nil if the log has no components.
func (c *components) row() []float64 {
	if len(c.names) == 0 {
		return nil
	}
	return append([]float64(nil), c.values...)
}

// total is the sum of those that gave something, for logs that have no total.
func (c *components) total() (float64, bool) {
	sum, any := 0.0, false
	for i, x := range c.values {
		if !math.IsNaN(x) && !strings.HasPrefix(c.names[i], metricsPrefix) && !isBaseline(c.names[i]) {
			sum += x
			any = true
		}
	}
	return sum, any
}

func isBaseline(name string) bool {
	return strings.Contains(name, "baseline") || name == "greedy_reward"
}

// summands are the names that a total is made of.
func (c *components) summands() []string {
	var names []string
	for _, name := range c.names {
		if !strings.HasPrefix(name, metricsPrefix) && !isBaseline(name) {
			names = append(names, name)
		}
	}
	return names
}

// twin knows the same columns.
func (c *components) twin() components {
	return components{
		names: slices.Clone(c.names), index: maps.Clone(c.index), values: slices.Clone(c.values), open: c.open, also: c.also,
	}
}
