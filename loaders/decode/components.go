package decode

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"

	"vantage/loaders/jsonscan"
)

// Components collects what each reward function gave to a sample. Columns come
// under names of their own; the order is that in which they were first met.
type Components struct {
	Names       []string
	Index       map[string]int
	values      []float64      // of the row at hand, NaN where nothing
	loggedTotal jsonscan.Value // the total that an object of rewards holds beside its parts
	totalName   string         // the name of that
	AcceptAll   bool           // every column of numbers without another meaning is a reward function's
	Requested   []string       // columns that a person asked for, whatever else they are
}

// MaxComponents bounds how many columns are kept: nobody weighs more.
const MaxComponents = 64

// MetricsPrefix marks what stands among the metrics of a log: reward functions
// and counts of turns side by side, so that it is never summed unasked.
const MetricsPrefix = "metrics/"

func (c *Components) reset() {
	c.loggedTotal = jsonscan.Value{}
	for i := range c.values {
		c.values[i] = math.NaN()
	}
}

// pick keeps the column if its name and value say that it is a reward function's.
func (c *Components) pick(key, v jsonscan.Value) {
	switch {
	case v.Kind == jsonscan.Object:
		c.pickObject(key, v)
	case v.Kind == jsonscan.Number || v.Kind == jsonscan.Float || v.Kind == jsonscan.Bool:
		if name := string(key.Text()); c.Wants(name) {
			c.Set(name, v)
		}
	case v.Kind == jsonscan.Null || v.Kind == jsonscan.Array && IsComponent(string(key.Text())):
		c.Set(string(key.Text()), v)
	}
}

// Wants reports whether a column of numbers under that name is kept.
func (c *Components) Wants(name string) bool {
	return IsComponent(name) || c.AcceptAll && !isCounter(name) || slices.Contains(c.Requested, name)
}

// IsComponent knows the names that trainers give to single reward functions.
func IsComponent(name string) bool {
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

// isCounter knows columns of numbers that no reward function gave.
func isCounter(name string) bool {
	switch name {
	case "num_turns", "entropy", "step", "gen_step", "index", "request_id", "truncated", "is_truncated":
		return true
	}
	return false
}

// pickObject takes the numbers of an object under rewards, reward_components or
// metrics; {"score": s, "weight": w} counts as s·w.
func (c *Components) pickObject(key, v jsonscan.Value) {
	prefix, ok := ComponentPrefix(key.Raw)
	if !ok || isSummary(v) {
		return
	}
	_ = jsonscan.ScanObject(v.Raw, func(name, v jsonscan.Value) {
		if v.Kind == jsonscan.Object {
			v = weighted(v)
		}
		switch {
		case v.Kind != jsonscan.Number && v.Kind != jsonscan.Float && v.Kind != jsonscan.Bool:
		case prefix == "" && isTotal(name.Raw):
			c.loggedTotal, c.totalName = v, string(key.Raw)+"."+string(name.Raw)
		default:
			c.Set(prefix+string(name.Text()), v)
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

// isSummary reports whether an object tells of many rewards, not of one.
func isSummary(v jsonscan.Value) (yes bool) {
	_ = jsonscan.ScanObject(v.Raw, func(name, _ jsonscan.Value) {
		switch string(name.Raw) {
		case "mean", "avg", "std", "min", "max":
			yes = true
		}
	})
	return yes
}

// ComponentPrefix knows the names of objects that hold what reward functions gave, and what is
// put before the names in them.
func ComponentPrefix(key []byte) (prefix string, ok bool) {
	switch string(bytes.ToLower(key)) {
	case "rewards", "reward", "score", "scores", "reward_components", "reward_breakdown":
		return "", true
	case "metrics":
		return MetricsPrefix, true
	}
	return "", false
}

// weighted is the number of a {"score": …, "weight": …}, absent if it is none.
func weighted(v jsonscan.Value) jsonscan.Value {
	score, weight := math.NaN(), 1.0
	_ = jsonscan.ScanObject(v.Raw, func(key, v jsonscan.Value) {
		x, ok := v.ToFloat()
		switch {
		case !ok:
		case string(key.Raw) == "score":
			score = x
		case string(key.Raw) == "weight":
			weight = x
		}
	})
	if math.IsNaN(score) {
		return jsonscan.Value{}
	}
	return jsonscan.FromFloat(score * weight)
}

func (c *Components) Set(name string, v jsonscan.Value) {
	x, ok := v.ToFloat()
	if v.Kind == jsonscan.Null || !ok {
		x = math.NaN()
	}
	at, known := c.Index[name]
	if !known {
		if math.IsNaN(x) && v.Kind == jsonscan.Null || len(c.Names) >= MaxComponents {
			return
		}
		if c.Index == nil {
			c.Index = map[string]int{}
		}
		at = len(c.Names)
		c.Index[name] = at
		c.Names = append(c.Names, name)
		c.values = append(c.values, math.NaN())
	}
	c.values[at] = x
}

// snapshot returns a copy of the values, nil if the log has no components.
func (c *Components) snapshot() []float64 {
	if len(c.Names) == 0 {
		return nil
	}
	return append([]float64(nil), c.values...)
}

// total is the sum of those that gave something, for logs that have no total.
func (c *Components) total() (float64, bool) {
	sum, any := 0.0, false
	for i, x := range c.values {
		if !math.IsNaN(x) && !strings.HasPrefix(c.Names[i], MetricsPrefix) && !IsBaseline(c.Names[i]) {
			sum += x
			any = true
		}
	}
	return sum, any
}

func IsBaseline(name string) bool {
	return strings.Contains(name, "baseline") || name == "greedy_reward"
}

// summands are the names that a total is made of.
func (c *Components) summands() []string {
	var names []string
	for _, name := range c.Names {
		if !strings.HasPrefix(name, MetricsPrefix) && !IsBaseline(name) {
			names = append(names, name)
		}
	}
	return names
}

// clone knows the same columns.
func (c *Components) clone() Components {
	return Components{
		Names: slices.Clone(c.Names), Index: maps.Clone(c.Index), values: slices.Clone(c.values), AcceptAll: c.AcceptAll, Requested: c.Requested,
	}
}
