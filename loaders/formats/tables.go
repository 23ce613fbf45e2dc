package formats

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

func tables() []Format {
	usual := UsualFields()
	return []Format{
		// trl is TRL's completions: a Parquet file per log step, with a column per reward function and no
		// total. huggingface/trl@f2cd57710 trl/trainer/grpo_trainer.py:3293-3327.
		{
			Name: "trl", Framework: "trl", Doc: "TRL's completions/completions_{step}.parquet: a column per reward function.",
			TrainerOption: "log_completions=True, logging_steps=1 and output_dir=DIR in GRPOConfig",
			File:          "DIR/completions/completions_{step}.parquet",
			Open:          "DIR",
			Framing:       framing.Framing{Table: true},
			Score:         80,
			Keys:          keys("step", "prompt", "completion", "advantage"),
			Fields:        decode.NamesWithoutTotal(),
			Positional:    true,
			MayRepeatRows: true,
			Evaluation:    OverTrainingRows,
		},

		// trl-table is TRL's completions as W&B keeps them: the columns of its Parquet files, with reward
		// functions under their own names. TRL's RLOO writes nothing else.
		// huggingface/trl@1.16.0 trl/trainer/grpo_trainer.py:3341-3381, rloo_trainer.py:1941.
		{
			Name: "trl-table", Framework: "trl", Doc: "TRL's completions as a W&B table on disk: a column per reward function.",
			TrainerOption: "WANDB_MODE=offline, and log_completions=True, logging_steps=1 and report_to=wandb in GRPOConfig or RLOOConfig",
			File:          "wandb/{run}/files/media/table/completions_{step}_{hash}.table.json",
			Origin:        FromLogger,
			Framing:       framing.Framing{Whole: true},
			Score:         90,
			Keys:          Keys{"data": jsonscan.Array},
			Sniff: func(first *First) bool { // the columns that TRL always writes
				var columns []string
				first.field("columns").EachElement(func(name jsonscan.Value) { columns = append(columns, string(name.Text())) })
				return !slices.ContainsFunc([]string{"step", "prompt", "completion", "advantage"}, func(name string) bool {
					return !slices.Contains(columns, name)
				})
			},
			Fields:        decode.NamesWithoutTotal(),
			Layout:        decode.WandbTable,
			Positional:    true,
			MayRepeatRows: true,
			Evaluation:    AfterTrainingRows,
		},

		// wandb-table is a table of W&B's offline runs: {"columns": […], "data": [[…]]}.
		// wandb/wandb@b6e29505884e wandb/sdk/data_types/table.py:650-701.
		{
			Name: "wandb-table", Doc: "A W&B table on disk: files/media/table/*.table.json of an offline run.",
			TrainerOption: "WANDB_MODE=offline, and log_completions=True (TRL), trainer.log_val_generations=N (verl) or " +
				"trainer.val_generations_to_log=N (EasyR1)",
			File:          "wandb/{run}/files/media/table/{key}_{step}_{hash}.table.json",
			Origin:        FromLogger,
			Framing:       framing.Framing{Whole: true},
			Score:         85,
			Keys:          Keys{"columns": jsonscan.Array, "data": jsonscan.Array},
			Fields:        decode.UsualNames(),
			Layout:        decode.WandbTable,
			Positional:    true,
			MayRepeatRows: true,
		},

		// trackio is the tables that TRL logs to trackio, as package trackio gives them: a line for each table, with the columns of TRL's
		// Parquet files. TRL's RLOO writes no file of its own.
		// huggingface/trl@1.16.0 trl/trainer/grpo_trainer.py:3336-3372, rloo_trainer.py:1907; trackio 0.43.0 trackio/table.py.
		{
			Name: "trackio", Framework: "trl", Doc: "TRL's completions in trackio's database: a table per log step, a folder per run.",
			TrainerOption: trackioOption,
			File:          "trackio/{project}.db",
			Open:          "trackio/PROJECT.db",
			Origin:        FromLogger,
			Score:         90,
			Keys:          keys("trackio", "step", "metrics"),
			Fields:        decode.NamesWithoutTotal(),
			Layout:        trackioTables,
			Positional:    true,
			MayRepeatRows: true,
			Evaluation:    AfterTrainingRows,
		},

		// trackio-traces is the samples that TRL's asynchronous GRPO logs to trackio as traces, some of each step.
		// huggingface/trl@1.16.0 trl/experimental/async_grpo/async_grpo_trainer.py:264-301; trackio 0.43.0 trackio/sqlite_storage.py:2953.
		{
			Name: "trackio-traces", Framework: "trl", Doc: "Traces in trackio's database, with the reward in their metadata: TRL's " +
				"asynchronous GRPO logs some samples of a step so.",
			TrainerOption: "report_to=trackio in AsyncGRPOConfig; in ~/.cache/huggingface, or TRACKIO_DIR=trackio",
			File:          "trackio/{project}.db",
			Open:          "trackio/PROJECT.db",
			Origin:        FromLogger,
			Score:         90,
			Keys:          keys("trackio", "step", "messages", "metadata"),
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:    {"reward"},
				decode.RoleStep:      {"step"},
				decode.RoleGroup:     {"group_id"},
				decode.RolePrompt:    {decode.ConversationField},
				decode.RoleAdvantage: {"advantage"},
				decode.RoleLength:    {"completion_tokens"},
			}),
			Layout: trackioTrace,
		},

		// tunix is Tunix's trajectory log: CSV whose cells are Python's repr of things.
		// google/tunix@c7d8950f12a9 tunix/utils/trajectory_logger.py:77-151.
		{
			Name: "tunix", Framework: "tunix", Doc: "Tunix's trajectory_log_*.csv: a row per trajectory, with cells that are Python's " +
				"repr of lists and dicts.",
			TrainerOption: "an agentic learner with MetricsLoggerOptions(log_dir=DIR)",
			File:          "DIR/trajectory_log_{time}.csv",
			Framing:       framing.Framing{Quoted: true},
			Score:         85,
			Sniff: func(first *First) bool {
				return bytes.Contains(first.Record, []byte("trajectory_reward")) && bytes.Contains(first.Record, []byte("policy_version"))
			},
			Fields: decode.OnlyNames(decode.Names{
				decode.RoleReward:   {"trajectory_reward"},
				decode.RoleStep:     {"policy_version"},
				decode.RoleGroup:    {"group_id"},
				decode.RolePrompt:   {"original_input"},
				decode.RoleTruth:    {"answer"},
				decode.RoleResponse: {"conversation_text"},
			}).Telling(decode.Statuses{"status": { // tunix/rl/agentic/trajectory/trajectory_collect_engine.py:118; overlong_filter masks them
				"max_steps_reached": model.StatusCutOff, "max_context_limit_reached": model.StatusCutOff,
				"timeout": model.StatusCutOff, "env_timeout": model.StatusCutOff,
			}}),
			ReadCell:   readTunixCell,
			Positional: true,
		},

		// unstable-baselines is the train_data_step_N.csv of UnstableBaselines: turns of games, with rewards
		// that were normalised before. Only equal observations tell which belong together.
		// LeonGuertler/UnstableBaselines@66aec040f789.
		{
			Name: "unstable-baselines", Doc: "UnstableBaselines' train_data_step_N.csv: turns of games, with rewards that are already " +
				"normalised.",
			TrainerOption: byDefault,
			File:          "DIR/train_data_step_{step}.csv",
			Framing:       framing.Framing{Quoted: true},
			Score:         85,
			Sniff: func(first *First) bool {
				return bytes.HasPrefix(jsonscan.TrimByteOrderMark(first.Record), []byte("pid,obs,act,reward"))
			},
			Fields: decode.UsualNames(),
		},

		// csv is a table with a header and commas, semicolons or tabs between its columns.
		{
			Name: "csv", Doc: "CSV or TSV with a header: a reward and other columns under usual names, or lists of them, a group per row.",
			TrainerOption: "DataFrame.to_csv",
			File:          "log.csv",
			Origin:        FromAnyone,
			Framing:       framing.Framing{Quoted: true},
			Score:         15,
			Sniff: func(first *First) bool {
				switch framing.Extension(first.Name) {
				case ".csv", ".tsv", "":
					header := jsonscan.TrimByteOrderMark(first.Record)
					return hasReward(usual, framing.SplitCSV(nil, header, framing.CSVSeparator(header)))
				}
				return false
			},
			Fields:     usual,
			Positional: true,
		},

		// parquet is a Parquet file with a reward and whatever else under its usual names.
		{
			Name: "parquet", Doc: "A Parquet file: a reward and other columns under usual names.",
			TrainerOption: "DataFrame.to_parquet",
			File:          "log.parquet",
			Origin:        FromAnyone,
			Framing:       framing.Framing{Table: true},
			Score:         15,
			Sniff: func(first *First) bool {
				return hasReward(usual, bytes.Split(first.Record, []byte{'\n'}))
			},
			Fields:     usual,
			Positional: true,
		},
	}
}

// trackioOption is what makes TRL write its samples for trackio.
const trackioOption = "report_to=trackio, log_completions=True and logging_steps=1 in GRPOConfig or RLOOConfig; in ~/.cache/huggingface, " +
	"or TRACKIO_DIR=trackio"

// trackioTables takes the rows of each table as samples, if they have texts and rewards. The step of a row is that of the trainer;
// trackio counts what was logged.
func trackioTables(r *decode.RowDecoder, record []byte, emit func()) error {
	fields, err := jsonscan.Pluck(record, "step", "metrics")
	if err != nil {
		return err
	}
	step, metrics := fields[0], fields[1]
	metrics.EachField(func(_, logged jsonscan.Value) {
		if string(logged.Field("_type").Raw) != "trackio.table" {
			return
		}
		logged.Field("_value").EachElement(func(row jsonscan.Value) {
			if !hasText(r.Fields, row) {
				return // a table of something else
			}
			r.BeginRow()
			r.Pick(jsonscan.Value{Kind: jsonscan.String, Raw: []byte("step")}, step)
			row.EachField(func(key, v jsonscan.Value) { r.Pick(key, trackioValue(r.Fields, key, v)) })
			if r.HasReward() || r.Has(decode.RoleAdvantage) {
				emit()
			}
		})
	})
	return nil
}

func hasText(fields *decode.Fields, row jsonscan.Value) (yes bool) {
	row.EachField(func(key, _ jsonscan.Value) {
		p, ok := fields.Lookup(key.Raw)
		yes = yes || ok && (p.Role == decode.RolePrompt || p.Role == decode.RoleResponse)
	})
	return yes
}

// trackioValue returns the number that trackio writes as a text because JSON has none for it.
func trackioValue(fields *decode.Fields, key, v jsonscan.Value) jsonscan.Value {
	if v.Kind != jsonscan.String {
		return v
	}
	if p, ok := fields.Lookup(key.Raw); ok && p.Role != decode.RoleReward && p.Role != decode.RoleAdvantage {
		return v
	}
	switch string(v.Raw) {
	case "NaN":
		return jsonscan.FromFloat(math.NaN())
	case "Infinity":
		return jsonscan.FromFloat(math.Inf(1))
	case "-Infinity":
		return jsonscan.FromFloat(math.Inf(-1))
	}
	return v
}

// trackioTrace takes a trace as a sample, if its metadata has a reward.
func trackioTrace(r *decode.RowDecoder, record []byte, emit func()) error {
	whole := &model.Whole{Mean: math.NaN(), Std: math.NaN()} // a call logs sixteen traces at most, whatever groups they are of
	return decode.OneRow(r, record, func(key, v jsonscan.Value) {
		switch string(key.Raw) {
		case "trackio":
		case "metadata":
			v.EachField(func(key, v jsonscan.Value) {
				if string(key.Raw) == "reward_std" {
					whole.Std, _ = v.ToFloat()
				}
				r.Pick(key, trackioValue(r.Fields, key, v))
			})
		default:
			r.Pick(key, v)
		}
	}, func() {
		r.SetWhole(whole)
		if r.HasReward() {
			emit()
		}
	})
}

// readTunixCell reads the cells that are Python's repr of lists and dicts.
func readTunixCell(r *decode.RowDecoder, column string, cell []byte) bool {
	switch column {
	case "conversation_masks":
		r.Set(decode.RoleLength, jsonscan.FromFloat(float64(bytes.Count(cell, []byte{'1'}))))
	case "conversation_text":
		if r.Capture == nil {
			return false // its text is not needed
		}
		response := pythonResponse(cell)
		r.Set(decode.RoleResponse, response)
		return response.Kind != jsonscan.Absent
	case "original_input":
		prompt := pythonItem(cell, "prompt", "question")
		r.Set(decode.RolePrompt, prompt)
		r.Set(decode.RoleTruth, pythonItem(cell, "answer", "ground_truth", "solution"))
		return prompt.Kind != jsonscan.Absent
	default:
		return false
	}
	return true
}

// pythonResponse returns what the assistant says in the repr of a list of {role, content}.
func pythonResponse(repr []byte) jsonscan.Value {
	var texts []jsonscan.Value
	for {
		_, after, ok := bytes.Cut(repr, []byte("'role': 'assistant', 'content': "))
		if !ok {
			return decode.Paragraphs(texts)
		}
		text, size := pythonText(after)
		if text.Kind != jsonscan.Absent {
			texts = append(texts, text)
		}
		repr = after[size:]
	}
}

// pythonItem returns the text under the first of the keys that the repr of a dict has.
func pythonItem(repr []byte, keys ...string) jsonscan.Value {
	for _, key := range keys {
		if _, after, ok := bytes.Cut(repr, []byte("'"+key+"': ")); ok {
			if text, _ := pythonText(after); text.Kind != jsonscan.Absent {
				return text
			}
		}
	}
	return jsonscan.Value{}
}

// pythonText reads the repr of a text at the start of b, and returns its size in bytes. The text is
// absent if b begins with something else.
func pythonText(b []byte) (text jsonscan.Value, size int) {
	if len(b) == 0 || b[0] != '\'' && b[0] != '"' {
		return jsonscan.Value{}, 0
	}
	var raw []byte
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == b[0]:
			return jsonscan.Value{Kind: jsonscan.String, Raw: raw}, i + 1
		case b[i] == '\\' && i+1 < len(b):
			var n int
			raw, n = appendEscape(raw, b[i:])
			i += n - 1
		default:
			raw = append(raw, b[i])
		}
	}
	return jsonscan.Value{}, len(b)
}

// appendEscape appends Python's escape at the start of b as one of JSON, and returns its size in
// bytes.
func appendEscape(dst, b []byte) ([]byte, int) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[b[1]]
	if digits == 0 || len(b) < 2+digits {
		if b[1] == '\'' {
			return append(dst, '\''), 2
		}
		return append(dst, b[:2]...), 2
	}
	code, err := strconv.ParseUint(string(b[2:2+digits]), 16, 32)
	if err != nil {
		return append(dst, b[:2]...), 2
	}
	if code > 0xffff {
		high, low := utf16.EncodeRune(rune(code))
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low), 2 + digits
	}
	return fmt.Appendf(dst, `\u%04x`, code), 2 + digits
}
