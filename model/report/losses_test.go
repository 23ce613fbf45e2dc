package report

import (
	"bytes"
	"testing"

	"vantage/estimators/lossweight"
	"vantage/estimators/overlong"
	"vantage/internal/testkit/repotest"
)

// The page on losses is what `vantage losses FRAMEWORK` and `vantage overlong FRAMEWORK` print for each.
func TestLossesPage(t *testing.T) {
	losses := sectionsOf(t, "###", lossweight.All(), func(l *lossweight.Loss) string { return l.Framework }, LossPages)
	var shapings bytes.Buffer
	if err := OverlongPages(&shapings, overlong.All()); err != nil {
		t.Fatal(err)
	}
	want := `# Weights in the loss, and shaping by length

What a trainer makes of the lengths of responses, after it has rewards and after it has advantages.

## What a row weighs in the loss

A trainer averages the losses of a step's tokens to one number. The weight of a row is that number if the loss of each of
the row's tokens is 1 and that of all others 0; at ratio 1 it multiplies the row's advantage. l is the tokens of the row, T
those of all rows, N the number of rows of an optimizer step.

    vantage losses                 # all, a line each
    vantage losses verl token-mean

This is what ` + "`vantage losses FRAMEWORK NAME`" + ` prints for every loss.

` + losses + `
## Overlong shaping

A response that is nearly as long as may be gets a lower reward, before the advantages are computed. l is its tokens, L_max
the longest length, L_buffer the tokens before it that have a penalty. A reward that a log holds may be shaped already.

    vantage overlong               # all, a line each
    vantage overlong verl

This is what ` + "`vantage overlong FRAMEWORK`" + ` prints for every shaping.

` + "```text\n" + shapings.String() + "```\n"
	repotest.Page(t, ".github/docs/losses.md", want)
}
