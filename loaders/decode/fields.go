package decode

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// Role is what a field of a row is read as.
type Role int

// The roles. Each is played by one field of a row; numbers that play none may be reward components.
const (
	RoleReward       Role = iota
	RoleStep              // the training step
	RoleGroup             // id of the group
	RolePrompt            // a text, or a list of {role, content}
	RoleResponse          // a text, or a list of {role, content}
	RoleTruth             // the ground truth; prompts with different ones are different
	RoleAdvantage         // as the trainer logged it
	RoleLength            // of the response, in tokens
	RoleTokens            // of the response, as a list
	RoleTotalTokens       // how many, of prompt and response together
	RolePromptLength      // in tokens
	RoleRollout           // id of the answer of which the row is a turn
	RoleMask              // a list that says which of RoleTokens count, the others are padding or not the model's
	RoleCount
)

// isText reports whether the field is shown to a person as a text of its own.
func (r Role) isText() bool { return r == RolePrompt || r == RoleResponse || r == RoleTruth }

// isOfTokens reports whether the field is a list with a value for each token.
func (r Role) isOfTokens() bool { return r == RoleTokens || r == RoleMask }

// Accepts reports whether a value can play the role. Names alone do not decide: "reward" may be an
// object of averages, and "tokens" a list.
func (r Role) Accepts(v jsonscan.Value) bool {
	switch r {
	case RoleReward:
		_, ok := v.ToFloat()
		return ok
	case RoleStep:
		_, ok := stepIn(v)
		return ok
	case RoleGroup, RoleRollout:
		return v.Kind == jsonscan.Number || v.Kind == jsonscan.ComputedNumber || v.Kind == jsonscan.String && len(v.Raw) > 0
	case RolePrompt, RoleResponse:
		return v.Kind == jsonscan.String || v.Kind == jsonscan.Array || v.Kind == jsonscan.CountedText
	case RoleTruth:
		return v.Kind != jsonscan.Null
	case RoleLength, RoleTotalTokens, RolePromptLength:
		n, ok := v.ToInt()
		return ok && n > 0 && n <= math.MaxInt32
	case RoleTokens, RoleMask:
		return v.Kind == jsonscan.Array
	default:
		return true
	}
}

// stepIn returns a step that is a whole number, or is in a text: "7/438", "step_12".
func stepIn(v jsonscan.Value) (step jsonscan.Value, ok bool) {
	if _, ok := v.ToInt(); ok || v.Kind != jsonscan.String {
		return v, ok
	}
	digits, _, isOf := bytes.Cut(v.Raw, []byte{'/'})
	if !isOf {
		digits = bytes.TrimLeft(bytes.ToLower(v.Raw), "abcdefghijklmnopqrstuvwxyz_- ")
		_, isOf = StepFromWord(strings.ReplaceAll(strings.ToLower(string(v.Raw)), " ", "_"))
	}
	if digits = bytes.TrimSpace(digits); !isOf || !IsDigits(string(digits)) {
		return v, false
	}
	return jsonscan.Value{Kind: jsonscan.String, Raw: digits}, true
}

// asTurns returns the list of one turn that an object is, or else the value itself.
func asTurns(v jsonscan.Value) jsonscan.Value {
	if v.Kind != jsonscan.Object || v.Message().Role.Kind != jsonscan.String {
		return v
	}
	return jsonscan.Value{Kind: jsonscan.Array, Raw: slices.Concat([]byte{'['}, v.Raw, []byte{']'})}
}

// Names are the names of the fields that play a role, the preferred ones first: if a row has
// several, the first whose value is not null is used. A name with dots reaches into objects, as
// "task.data.prompt" does. Names in lower case match any case.
type Names map[Role][]string

// Fields says which fields of a format play which role. Decoders share it and do not change it.
type Fields struct {
	// Caveat returns what to add to the Provenance of a Note, by the reward components of the log:
	// "; " and why the numbers may mislead, or "". Nil is never.
	Caveat func(components []string) string

	// SplitGroupID returns the group that the id in a field means, and the rollout, where a trainer adds
	// that to it. Nil is the id itself and no rollout.
	SplitGroupID func(field string, id []byte) (group []byte, r model.Rollout)

	// Statuses say by which values of which fields the trainer tells the status of a row. Nil is by none.
	Statuses Statuses

	// ByShape says that lists of other names may play a role too, as [Groups] finds them.
	ByShape bool

	// AnyLength says that a length may be in characters, as anyone writes it: those of trainers are in tokens.
	AnyLength bool

	// Totals are the names, in lower case, under which an object of components holds their total.
	Totals []string

	names        [RoleCount][]string
	byName       map[string]FieldRole
	lengths      map[string]FieldRole // names of RoleLength, of which some are those of lists of tokens too
	parents      map[string]bool      // the part before each dot of a name
	anyComponent bool                 // every number without a role is a reward component
	keepsParts   bool                 // so are those that say of a sample how good it is: see IsPlainPart
	chosen       [RoleCount]string    // columns that a person named
	whyStep      string               // why the step is not from the name that comes first, as it is named in provenance
	requested    []string             // columns to keep as components too, whatever role they play
}

// Statuses are statuses by the name of a field, with dots where it is in an object, and by its value: a text in lower case, "true", "0".
// "*" is any text, list or object with something in it. A value that is not named says nothing.
type Statuses map[string]map[string]model.Status

// withUsualStatuses lets fields say that a response was cut off in the words that servers of models and trainers use.
func withUsualStatuses(f *Fields) *Fields {
	yes := map[string]model.Status{"true": model.StatusCutOff, "1": model.StatusCutOff}
	atLimit := map[string]model.Status{"length": model.StatusCutOff, "max_tokens": model.StatusCutOff}
	f.Statuses = Statuses{"is_truncated": yes, "truncated": yes, "finish_reason": atLimit, "stop_reason": atLimit}
	return f
}

// Evaluated is what [Statuses] say of a row that was written while the trainer evaluated: it is the status of no sample.
const Evaluated = model.StatusCount

// Telling returns the fields with more statuses.
func (f *Fields) Telling(more Statuses) *Fields {
	if f.Statuses == nil {
		f.Statuses = Statuses{}
	}
	maps.Copy(f.Statuses, more)
	return f
}

// StatusOf returns what a field says of the status of its row.
func (f *Fields) StatusOf(name []byte, v jsonscan.Value) model.Status {
	values := f.Statuses[string(name)]
	if values == nil {
		return model.StatusTrains
	}
	text := ""
	switch v.Kind {
	case jsonscan.Number, jsonscan.ComputedNumber:
		x, _ := v.ToFloat()
		return values[strconv.FormatFloat(x, 'g', -1, 64)]
	case jsonscan.Bool:
		return values[string(v.Raw)]
	case jsonscan.String:
		text = strings.ToLower(string(v.Text()))
	case jsonscan.Array, jsonscan.Object:
		text = string(bytes.Trim(v.Raw, "[]{} \t\r\n"))
	default:
	}
	if s, ok := values[text]; ok || text == "" {
		return s
	}
	return values["*"]
}

// FieldRole is the role of a name, and its rank among the names of that role: 0 is preferred.
type FieldRole struct {
	Role Role
	Rank int
}

// OnlyNames returns the fields of a format that has these names and no others.
func OnlyNames(names Names) *Fields {
	n := 0
	for _, list := range names {
		n += len(list)
	}
	f := &Fields{byName: make(map[string]FieldRole, n), lengths: map[string]FieldRole{}, parents: map[string]bool{}}
	f.Also(names)
	return f
}

// Also adds names that play a role, after all others.
func (f *Fields) Also(names Names) {
	for role, list := range names {
		f.addNames(role, list)
	}
}

// AlsoWithin adds names that play a role in the object of a row too, after all others.
func (f *Fields) AlsoWithin(object string, names Names) {
	for role, list := range names {
		f.addNames(role, model.Mapped(list, func(name string) string { return object + "." + name }))
	}
}

func (f *Fields) addNames(role Role, more []string) {
	first := len(f.names[role])
	f.names[role] = slices.Concat(f.names[role], more)
	for i, name := range more {
		is := FieldRole{role, first + i}
		if role == RoleLength {
			f.lengths[name] = is
		}
		if isOfList := role == RoleLength && f.byName[name].Role == RoleTokens; !isOfList {
			f.byName[name] = is
		}
		f.addParents(name)
	}
}

// addParents lets fields of the objects into which a name reaches be picked.
func (f *Fields) addParents(name string) {
	for at, c := range name {
		if c == '.' {
			f.parents[name[:at]] = true
		}
	}
}

// PreferNames returns the fields of a format that has these names or, where a row lacks them, the
// usual ones.
func PreferNames(names Names) *Fields {
	merged := usualNames()
	for role, list := range names {
		merged[role] = append(slices.Clip(list), merged[role]...)
	}
	return KeepingParts(withUsualStatuses(OnlyNames(merged)))
}

// UsualNames returns the fields of a format with the usual names.
func UsualNames() *Fields { return KeepingParts(withUsualStatuses(OnlyNames(usualNames()))) }

// KeepingParts lets fields keep what says under a plain name how good a sample is: see [Fields.IsPlainPart].
func KeepingParts(f *Fields) *Fields {
	f.keepsParts = true
	return f
}

// NamesWithoutTotal returns the fields of a format whose rows have a column for each reward function
// and mostly no total: the usual names, but every number that plays no role is a reward component,
// also one that is called score or accuracy.
func NamesWithoutTotal() *Fields {
	names := usualNames()
	names[RoleReward] = []string{"reward", "total_reward", "reward_total"}
	f := withUsualStatuses(OnlyNames(names))
	f.anyComponent = true
	return f
}

// Lookup returns the role of a field name.
func (f *Fields) Lookup(name []byte) (FieldRole, bool) {
	p, ok := f.byName[string(name)]
	if !ok && isNotSnakeCase(name) {
		if p, ok = f.byName[strings.ToLower(string(name))]; !ok {
			p, ok = f.byName[inSnakeCase(string(name))]
		}
	}
	return p, ok
}

// isNotSnakeCase reports whether a name has what names in snake_case have not.
func isNotSnakeCase(name []byte) bool {
	return slices.ContainsFunc(name, func(c byte) bool { return 'A' <= c && c <= 'Z' || c == ' ' || c == '-' })
}

// LookupNumber is [Fields.Lookup] for a field that holds a number: completion_tokens may be how many there are, or their list.
func (f *Fields) LookupNumber(name []byte) (FieldRole, bool) {
	p, ok := f.Lookup(name)
	if ok && p.Role == RoleTokens {
		if length, both := f.lengths[inSnakeCase(string(name))]; both {
			return length, true
		}
	}
	return p, ok
}

// LookupFor is [Fields.Lookup] for a field with that value.
func (f *Fields) LookupFor(name []byte, v jsonscan.Value) (FieldRole, bool) {
	if v.Kind == jsonscan.Number || v.Kind == jsonscan.ComputedNumber {
		return f.LookupNumber(name)
	}
	return f.Lookup(name)
}

// inSnakeCase returns a name as most trainers write it: group_id for "groupId", "Group ID" and "group-id".
func inSnakeCase(name string) string {
	isUpper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case c == ' ' || c == '-':
			c = '_'
		case isUpper(c) && i > 0 && !isUpper(name[i-1]) && name[i-1] != ' ' && name[i-1] != '-' && name[i-1] != '_':
			b.WriteByte('_')
		}
		b.WriteByte(c)
	}
	return strings.ToLower(b.String())
}

// IsParent reports whether some name reaches into the object of that name.
func (f *Fields) IsParent(name []byte) bool { return f.parents[string(name)] }

// IsComponent reports whether a number of that name is a reward component.
func (f *Fields) IsComponent(name string) bool {
	return IsComponentName(name) || f.IsPlainPart(name) || f.anyComponent && !isCounter(name) || slices.Contains(f.requested, name)
}

// UsesNested reports whether anything is taken from a list or an object of that name.
func (f *Fields) UsesNested(column string) bool {
	if p, ok := f.Lookup([]byte(column)); ok && !p.Role.isOfTokens() {
		return true
	}
	_, holdsComponents := ComponentPrefix([]byte(column))
	if f.ByShape && namesSamples(column) {
		return true
	}
	return holdsComponents || f.Statuses[column] != nil || f.IsParent([]byte(column)) || IsComponentName(column) ||
		slices.Contains(f.requested, column)
}

// plainParts are names under which programs log how good a sample is, next to its reward: each may be a part of it, and is in no sum.
var plainParts = []string{
	"acc", "accuracy", "is_correct", "correct", "correctness", "answer_correct", "success", "is_success", "solved", "passed", "pass_rate",
	"exact_match", "em", "f1", "outcome", "format", "fmt", "format_ok", "format_correct", "is_formatted", "formatted", "has_format",
	"well_formatted", "format_valid", "valid_format",
}

// IsPlainPart reports whether a number or truth value of that name may be a part of the reward that is next to it.
func (f *Fields) IsPlainPart(name string) bool {
	return f.keepsParts && slices.Contains(plainParts, inSnakeCase(name))
}

// Uses reports whether anything is taken from the column of a table.
func (f *Fields) Uses(column string) bool {
	if p, ok := f.LookupNumber([]byte(column)); ok {
		return !p.Role.isOfTokens()
	}
	return f.Statuses[column] != nil || f.IsComponent(column) &&
		(!f.anyComponent || IsComponentName(column) || !strings.Contains(column, "."))
}

// usualNames returns the names that trainers use for each role, the most telling first.
func usualNames() Names {
	return Names{
		RoleReward: {
			"reward", "score", "total_reward", "reward_total", "rewards", "scores", "final_reward", "trajectory_reward", "return",
			"episode_reward", "raw_reward", "rm_score", "reward_value", "r_total", "acc", "accuracy", "is_correct", "correct", "success",
		},
		RoleStep: {
			"global_step", "training_step", "train_step", "step", "gen_step", "iteration",
			"train/global_step", "train/step", "trainer/global_step", "global_steps", "trainer_step", "trainer.global_step",
			"optimizer_step", "opt_step", "policy_step", "update_step", "rollout_step", "current_step", "grpo_step", "ppo_step",
			"training_iteration", "train_iteration", "train_iter", "iteration_id", "iter", "it", "update", "update_idx", "num_updates",
			"step_num", "step_idx", "step_id", "step_index", "rollout_id", "batch", "batch_idx", "batch_id", "batch_index",
			"tail_version", "policy_version", "model_version", "weight_step", "weight_version", "grad_step", "rl_step", "outer_step",
			"iter_num", "iteration_num", "update_num", "round", "round_idx", "timestep", "call", "call_idx", "episode", "_step", EpochField,
		},
		RoleGroup: {
			"group_id", "group", "group_idx", "group_index", "uid", "problem_id", "example_id", "prompt_idx", "prompt_id",
			"group_uid", "rollout_group_id", "rollout_group", "prompt_group", "prompt_uid", "prompt_hash", "prompt_index", "problem_idx",
			"problem_index",
			"example_idx", "example_index", "question_idx", "question_index", "question_hash", "query_idx", "task_hash", "task_id",
			"task_index",
			"task_idx", "instance_id", "data_id", "qid", "query_id", "question_id", "item_id", "index", "id",
		},
		RolePrompt: {
			"prompt", "input", "input_prompt", "query", "question", "problem", "messages", "instruction", "obs",
			"observation", "opening", "user_prompt", "conversations", "conversation", "dialogue", "dialog", "chat",
		},
		RoleResponse: {
			"completion", "response", "output", "output_response", "responses", "answer_text", "generation", "text",
			"act", "action", "model_response", "prediction", "completion_text", "response_text", "output_text",
			"generated_text", "decoded_completion", "decoded_response", "decoded_output", "model_output", "solution_str",
		},
		RoleTruth: {
			"gts", "ground_truth", "answer", "label", "solution", "gold", "target", "reference", "expected",
		},
		RoleAdvantage: {"advantage", "advantages", "adv"},
		RoleLength: {
			"response_length", "completion_length", "num_output_tokens", "n_tokens", "tokens", "length",
			"completion_tokens", "response_tokens", "output_tokens", "generated_tokens", "gen_tokens", "new_tokens", "num_tokens",
			"token_count", "token_length", "num_completion_tokens", "n_completion_tokens", "completion_num_tokens", "completion_token_count",
			"num_response_tokens", "n_response_tokens", "response_token_count", "num_generated_tokens", "num_new_tokens",
			"usage.completion_tokens", "completion_len", "response_len", "gen_len", "output_len", "output_length", "generation_length",
		},
		RoleTokens: {
			"response_tokens", "response_ids", "completion_ids", "completion_tokens", "output_ids", "output_tokens", "generated_tokens",
			"gen_tokens", "new_tokens",
		},
		RoleMask:         {"completion_mask", "response_mask", "action_mask", "loss_mask", wholeMask},
		RoleTotalTokens:  {"seqlen"},
		RolePromptLength: {"prompt_len"},
		RoleRollout:      {"traj_uid", "trajectory_id", "traj_id", "trajectory_uid"},
	}
}

// wholeMask is the mask that mostly covers the prompt too.
const wholeMask = "attention_mask"

// EpochField is the field of an epoch, which counts steps only where nothing else does. It may be a fraction: see [RowDecoder.pickEpoch].
const EpochField = "epoch"

// ConversationField is the field that holds the prompt alone or the whole conversation.
const ConversationField = "messages"

// otherConversations are other names of that field, where its value is a conversation.
var otherConversations = []string{"conversations", "conversation", "dialogue", "dialog", "chat"}

// IsConversationField reports whether a field of that name may hold the whole conversation.
func IsConversationField(name string) bool {
	return strings.EqualFold(name, ConversationField) || slices.Contains(otherConversations, strings.ToLower(name))
}

// IsComponentName reports whether trainers give that name to what a single reward function returned.
func IsComponentName(name string) bool {
	if name = strings.ToLower(name); strings.Contains(name, " ") {
		name = inSnakeCase(name)
	}
	switch name {
	case "judge_reward", "baseline", "reward_baseline", "reward_baselines", "greedy_reward", "penalty", "bonus":
		return true
	case "r_total", "r_idx", "r_squared": // a total, and what no reward function returned
		return false
	case "total_reward", "reward_total", "reward_value", "final_reward", "trajectory_reward", "episode_reward", "raw_reward", "rm_score":
		return false
	case "frequency_penalty", "presence_penalty", "kl_penalty", "gradient_penalty": // of the sampler, and of the loss
		return false
	}
	for _, start := range []string{"reward_", "r_"} {
		if of, found := strings.CutPrefix(name, start); found && slices.Contains(aboutRewards, of) {
			return false
		}
	}
	for _, end := range []string{"_reward", "_reward_func", "_score", "_reward_fn", "_penalty", "_bonus"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	starts := []string{"r_", "rewards/", "reward_", "reward/"}
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(name, start) })
}

// aboutRewards are what follows reward_ or r_ in names of what no reward function returned.
var aboutRewards = []string{
	"mean", "avg", "std", "var", "min", "max", "sum", "median", "count", "model", "type", "name", "id", "time", "latency", "weight",
	"weights",
	"version", "step", "index",
}

// isCounter reports whether a column of numbers is what no reward function returns.
func isCounter(name string) bool {
	switch name {
	case "num_turns", "entropy", "step", "gen_step", "index", "request_id", "truncated", "is_truncated":
		return true
	}
	return false
}

// metricsPrefix marks components from the metrics of a sample. Reward functions and counts of turns
// stand there side by side, so they are not summed.
const metricsPrefix = "metrics/"

// ComponentPrefix reports whether an object of that name holds reward components, and returns what to
// put before their names.
func ComponentPrefix(name []byte) (prefix string, ok bool) {
	switch string(bytes.ToLower(name)) {
	case "rewards", "reward", "score", "scores", "reward_components", "reward_breakdown", "component_rewards", "sub_rewards", "sub_scores",
		"reward_parts", "parts", "reward_terms", "reward_details", "reward_detail", "reward_dict", "reward_scores", "individual_rewards",
		"score_components", "score_breakdown", "score_details":
		return "", true
	case "metrics", "reward_info", "reward_extra_info", "reward_metrics", "breakdown", "components":
		return metricsPrefix, true
	}
	return "", false
}

// IsSummand reports whether a component of that name counts in the sum of a log without totals.
func (f *Fields) IsSummand(name string) bool { return IsSummand(name) && !f.IsPlainPart(name) }

// MayHoldPlainParts reports whether an object of that name may have, among much else, parts of the reward under plain names.
func (f *Fields) MayHoldPlainParts(name string) bool {
	return f.keepsParts && slices.Contains([]string{"info", "extra_info", "details", "metadata", "extra", "meta", "eval", "grading"}, name)
}

// IsSummand is [Fields.IsSummand] for fields that keep no plain parts.
func IsSummand(name string) bool {
	column, isInput := estimators.ColumnNamed(name)
	return !strings.HasPrefix(name, metricsPrefix) && !strings.Contains(name, "baseline") && name != "greedy_reward" &&
		(!isInput || column == estimators.StepReward)
}

// Columns are the columns that a person named for some roles. They come before all others; "" leaves
// a role to be found.
type Columns struct {
	Step, Group, Prompt string
	Rewards             []string // kept as components, to choose the reward from
	Inputs              []string // kept as components, for an estimator that reads more than rewards
}

// IsZero reports whether no column was named.
func (c Columns) IsZero() bool {
	return c.Step == "" && c.Group == "" && c.Prompt == "" && len(c.Rewards) == 0 && len(c.Inputs) == 0
}

// AppearIn reports whether a first record, or the header of a table, may have a named column.
func (c Columns) AppearIn(first []byte) bool {
	return slices.ContainsFunc(append(c.Rewards, c.Step, c.Group, c.Prompt), func(name string) bool {
		return name != "" && bytes.Contains(first, []byte(name))
	})
}

// WithColumns returns fields that prefer the named columns. A column has one role: what a person
// takes as the prompt is not the response any more.
func (f *Fields) WithColumns(c Columns) *Fields {
	chosen := [RoleCount]string{RoleStep: c.Step, RoleGroup: c.Group, RolePrompt: c.Prompt}
	names := Names{}
	for role, list := range f.names {
		list = slices.DeleteFunc(slices.Clone(list), func(name string) bool { return slices.Contains(chosen[:], name) })
		if chosen[role] != "" {
			list = append([]string{chosen[role]}, list...)
		}
		names[Role(role)] = list
	}
	with := OnlyNames(names)
	with.SplitGroupID, with.Totals, with.Statuses, with.ByShape = f.SplitGroupID, f.Totals, f.Statuses, f.ByShape
	with.Caveat, with.anyComponent, with.keepsParts, with.AnyLength = f.Caveat, f.anyComponent, f.keepsParts, f.AnyLength
	with.whyStep = f.whyStep
	with.chosen, with.requested = chosen, slices.Concat(c.Rewards, c.Inputs)
	for _, name := range c.Inputs {
		with.addParents(name)
	}
	return with
}

// HasRequested reports whether columns are kept whatever role they play.
func (f *Fields) HasRequested() bool { return len(f.requested) > 0 }

// IsRequested reports whether a column is one of them.
func (f *Fields) IsRequested(name []byte) bool {
	return f.HasRequested() && slices.Contains(f.requested, string(name))
}

// holdsNames reports whether a column is one of them and holds names, which are kept as numbers.
func (f *Fields) holdsNames(name []byte) bool {
	if !f.IsRequested(name) {
		return false
	}
	c, ok := estimators.ColumnNamed(string(name))
	return ok && c.HoldsNames()
}
