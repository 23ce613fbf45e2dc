package formats

import (
	"math"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// trackioOption is what makes TRL write its samples for trackio.
const trackioOption = "report_to=trackio, log_completions=True and logging_steps=1 in GRPOConfig or RLOOConfig; in ~/.cache/huggingface, or TRACKIO_DIR=trackio"

// trackio is the tables that TRL logs to trackio, as package trackio gives them: a line for each table, with the columns of TRL's Parquet
// files. TRL's RLOO writes no file of its own.
// huggingface/trl@1.16.0 trl/trainer/grpo_trainer.py:3336-3372, rloo_trainer.py:1907; trackio 0.43.0 trackio/table.py.
func trackio() Format {
	return Format{
		Name: "trackio", Framework: "trl", Doc: "TRL's completions in trackio's database: a table per log step, a folder per run.",
		TrainerOption: trackioOption,
		File:          "trackio/{project}.db",
		Open:          "trackio/PROJECT.db",
		Origin:        FromLogger,
		Score:         90,
		Sniff:         hasKeys("trackio", "step", "metrics"),
		Fields:        decode.NamesWithoutTotal(),
		Layout:        trackioTables,
		Positional:    true,
		MayRepeatRows: true,
		Evaluation:    AfterTrainingRows,
	}
}

// trackioTables takes the rows of each table as samples, if they have texts and rewards. The step of a row is that of the trainer;
// trackio counts what was logged.
func trackioTables(r *decode.RowDecoder, record []byte, emit func()) error {
	var step, metrics jsonscan.Value
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		switch string(key.Raw) {
		case "step":
			step = v
		case "metrics":
			metrics = v
		}
	})
	if err != nil {
		return err
	}
	metrics.EachField(func(_, logged jsonscan.Value) {
		if string(logged.Field("_type").Raw) != "trackio.table" {
			return
		}
		logged.Field("_value").EachElement(func(row jsonscan.Value) {
			if !hasText(r.Fields, row) {
				return // a table of something else
			}
			r.BeginRow()
			r.Pick(literalKey("step"), step)
			row.EachField(func(key, v jsonscan.Value) { r.Pick(key, trackioValue(r.Fields, key, v)) })
			if r.HasReward() || r.Has(decode.RoleAdvantage) {
				emit()
			}
		})
	})
	return nil
}

// hasText reports whether a row of a table has a prompt or a response.
func hasText(fields *decode.Fields, row jsonscan.Value) (yes bool) {
	row.EachField(func(key, _ jsonscan.Value) {
		p, ok := fields.Lookup(key.Raw)
		yes = yes || ok && (p.Role == decode.RolePrompt || p.Role == decode.RoleResponse)
	})
	return yes
}

func literalKey(name string) jsonscan.Value {
	return jsonscan.Value{Kind: jsonscan.String, Raw: []byte(name)}
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

// trackioTraces is the samples that TRL's asynchronous GRPO logs to trackio as traces, some of each step.
// huggingface/trl@1.16.0 trl/experimental/async_grpo/async_grpo_trainer.py:264-301; trackio 0.43.0 trackio/sqlite_storage.py:2953.
func trackioTraces() Format {
	return Format{
		Name: "trackio-traces", Framework: "trl", Doc: "Traces in trackio's database, with the reward in their metadata: TRL's asynchronous GRPO logs some samples of a step so.",
		TrainerOption: "report_to=trackio in AsyncGRPOConfig; in ~/.cache/huggingface, or TRACKIO_DIR=trackio",
		File:          "trackio/{project}.db",
		Open:          "trackio/PROJECT.db",
		Origin:        FromLogger,
		Score:         90,
		Sniff:         hasKeys("trackio", "step", "messages", "metadata"),
		Fields: decode.OnlyNames(decode.Names{
			decode.RoleReward:    {"reward"},
			decode.RoleStep:      {"step"},
			decode.RoleGroup:     {"group_id"},
			decode.RolePrompt:    {decode.ConversationField},
			decode.RoleAdvantage: {"advantage"},
			decode.RoleLength:    {"completion_tokens"},
		}),
		Layout: trackioTrace,
	}
}

// trackioTrace takes a trace as a sample, if its metadata has a reward.
func trackioTrace(r *decode.RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		switch string(key.Raw) {
		case "trackio":
		case "metadata":
			v.EachField(func(key, v jsonscan.Value) { r.Pick(key, trackioValue(r.Fields, key, v)) })
		default:
			r.Pick(key, v)
		}
	})
	if err == nil && r.HasReward() {
		emit()
	}
	return err
}
