package formats

import (
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// artOption is what makes ART write its trajectories.
const artOption = byDefault + ", into the folder trajectories beside history.jsonl; DIR is .art, or that of LocalBackend(path=DIR)"

// art is the trajectories that OpenPipe's ART keeps: {split}/{step:04d}.parquet with a row each, whose groups
// are numbered anew in each file.
// OpenPipe/ART src/art/utils/trajectory_logging.py, write_trajectory_groups_parquet.
func art() Format {
	return Format{
		Name: "art", Framework: "art", Doc: "ART's trajectories/{split}/{step}.parquet: a row per trajectory with group_index, reward and messages.",
		TrainerOption: artOption,
		File:          "DIR/{project}/models/{model}/trajectories/{split}/{step}.parquet",
		Open:          "DIR",
		Framing:       framing.Framing{Table: true},
		Score:         85,
		Sniff: func(first *First) bool {
			columns := strings.Split(string(first.Record), "\n")
			for _, name := range []string{"group_index", "group_metadata", "reward", decode.ConversationField} {
				if !slices.Contains(columns, name) {
					return false
				}
			}
			return true
		},
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward: {"reward"},
			decode.RoleStep:   {"step"},
			decode.RoleGroup:  {"group_index"},
			decode.RolePrompt: {decode.ConversationField},
		}),
	}
}

// artLines is the same of 2025: {step:04d}.jsonl with a group in each line.
// OpenPipe/ART@08216f56e675 src/art/utils/trajectory_logging.py:16-76.
func artLines() Format {
	return Format{
		Name: "art-lines", Framework: "art", Doc: "ART's trajectories/{split}/{step}.jsonl of 2025: a group of trajectories in each line.",
		TrainerOption: artOption,
		File:          "DIR/{project}/models/{model}/trajectories/{split}/{step}.jsonl",
		Open:          "DIR",
		Score:         85,
		Sniff: func(first *First) bool {
			isART := false
			_ = jsonscan.ScanObject(first.Record, func(key, v jsonscan.Value) {
				if string(key.Raw) == "trajectories" {
					v.EachElement(func(e jsonscan.Value) { isART = isART || e.Field(artMessages).Kind == jsonscan.Array })
				}
			})
			return isART
		},
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:   {"reward"},
			decode.RoleStep:     {"step"},
			decode.RolePrompt:   {artMessages},
			decode.RoleResponse: {artMessages + " from the first choice on"}, // what artGroup sets
			decode.RoleGroup:    {"the group"},
		}),
		Layout: artGroup,
	}
}

// artMessages holds the turns of a trajectory: messages, and the choices that the model made.
const artMessages = "messages_and_choices"

// artGroup takes each trajectory of a group as a sample. Its response begins with the first choice, or the
// assistant's first turn if there is none.
func artGroup(r *decode.RowDecoder, record []byte, emit func()) error {
	return decode.EachInList(r, record, "trajectories", func(trajectory jsonscan.Value) {
		var turns []jsonscan.Value
		first := -1
		trajectory.Field(artMessages).EachElement(func(turn jsonscan.Value) {
			if message := turn.Field("message"); message.Kind == jsonscan.Object {
				if first < 0 {
					first = len(turns)
				}
				turn = message
			}
			turns = append(turns, turn)
		})
		if first < 0 {
			first = len(turns) - len(decode.FromAssistant(decode.Conversation(turns)))
		}
		r.Values[decode.RolePrompt] = decode.Conversation(turns[:first])
		r.Values[decode.RoleResponse] = decode.Conversation(turns[first:])
		r.SetRecordGroup()
		emit()
	})
}
