package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// skyrl is SkyRL's dump of evaluations. Its score is a number, or one per token.
// NovaSky-AI/SkyRL@a9564572eb8e skyrl/train/utils/trainer_utils.py:324-373.
func skyrl() Format {
	return Format{
		Name: "skyrl", Framework: "skyrl", Doc: "SkyRL's dumped_evals: evaluations only; score is a number or a list with one per token.",
		TrainerOption: byDefault + ", for evaluations only, with trainer.export_path=DIR",
		File:          "DIR/dumped_evals/global_step_{step}_evals/{dataset}.jsonl",
		Open:          "DIR/dumped_evals",
		Score:         80,
		Sniff:         hasKeys("input_prompt", "output_response", "env_class"),
		Fields: decode.PreferNames(decode.Names{
			decode.RoleReward:   {"score"},
			decode.RolePrompt:   {"input_prompt"},
			decode.RoleResponse: {"output_response"},
			decode.RoleTruth:    {"env_extras.reward_spec.ground_truth", "env_extras.extra_info.answer"},
		}),
		Layout: skyrlRow,
	}
}

// skyrlRow sums a score per token.
func skyrlRow(r *decode.RowDecoder, record []byte, emit func()) error {
	r.BeginRow()
	err := jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		if string(key.Raw) != "score" || v.Kind != jsonscan.Array {
			r.Pick(key, v)
			return
		}
		sum := 0.0
		v.EachElement(func(e jsonscan.Value) {
			if x, ok := e.ToFloat(); ok {
				sum += x
			}
		})
		r.Set(decode.RoleReward, jsonscan.FromFloat(sum))
	})
	if err == nil {
		emit()
	}
	return err
}
