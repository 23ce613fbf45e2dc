package offpolicy

import (
	"errors"

	"vantage/estimators"
	rules "vantage/estimators/offpolicy"
	"vantage/model"
)

// Judge applies one rule to the samples of a log, as they come, and keeps of each what the rule leaves of it: a few numbers, which the
// chain of an analysis takes. The rule sees the samples of a step together, as in a [Study].
type Judge struct {
	rule   *rules.Rule
	values estimators.Values
	key    model.RuleKey

	batch  rules.Batch
	places []model.Place // of its rows
	tokens int

	samples map[model.Place]model.Judgement
	missing string // what the rule lacks in a whole batch; "" if nothing
	judged  model.Judged
}

// Break says that rows of the log are left out between those before and those that come: they are of other steps.
func (j *Judge) Break() {
	if len(j.places) > 0 {
		j.decide()
	}
}

// NewJudge returns the judge of the rule that settings name.
func NewJudge(set model.Settings) (*Judge, error) {
	rule, values, err := set.FindOffPolicy()
	if err != nil {
		return nil, err
	}
	return &Judge{rule: rule, values: values, key: set.RuleKey(), samples: map[model.Place]model.Judgement{}}, nil
}

// Add takes a sample and its place in the log. Those of a step come together.
func (j *Judge) Add(x Sample, at model.Place) {
	if len(j.places) > 0 && (j.batch.Step != x.Step || j.tokens > maxBatch) {
		j.decide()
	}
	j.batch.Step, j.batch.Rows, j.places = x.Step, append(j.batch.Rows, x.Row), append(j.places, at)
	j.tokens += max(len(x.Sampler), len(x.Trainer))
}

// decide applies the rule to the samples of a step: for each sign of the advantage, if the rule reads it, since which it is only the
// settings know.
func (j *Judge) decide() {
	judgements := make([]model.Judgement, len(j.places))
	signs := []float64{-1, 0, 1}
	if !j.rule.Advantages {
		signs = signs[:1]
	}
	for k, sign := range signs {
		for i := range j.batch.Rows {
			j.batch.Rows[i].Advantage = sign
		}
		inexact, err := j.rule.Each(j.batch, j.values, func(i int, outcome rules.Outcome) {
			judgements[i].Tokens = int32(outcome.Tokens)
			judgements[i].BySign[k] = shareOf(outcome)
		})
		if err != nil {
			j.refuse(err)
			judgements = nil
			break
		}
		if inexact != "" {
			j.judged.Inexact = inexact
		}
	}
	for i, of := range judgements {
		if !j.rule.Advantages {
			of.BySign = [3]model.Share{of.BySign[0], of.BySign[0], of.BySign[0]}
		}
		j.samples[j.places[i]] = of
	}
	j.batch.Rows, j.places, j.tokens = nil, nil, 0
}

// refuse notes why the samples of a step are not judged: they lack what the rule reads, or the trainer's own code raises an exception.
func (j *Judge) refuse(err error) {
	refusal := (*estimators.Refusal)(nil)
	switch isMissing := errors.As(err, &refusal) && refusal.Kind == estimators.KindMissing; {
	case isMissing:
		j.missing = refusal.Text
	case j.judged.Fails == "":
		j.judged.Fails = estimators.Title(j.rule.Framework) + " would stop: " + err.Error()
	}
}

// shareOf is what an outcome leaves of a row.
func shareOf(outcome rules.Outcome) model.Share {
	left, weight := 0, 0.
	if outcome.Tokens == 0 {
		return model.Share{}
	}
	for i, kept := range outcome.Kept {
		if kept == rules.Removed || kept == rules.NotTrainable {
			continue
		}
		left++
		if outcome.Weights == nil {
			weight++
		} else {
			weight += float64(outcome.Weights[i])
		}
	}
	n := float64(outcome.Tokens)
	return model.Share{Left: float32(float64(left) / n), Weight: float32(weight / n)}
}

// Finish judges the last step, and returns what the rule makes of the samples. lacks says what the log has not that the rule reads, if it
// judges no sample; else it is "".
func (j *Judge) Finish() (judged *model.Judged, lacks string) {
	if len(j.places) > 0 {
		j.decide()
	}
	judged = model.NewJudged(j.key, j.samples)
	judged.Fails, judged.Inexact = j.judged.Fails, j.judged.Inexact
	some := false
	for _, of := range j.samples {
		some = some || of.Tokens > 0
	}
	if !some && judged.Fails == "" {
		lacks = j.missing
		if lacks == "" {
			lacks = j.rule.MissingIn(rules.Batch{Rows: make([]rules.Row, 1)}) // of samples that are not in the log
		}
	}
	return judged, lacks
}
