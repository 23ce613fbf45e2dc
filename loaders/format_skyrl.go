package loaders

// skyrl is SkyRL's dump of evaluations. Its score is a number, or one per token.
// NovaSky-AI/SkyRL@a9564572eb8e skyrl/train/utils/trainer_utils.py:324-373.
func skyrl() Format {
	names := with(map[role][]string{
		rolePrompt: {"input_prompt"}, roleResponse: {"output_response"}, roleReward: {"score"},
		roleTruth: {"env_extras.reward_spec.ground_truth", "env_extras.extra_info.answer"},
	})
	return Format{
		Name: "skyrl", Doc: "SkyRL's dumped_evals: evaluations only, score as a number or per token.",
		Writes: "nothing for evaluations: they are dumped by default, under export_path",
		Sniff:  byKeys(80, "input_prompt", "output_response", "env_class"),
		Decode: shaped(names, summed("score")),
	}
}

// summed is a plain row in which a list of numbers under a key counts as its sum.
func summed(key string) shape {
	return func(r *rows, record []byte, sample func()) error {
		r.begin()
		err := scanObject(record, func(k, v value) {
			if string(k.raw) != key || v.kind != list {
				r.pick(k, v)
				return
			}
			sum := 0.0
			eachElement(v, func(e value) {
				if x, ok := e.toFloat(); ok {
					sum += x
				}
			})
			r.choose(roleReward, floatValue(sum))
		})
		if err == nil {
			sample()
		}
		return err
	}
}
