package reader

import (
	"context"
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"vantage/model/offpolicy"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/pane"
)

// tokens is how far the tokens of the sample under the cursor are off-policy: d of each. No log has the text of each token, so that they
// are a strip below the text.
type tokens struct {
	Job job.Job[textKey, []float32]
}

// stripRows are the lines of the strip: what it is, d above 0 and d below.
const stripRows = 3

// heightForStrip is that of the text from which it has a strip.
const heightForStrip = 9

// updateTokens requests the log-probs of the sample under the cursor, while the group is open and the log has them.
func (r *Group) updateTokens(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	r.tokens.Job.Take(c, msg)
	if !open || !r.hasStrip(e) {
		r.tokens.Job.Stop()
		return
	}
	key, ok := r.sampleKey(e)
	isAnswered := key == r.tokens.Job.Of && !r.tokens.Job.Busy()
	if !ok || isAnswered || !r.tokens.Job.Lacks(key, job.Never) {
		return
	}
	reader := e.Tokens.Reader
	r.tokens.Job.Start(c, key, job.Once(func(ctx context.Context) ([]float32, error) {
		sample, err := reader.TokensOf(ctx, key.Place)
		return sample.Differences(), err
	}))
}

// sampleKey names the sample under the cursor.
func (r Group) sampleKey(e env.Env) (textKey, bool) {
	g := e.SelectedGroup()
	if g == nil {
		return textKey{}, false
	}
	step, ok := e.AnalyzedStep(g.Step)
	if !ok {
		return textKey{}, false
	}
	order := e.RankedSamples(g)
	row := e.Result.Analysis.InputRow[order[pane.ClampIndex(r.Sample, len(order))]]
	return textKey{0, step.Place(int(row)), step.Revision}, true
}

// hasStrip reports whether the text has a strip below it.
func (r Group) hasStrip(e env.Env) bool {
	_, text := r.parts(e)
	return e.Tokens.Reader != nil && e.HasRatios() && text.Inner().H >= heightForStrip
}

// strip draws d over the tokens in w cells.
func (r Group) strip(e env.Env, w int) []string {
	t, all := e.Display.Theme, r.tokens.Job.Value
	said := func(text string) []string {
		return []string{t.Paint(themes.Dim, cells.Truncate(" "+text, w)), "", ""}
	}
	switch key, ok := r.sampleKey(e); {
	case !ok || key != r.tokens.Job.Of:
		return said("reading the log-probs …")
	case r.tokens.Job.Err != nil || all == nil:
		return said("the log has no log-probs of both sides for this sample")
	}
	most, at, n, value := 0.0, 0, 0, float32(0)
	for _, d := range all {
		if d != d {
			continue
		}
		if n++; math.Abs(float64(d)) > most {
			most, at, value = math.Abs(float64(d)), n, d
		}
	}
	if n == 0 {
		return said("no token of this sample can be compared")
	}
	legend := cells.JoinFitting(w-1, "  ", "d of "+units.Plural(n, "tokens"), t.Paint(themes.Positive, "▲")+" trainer more probable "+
		t.Paint(themes.Negative, "▼")+" less", fmt.Sprintf("largest %s, token %d", offpolicy.Nats(float64(value)), at))
	lines := chart.Strip(t, e.Display.Glyphs, all, max(most, leastScale), w-2)
	return []string{" " + legend, " " + lines[0], " " + lines[1]}
}

// leastScale is the least |d| at which a bar is full: smaller ones are noise, whichever is the largest.
const leastScale = 0.1
