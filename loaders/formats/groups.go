package formats

import (
	"errors"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

func groups() []Format {
	usual, ofGroup := UsualFields(), groupFields()
	return []Format{
		// roll is ROLL's rollout dump: one line per file, an object of lists.
		// alibaba/ROLL@8eb27cc2dc34 roll/pipeline/rlvr/utils.py:35-77.
		{
			Name: "roll", Framework: "roll", Doc: "ROLL's rollout_dump_data.step_N.jsonl: one line per step, with a list for each column.",
			TrainerOption: "rollout_dump_dir=DIR, which must be an absolute path",
			File:          "DIR/rollout_dump_data.step_{step}.jsonl",
			Score:         85,
			Keys:          Keys{"responses": jsonscan.Array, "scores": jsonscan.Array},
			Fields: decode.PreferNames(decode.Names{
				decode.RoleReward: {"scores"},
				decode.RoleGroup:  {"id"},
			}),
			Layout: decode.ColumnLists,
		},

		// ms-swift is ms-swift's completions.jsonl: a whole step in one line, an object of lists. Reward
		// functions come under the names of their classes, without a total.
		// modelscope/ms-swift@3602360a5623 swift/rlhf_trainers/grpo_trainer.py:1874-1897.
		{
			Name: "ms-swift", Framework: "ms-swift", Doc: "ms-swift's completions.jsonl: one line per logged step, with a list for " +
				"each column.",
			TrainerOption: "--log_completions true --logging_steps 1 --output_dir DIR",
			File:          "DIR/v{n}-{time}/completions.jsonl",
			Score:         85,
			Keys:          Keys{"prompt": jsonscan.Array, "completion": jsonscan.Array},
			Sniff: func(first *First) bool {
				return first.keys()["step"] == jsonscan.Array || first.keys()["gen_step"] == jsonscan.Array
			},
			Fields:        decode.NamesWithoutTotal(),
			Layout:        decode.ColumnLists,
			Positional:    true,
			MayRepeatRows: true,
			Evaluation:    AfterTrainingRows,
		},

		// ms-swift-ray is the same file as its Ray trainer writes it: a line per sample.
		{
			Name: "ms-swift-ray", Framework: "ms-swift", Doc: "ms-swift's completions.jsonl of the Ray trainer: one line per sample.",
			TrainerOption: "--log_completions true --logging_steps 1 --output_dir DIR",
			File:          "DIR/v{n}-{time}/completions.jsonl",
			Score:         60,
			Keys:          keys("gen_step", "prompt", "completion"),
			Fields:        decode.UsualNames(),
			Positional:    true,
		},

		// group-lines is a log with a group in each line: one prompt, and lists of its completions and rewards, or of objects that have
		// both.
		{
			Name: "group-lines", Doc: "JSON lines with one group per line, or several: lists of rewards and of as many completions, " +
				"advantages or lengths, lists of such lists, or a list of objects with a reward each.",
			TrainerOption: "one json.dumps per group with step, prompt, completions and rewards",
			File:          "groups.jsonl",
			Origin:        FromAnyone,
			Score:         12,
			Sniff:         func(first *First) bool { return decode.HasGroups(ofGroup, first.Record) },
			Fields:        ofGroup,
			Layout:        decode.Groups,
		},

		// picked-lines is a log that holds some samples of each group, such as the best and the worst, with figures of the whole.
		{
			Name: "picked-lines", Doc: "JSON lines with some samples of each group, and in each the rewards of its whole " +
				"group (group_rewards), or their number and mean (n, group_mean).",
			TrainerOption: "one json.dumps per sample with step, prompt, reward and group_rewards",
			File:          "audit.jsonl",
			Origin:        FromAnyone,
			Score:         13,
			Sniff:         func(first *First) bool { return decode.TellsWhole(usual, first.Record) },
			Fields:        usual,
			Layout:        decode.PickedRows,
			Positional:    true,
		},

		// group-parquet is a Parquet file with a group in each row.
		{
			Name: "group-parquet", Doc: "A Parquet file with one group per row: lists of rewards and of as many completions, advantages " +
				"or lengths, or a list of structs with a reward each.",
			TrainerOption: "DataFrame.to_parquet of one row per group with step, prompt, completions and rewards",
			File:          "groups.parquet",
			Origin:        FromAnyone,
			Framing:       framing.Framing{Table: true},
			Score:         16,
			Sniff: func(first *First) bool {
				return listsRewards(ofGroup, strings.Split(string(first.Record), "\n"))
			},
			Fields: ofGroup,
			Layout: decode.Groups,
		},

		// atropos is the groups that Atropos' environments send to a trainer, a line each: token ids with masks, a
		// score per answer, and the conversations if the environment keeps them.
		// NousResearch/atropos@296a0bc55760 atroposlib/envs/base.py:57-73, 927-929.
		{
			Name: "atropos", Doc: "Atropos' groups: one per line, with token ids, masks, a score per answer, and the conversations.",
			TrainerOption: "--env.data_path_to_save_groups groups.jsonl, with --env.include_messages true for the texts",
			File:          "groups.jsonl",
			Score:         80,
			Keys:          Keys{"scores": jsonscan.Array, "tokens": jsonscan.Array, "masks": jsonscan.Array},
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:    {"scores"},
				decode.RoleStep:      {"group_overrides.step", "step"},
				decode.RolePrompt:    {decode.ConversationField},
				decode.RoleResponse:  {"the messages"}, // what takeWholeText sets
				decode.RoleAdvantage: {"advantages"},
			}),
			Layout: atroposGroup,
		},

		// step-data is a log whose lines hold a step and, under data, a sample or the lists of a group. The file
		// loggers of trainers write metrics in the same way, which are no samples.
		{
			Name: "step-data", Doc: `JSON lines {"step": 1, "data": {…}}: under data, sample or the like is a sample, or the lists of a group.`,
			TrainerOption: "one json.dumps per sample or group, with prompt, completion and reward under data",
			File:          "rollouts.jsonl",
			Origin:        FromAnyone,
			Score:         14,
			Sniff: func(first *First) bool {
				flat, ok, err := decode.Unwrap(first.Record)
				if !ok || err != nil || IsMetrics(flat) {
					return false
				}
				if whole := decode.NewRowDecoder(ofGroup, first.Name); !first.has("data") && // else what is around it is the sample
					jsonscan.ScanObject(first.Record, whole.Pick) == nil && whole.HasReward() {
					return false
				}
				r := decode.NewRowDecoder(ofGroup, first.Name)
				_ = jsonscan.ScanObject(flat, r.Pick)
				hasText := r.Has(decode.RolePrompt) || r.Has(decode.RoleResponse)
				return hasText && r.HasReward() || decode.HasGroups(ofGroup, flat)
			},
			Fields:     ofGroup,
			Layout:     decode.Wrapped,
			Positional: true,
		},

		// json is a file that is one JSON document: a list of samples, or an object that holds one.
		{
			Name: "json", Doc: "A JSON document: a list of samples, an object with a list of samples or of groups, or an object of " +
				"lists. Also one such document per line.",
			TrainerOption: "json.dump of a list of objects with reward and prompt",
			File:          "samples.json",
			Origin:        FromAnyone,
			Framing:       framing.Framing{Whole: true},
			Score:         20,
			Sniff: func(first *First) bool {
				r := decode.NewRowDecoder(usual, first.Name)
				hasReward := false
				err := decode.Document(r, first.Record, func() { hasReward = hasReward || r.HasReward() })
				var ragged decode.RaggedError
				return err == nil && hasReward || errors.As(err, &ragged) // which is then said of the file
			},
			Fields:     usual,
			Layout:     decode.Document,
			Positional: true,
		},
	}
}

func groupFields() *decode.Fields {
	f := decode.PreferNames(decode.Names{
		decode.RoleReward:   {"rewards", "scores", "group_rewards", "returns", "raw_rewards"},
		decode.RolePrompt:   {"prompts", "questions"},
		decode.RoleResponse: {"completions", "responses", "outputs", "generations", "answers", "texts", "samples", "rollouts"},
		decode.RoleLength:   {"completion_lengths", "response_lengths", "lengths"},
	})
	f.ByShape = true
	return f
}

// listsRewards reports whether a table has a column of lists of rewards, and neither a single reward nor
// a single response in a row. Its columns are named, then the paths of what is in those that hold lists.
func listsRewards(fields *decode.Fields, columns []string) (yes bool) {
	for _, name := range columns {
		p, ok := fields.Lookup([]byte(name))
		isReward, isResponse := ok && p.Role == decode.RoleReward, ok && p.Role == decode.RoleResponse
		isList := slices.ContainsFunc(columns, func(path string) bool { return isListOf(path, name) })
		holdsSamples := slices.ContainsFunc(columns, func(path string) bool { return isRewardIn(fields, path, name) })
		switch {
		case holdsSamples, isList && (isReward || !ok && decode.NamesReward(name)):
			yes = true
		case !isList && (isReward || isResponse):
			return false
		}
	}
	return yes
}

// isRewardIn reports whether the path of a leaf says that a column holds lists of objects with a reward.
func isRewardIn(fields *decode.Fields, path, column string) bool {
	rest, ok := strings.CutPrefix(path, column+".")
	if !ok || !strings.HasPrefix(rest, "list.") && !strings.HasPrefix(rest, "bag.") {
		return false
	}
	p, ok := fields.Lookup([]byte(rest[strings.LastIndexByte(rest, '.')+1:]))
	return ok && p.Role == decode.RoleReward && strings.Count(rest, ".") > 1
}

// isListOf reports whether the path of a leaf says that a column holds lists of values, or lists of
// conversations.
func isListOf(path, column string) bool {
	rest, ok := strings.CutPrefix(path, column+".")
	if !ok {
		return false
	}
	switch rest {
	case "list.element", "list.item", "bag.array_element", "array", "element", "item":
		return true
	}
	return strings.Count(rest, "list.") > 1
}

// masked is what Atropos puts for a token that is not trained.
const masked = "-100"

// atroposGroup takes each answer of a group as a sample. Its length is the tokens that are not masked.
func atroposGroup(r *decode.RowDecoder, record []byte, emit func()) error {
	fields, err := jsonscan.Pluck(record, "masks")
	if err != nil {
		return err
	}
	var lengths []float64
	fields[0].EachElement(func(mask jsonscan.Value) {
		trained := 0
		mask.EachElement(func(e jsonscan.Value) {
			if string(e.Raw) != masked {
				trained++
			}
		})
		lengths = append(lengths, float64(trained))
	})
	next := 0
	return decode.GroupLists(r, record, func() {
		if next < len(lengths) && lengths[next] > 0 {
			r.Set(decode.RoleLength, jsonscan.FromFloat(lengths[next]))
		}
		next++
		r.SetRecordGroup()
		takeWholeText(r)
		emit()
	})
}

// takeWholeText takes a conversation without an answer as the response: the environment decoded prompt and
// answer as one text, and a prompt that differs in each sample would deny that they are a group.
func takeWholeText(r *decode.RowDecoder) {
	text := r.Values[decode.RolePrompt]
	if text.Kind == jsonscan.Array && len(decode.FromAssistant(text)) == 0 {
		r.Set(decode.RoleResponse, decode.Conversation(text.Elements()))
		r.Values[decode.RolePrompt] = jsonscan.Value{}
	}
}
