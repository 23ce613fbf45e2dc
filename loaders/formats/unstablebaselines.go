package formats

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// unstableBaselines is the train_data_step_N.csv of UnstableBaselines: turns of games, with rewards
// that were normalised before. Only equal observations tell which belong together.
// LeonGuertler/UnstableBaselines@66aec040f789.
func unstableBaselines() Format {
	return Format{
		Name: "unstable-baselines", Doc: "UnstableBaselines' train_data_step_N.csv: turns of games, with rewards that are already normalised.",
		TrainerOption: byDefault,
		File:          "DIR/train_data_step_{step}.csv",
		Open:          "DIR",
		Framing:       framing.Framing{Quoted: true},
		Score:         85,
		Sniff: func(first *First) bool {
			return bytes.HasPrefix(jsonscan.TrimByteOrderMark(first.Record), []byte("pid,obs,act,reward"))
		},
		Fields: decode.UsualNames(),
	}
}
