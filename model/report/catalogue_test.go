package report

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/overlong"
	"vantage/internal/testkit/repotest"
)

// The page on estimators is what `vantage estimators NAME` prints for each of them.
func TestEstimatorsPage(t *testing.T) {
	pages := sectionsOf(t, "##", estimators.All(), Estimators().Pages)
	want := `# Estimators and their arithmetic

This is what ` + "`vantage estimators NAME`" + ` prints for every estimator. Try one:

    vantage estimators verl grpo
    vantage report rollouts.jsonl --framework verl --estimator grpo --scale none

r is the reward of a sample, μ and s mean and standard deviation of its group, n its size.

` + pages
	repotest.Page(t, ".github/docs/estimators.md", want)
}

// The page on group filters is what `vantage filters NAME` prints for each of them.
func TestFiltersPage(t *testing.T) {
	pages := sectionsOf(t, "##", groupfilter.All(), Filters().Pages)
	want := `# Group filters: which groups are trained on

Dynamic sampling, online filtering, masks: each trainer drops groups without signal by a rule of its own. This is what
` + "`vantage filters NAME`" + ` prints for every rule. Try one:

    vantage filters verl
    vantage filters skyrl zero_variance_filter

Every rule gives the flags that the trainer's own code gave, in 1,440 cases of ` + "`estimators/groupfilter/testdata/golden`" + `;
` + "`go test ./estimators/groupfilter -v -run Golden`" + ` counts them. The exception is NeMo-RL, whose rule rests on the order
of sums of a matrix product: 140 of its 5,309 flags, of rewards that are nearly equal, differ here as they do from one processor to the next.

**Equal rewards are not always dropped.** A rule "std ≠ 0" depends on rounding: three rewards of 0.1 have a np.std of 1.4e-17,
so verl (metrics other than reward), SkyRL's dynamic sampling and open-instruct keep such a group, and so do
trinity, ROLL's std_filter and ms-swift's multi-turn path for most sizes of 0.1, 0.3 or 0.7 in float32. Equal rewards of 0, 0.5 or 1 are
dropped by all of these. Rules on the mean (EasyR1, OpenRLHF, ROLL's mean_filter and difficulty_mask) never look at the spread.

r is the reward of a sample, A its advantage; std and mean are those of the group.

` + pages
	repotest.Page(t, ".github/docs/filters.md", want)
}

func TestFilterListAndJSON(t *testing.T) {
	list := groupfilter.All()
	var text, object bytes.Buffer
	if err := Filters().List(&text, list); err != nil {
		t.Fatal(err)
	}
	if err := Filters().JSON(&object, list); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\nskyrl\n  zero_variance_filter ", " masked ", " refilled ", " removed "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	for _, want := range []string{`"key": "algorithm.filter_groups.metric"`, `"default": "reward"`, `"turned_on_by": "dynamic_sample=true"`, `"no_public_code": true`} {
		if !strings.Contains(object.String(), want) {
			t.Errorf("no %s in\n%s", want, object.String())
		}
	}
}

// The page on losses is what `vantage losses FRAMEWORK` and `vantage overlong FRAMEWORK` print for each.
func TestLossesPage(t *testing.T) {
	losses := sectionsOf(t, "###", lossweight.All(), Losses().Pages)
	var shapings bytes.Buffer
	if err := Overlong().Pages(&shapings, overlong.All()); err != nil {
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

// sectionsOf returns a section of a page for each framework, in the order of the list, with what a command prints of its
// entries, and before them links to each. title is that of all, under which the sections are.
func sectionsOf[Entry estimators.Described](t *testing.T, under string, all []Entry, write func(io.Writer, []Entry) error) string {
	t.Helper()
	var links []string
	var sections strings.Builder
	for len(all) > 0 {
		name, n := all[0].About().Framework, 1
		for n < len(all) && all[n].About().Framework == name {
			n++
		}
		var text bytes.Buffer
		if err := write(&text, all[:n]); err != nil {
			t.Fatal(err)
		}
		links = append(links, "["+name+"](#"+strings.ToLower(strings.ReplaceAll(name, ".", ""))+")")
		sections.WriteString("\n" + under + " " + name + "\n\n```text\n" + text.String() + "```\n")
		all = all[n:]
	}
	return strings.Join(links, " · ") + "\n" + sections.String()
}
