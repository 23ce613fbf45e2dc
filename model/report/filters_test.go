package report

import (
	"bytes"
	"strings"
	"testing"

	"vantage/estimators/groupfilter"
	"vantage/internal/testkit/repotest"
)

// The page on group filters is what `vantage filters NAME` prints for each of them.
func TestFiltersPage(t *testing.T) {
	pages := sectionsOf(t, "##", groupfilter.All(), func(f *groupfilter.Filter) string { return f.Framework }, FilterPages)
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
	if err := FilterList(&text, list); err != nil {
		t.Fatal(err)
	}
	if err := FilterJSON(&object, list); err != nil {
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
