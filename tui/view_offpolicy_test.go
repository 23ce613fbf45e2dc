package tui

import (
	"context"
	"fmt"
	"math"
	rand "math/rand/v2"
	"testing"

	rules "vantage/estimators/offpolicy"
	"vantage/internal/testkit/modeltest"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/offpolicy"
	"vantage/tui/env"
)

// tokenSource is a run whose log has log-probs.
type tokenSource struct {
	*textSource
	samples []offpolicy.Sample
	err     error
}

// staleRun returns a run with log-probs that are off by 0.01 at lag 0 and by 0.03 more with each version, half of the rows at lag 0. One
// row of step 5 has much of the weight.
func staleRun(steps int) *tokenSource {
	s := &tokenSource{textSource: madeRunWithTexts(steps, proofText)}
	random := rand.New(rand.NewPCG(7, 53))
	for _, chunk := range s.chunks {
		for i, r := range chunk.Records {
			lag := max(0, min(i%4-1, int(r.Step)-1))
			width := 0.01 + 0.03*float64(lag)
			x := offpolicy.Sample{
				Step: int(r.Step), Group: fmt.Sprint(r.Prompt), Writer: "prime-rl", Place: &offpolicy.Place{Place: model.Place{Offset: r.Offset}},
			}
			x.Advantage, x.VersionLag, x.VersionSpan = float64(i%2)*2-1, &lag, new(int)
			x.Versions = &rules.Versions{First: int(r.Step) - 1 - lag, Last: int(r.Step) - 1 - lag}
			for range 8 + i%9 {
				logProb := -random.ExpFloat64()
				d := width * random.NormFloat64()
				if r.Step == 5 && i == 17 {
					d += 0.4
				}
				x.Sampler, x.Trainer = append(x.Sampler, float32(logProb)), append(x.Trainer, float32(logProb+d))
			}
			s.samples = append(s.samples, x)
		}
	}
	return s
}

// withoutTrainer takes the log-probs of the trainer away.
func (s *tokenSource) withoutTrainer() *tokenSource {
	for i := range s.samples {
		s.samples[i].Trainer = nil
	}
	return s
}

func (s *tokenSource) OffPolicy(context.Context, func(*offpolicy.Study)) (*offpolicy.Study, error) {
	return s.study(true), s.err
}

func (s *tokenSource) study(sweeps bool) *offpolicy.Study {
	study := offpolicy.New(offpolicy.Asked{}, sweeps)
	for _, x := range s.samples {
		study.Add(x)
	}
	study.Finish()
	return study
}

func (s *tokenSource) RowFigures() *offpolicy.Rows {
	study := offpolicy.NewOfRun(offpolicy.Asked{})
	for _, x := range s.samples {
		study.Add(x)
	}
	study.Finish()
	return &study.Rows
}

func (s *tokenSource) TokensOf(_ context.Context, at model.Place) (offpolicy.Sample, error) {
	for _, x := range s.samples {
		if x.Place.Place == at {
			return x, nil
		}
	}
	return offpolicy.Sample{}, offpolicy.ErrNone
}

// makeStuck says that weights are not synchronised from step 5 on.
func makeStuck(keys ...string) func(*driver) {
	return func(d *driver) {
		ill := modeltest.Ill(3, len(d.app.env.Snap.Steps))
		ill.Findings[0].Kind, ill.Findings[0].Since = diagnosis.WeightsNotSynced, 5
		ill.Findings[0].Title = "mean |d| of rows of lag 0 went from 0.0080 to 0.067: weights may not reach the sampler, or it drifts"
		d.app.env.Findings.Job.Value.Look = &diagnosis.Look{Diagnosis: ill}
		d.press(keys...)
	}
}

// The view names the cause and the rule, marks the onset, and shows what each rule keeps.
func TestOffPolicyView(t *testing.T) {
	t.Parallel()
	drive(t, staleRun(8), 120, 36, filterSettings(), func(d *driver) {
		makeStuck("R")(d)
		d.wantText("staleness: mean |d| is", "keeps most effective samples", "mean |d| over the steps", "! step 5: mean |d| of rows of lag 0",
			"mean |d| by lag", "what each rule keeps", "sweep: roll/train_infer_correction", "the run's rule prime-rl/default")
		d.press("v", "v")
		d.wantText("ESS over the steps")
		d.press("right")
		d.wantText("mean |d| by probability")
		d.press("right")
		d.wantText("mean |d| by sign of A", "A < 0")
		d.press("g")
		d.wantText("sweep: verl/rollout_is", "elsewhere: a 3 trl, unsloth")
		d.press("j")
		d.wantText("sweep: verl/rollout_rs")
	})
}

// Enter opens the row that is worst by the figure, and Esc leads back.
func TestOffPolicyViewOpensTheWorst(t *testing.T) {
	t.Parallel()
	drive(t, staleRun(8), 120, 36, filterSettings(), func(d *driver) {
		d.press("R", "v", "v", "enter")
		d.wantText("step 5 is worst by ESS")
		g := d.app.env.SelectedGroup()
		row := int(d.app.env.Result.Analysis.InputRow[d.app.env.RankedSamples(g)[d.app.views.sampleReader.Sample]])
		if g.Step != 5 || row != 17 {
			t.Errorf("row %d of step %d is open", row, g.Step)
		}
		if ratio := d.app.env.RatioOf(g, g.Start, g.End); !(ratio > 1.01 && ratio < math.E) {
			t.Errorf("the ratio of the group is %v", ratio)
		}
		d.wantText("geo", "d of 16 tokens")
	})
}

// A log without log-probs is told which option writes them, one of the sampler alone too.
func TestOffPolicyViewWithout(t *testing.T) {
	t.Parallel()
	of := func(framework string, source env.Source, made *madeSource) env.Source {
		for _, chunk := range made.chunks {
			chunk.Framework = framework
		}
		return source
	}
	none := staleRun(2)
	none.err, none.samples = offpolicy.ErrNone, nil
	half := staleRun(2).withoutTrainer()
	plain := madeRun(2)
	for framework, c := range map[string]struct {
		source env.Source
		want   string
	}{
		"slime":    {of("slime", none, none.madeSource), "writes both sides with --dump-details DIR"},
		"prime-rl": {of("prime-rl", half, half.madeSource), "trainer.enable_token_export=true"},
		"verl":     {of("verl", plain, plain), "This source has no log-probs of tokens"},
	} {
		drive(t, c.source, 120, 36, filterSettings(), func(d *driver) {
			d.press("R")
			d.wantText(c.want)
			if d.app.env.HasRatios() {
				t.Errorf("%s: there are ratios", framework)
			}
		})
	}
}
