package formats

import (
	"bytes"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// groupFields returns the fields of a record that is a group.
func groupFields() *decode.Fields {
	f := decode.PreferNames(decode.Names{
		decode.RoleReward:   {"rewards", "scores", "group_rewards", "returns", "raw_rewards"},
		decode.RolePrompt:   {"prompts", "questions"},
		decode.RoleResponse: {"completions", "responses", "outputs", "generations", "answers", "texts", "samples", "rollouts"},
		decode.RoleLength:   {"completion_lengths", "response_lengths", "lengths"},
	})
	return f
}

// groupLines is a log with a group in each line: one prompt, and lists of its completions and rewards.
func groupLines() Format {
	fields := groupFields()
	return Format{
		Name: "group-lines", Doc: "JSON lines with one group per line: a list of rewards, and lists of as many completions, advantages or lengths.",
		TrainerOption: "one json.dumps per group with step, prompt, completions and rewards",
		File:          "groups.jsonl",
		Open:          "groups.jsonl",
		Origin:        FromAnyone,
		Score:         12,
		Sniff:         func(first *First) bool { return decode.HasGroupLists(fields, first.Record) },
		Fields:        fields,
		Layout:        decode.GroupLists,
	}
}

// groupTable is a Parquet file with a group in each row.
func groupTable() Format {
	fields := groupFields()
	return Format{
		Name: "group-parquet", Doc: "A Parquet file with one group per row: a list of rewards, and lists of as many completions, advantages or lengths.",
		TrainerOption: "DataFrame.to_parquet of one row per group with step, prompt, completions and rewards",
		File:          "groups.parquet",
		Open:          "groups.parquet",
		Origin:        FromAnyone,
		Framing:       framing.Framing{Table: true},
		Score:         16,
		Sniff: func(first *First) bool {
			return listsRewards(fields, strings.Split(string(first.Record), "\n"))
		},
		Fields: fields,
		Layout: decode.GroupLists,
	}
}

// listsRewards reports whether a table has a column of lists of rewards, and neither a single reward nor
// a single response in a row. Its columns are named, then the paths of what is in those that hold lists.
func listsRewards(fields *decode.Fields, columns []string) (yes bool) {
	for _, name := range columns {
		p, ok := fields.Lookup([]byte(name))
		if !ok || p.Role != decode.RoleReward && p.Role != decode.RoleResponse {
			continue
		}
		isList := slices.ContainsFunc(columns, func(path string) bool { return isListOf(path, name) })
		if !isList {
			return false
		}
		yes = yes || p.Role == decode.RoleReward
	}
	return yes
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

// atropos is the groups that Atropos' environments send to a trainer, a line each: token ids with masks, a
// score per answer, and the conversations if the environment keeps them.
// NousResearch/atropos@296a0bc55760 atroposlib/envs/base.py:57-73, 927-929.
func atropos() Format {
	fields := decode.OnlyNames(decode.Names{
		decode.RoleReward:    {"scores"},
		decode.RoleStep:      {"group_overrides.step", "step"},
		decode.RolePrompt:    {decode.ConversationField},
		decode.RoleResponse:  {"the messages"}, // what takeWholeText sets
		decode.RoleAdvantage: {"advantages"},
	})
	return Format{
		Name: "atropos", Doc: "Atropos' groups: one per line, with token ids, masks, a score per answer, and the conversations.",
		TrainerOption: "--env.data_path_to_save_groups groups.jsonl, with --env.include_messages true for the texts",
		File:          "groups.jsonl",
		Open:          "groups.jsonl",
		Score:         80,
		Sniff: func(first *First) bool {
			keys := first.Keys()
			return keys["scores"] == jsonscan.Array && keys["tokens"] == jsonscan.Array && keys["masks"] == jsonscan.Array
		},
		Fields: fields,
		Layout: atroposGroup,
	}
}

// masked is what Atropos puts for a token that is not trained.
var masked = []byte("-100")

// atroposGroup takes each answer of a group as a sample. Its length is the tokens that are not masked.
func atroposGroup(r *decode.RowDecoder, record []byte, emit func()) error {
	var lengths []float64
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if string(key.Raw) == "masks" {
			v.EachElement(func(mask jsonscan.Value) { lengths = append(lengths, trainedTokens(mask)) })
		}
	})
	if err != nil {
		return err
	}
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

func trainedTokens(mask jsonscan.Value) float64 {
	n := 0
	mask.EachElement(func(e jsonscan.Value) {
		if !bytes.Equal(e.Raw, masked) {
			n++
		}
	})
	return float64(n)
}
