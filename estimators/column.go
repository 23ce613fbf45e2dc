package estimators

import "hash/fnv"

// Column is a value of a sample, beside reward and length, that few estimators read.
type Column int

// The columns.
const (
	InputTokens Column = iota // tokens that the model did not write: prompts, answers of tools
	TotalTokens               // those and the response tokens: input tokens by another count
	Turns                     // of the conversation
	Agent                     // name of the agent that wrote the response
	Episode                   // id of the episode: what several agents did together
	Run                       // id of the trajectory of which the sample is one step
	RunStep                   // number of the step in its trajectory
	State                     // hash of the environment's state before the step; NaN if it has none
	StepReward                // what the environment gave for the step; NaN if nothing

	columnCount
)

// ColumnSet is a set of columns.
type ColumnSet uint16

// Columns returns the set of these columns.
func Columns(columns ...Column) ColumnSet {
	var set ColumnSet
	for _, c := range columns {
		set |= 1 << c
	}
	return set
}

// List returns the columns of the set.
func (s ColumnSet) List() []Column {
	var list []Column
	for c := range columnCount {
		if s&(1<<c) != 0 {
			list = append(list, c)
		}
	}
	return list
}

// String says what the column holds: "input tokens".
func (c Column) String() string {
	return [...]string{
		"input tokens", "total tokens", "numbers of turns", "agent names", "episode ids",
		"trajectory ids", "numbers of the step in a trajectory", "state hashes", "step rewards",
	}[c]
}

// Names are the names under which trainers log the column, the preferred one first.
func (c Column) Names() []string {
	return [...][]string{
		{"num_input_tokens", "input_tokens"},
		{"num_total_tokens", "total_tokens"},
		{"num_turns", "metrics/num_turns"},
		{"agent", "agent_name", "agent.name"},
		{"episode", "episode_id"},
		{"traj_id", "trajectory", "run", "run_id"},
		{"env_step", "traj_step", "turn"},
		{"state_hash", "env_state_hash"},
		{"step_score", "step_scores", "step_reward"},
	}[c]
}

// ColumnNamed returns the column that is logged under a name; ok is false if none is. Readers ask for each
// field of a row, hence no search in the lists of names.
func ColumnNamed(name string) (c Column, ok bool) {
	switch name {
	case "num_input_tokens", "input_tokens":
		return InputTokens, true
	case "num_total_tokens", "total_tokens":
		return TotalTokens, true
	case "num_turns", "metrics/num_turns":
		return Turns, true
	case "agent", "agent_name", "agent.name":
		return Agent, true
	case "episode", "episode_id":
		return Episode, true
	case "traj_id", "trajectory", "run", "run_id":
		return Run, true
	case "env_step", "traj_step", "turn":
		return RunStep, true
	case "state_hash", "env_state_hash":
		return State, true
	case "step_score", "step_scores", "step_reward":
		return StepReward, true
	}
	return 0, false
}

// HoldsNames reports whether the values are names, of which only the equality counts. They are numbers
// here all the same: see [NumberOfName].
func (c Column) HoldsNames() bool {
	return c == Agent || c == Episode || c == Run || c == State
}

// NumberOfName returns the number that stands for a name in a [Column]: a hash of 53 bits, which float64
// holds exactly. Among a million names the odds that two are taken for one are 1 in 18,000.
func NumberOfName(name string) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return float64(h.Sum64() >> 11)
}
