package report

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	rules "vantage/estimators/offpolicy"
	"vantage/estimators/overlong"
	"vantage/internal/testkit/repotest"
	"vantage/model/offpolicy"
)

// The pages on estimators, group filters, losses and length penalties name the frameworks; `vantage list` has all.
func TestCataloguePages(t *testing.T) {
	for page, frameworks := range map[string]string{
		"estimators": frameworksOf(estimators.All()),
		"filters":    frameworksOf(groupfilter.All()),
		"losses":     frameworksOf(lossweight.All()),
	} {
		repotest.Part(t, ".github/docs/"+page+".md", "frameworks", frameworks)
	}
	repotest.Part(t, ".github/docs/losses.md", "penalties", frameworksOf(overlong.All()))
	showsEntry(t, "estimators", Estimators(), estimators.All(), "verl", "grpo")
	showsEntry(t, "filters", Filters(), groupfilter.All(), "skyrl", "zero_variance_filter")
	showsEntry(t, "losses", Losses(), lossweight.All(), "verl", "token-mean")
}

// showsEntry compares what the page shows of one entry with what the command prints.
func showsEntry[T estimators.Described](t *testing.T, page string, c Catalogue[T], all []T, framework, name string) {
	t.Helper()
	one := slices.IndexFunc(all, func(x T) bool { return x.About().Framework == framework && x.About().Name == name })
	var out strings.Builder
	if err := c.Pages(&out, all[one:one+1]); err != nil {
		t.Fatal(err)
	}
	repotest.Part(t, ".github/docs/"+page+".md", "entry", "```text\n"+out.String()+"```")
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

// The page on off-policy samples begins with what `vantage offpolicy` prints of a made log, and names the frameworks that have rules.
func TestOffPolicyPage(t *testing.T) {
	const page = ".github/docs/offpolicy.md"
	repotest.Part(t, page, "output", "```text\n"+strings.TrimSuffix(madeOffPolicy(t), "\n")+"\n```")
	repotest.Part(t, page, "frameworks", frameworksOf(rules.All()))
}

// madeOffPolicy is the summary of a made run of prime-rl: fourteen steps whose samples are up to three versions old, and grow apart with
// each; one long answer of step 9 is far off.
func madeOffPolicy(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(53, 53))
	read := func(visit offpolicy.Visit) error {
		for i := range 14 * 32 {
			step := 1 + i/32
			tokens, lag := 40+random.IntN(80), random.IntN(min(step, 4))
			away, drift := 0.012+0.02*float64(lag), 0.0
			if i == 8*32+5 {
				tokens, drift = 600, 0.02
			}
			x := offpolicy.Sample{Step: step, Group: strconv.Itoa(i / 8), Writer: "prime-rl"}
			x.Advantage = float64(random.IntN(2)) - 0.5
			x.Versions, x.VersionLag = &rules.Versions{First: step - 1 - lag, Last: step - 1}, &lag
			for range tokens {
				r := -random.ExpFloat64() / 2
				x.Sampler, x.Trainer = append(x.Sampler, float32(r)), append(x.Trainer, float32(min(0, r+drift+away*random.NormFloat64())))
			}
			if err := visit(x)(0); err != nil {
				return err
			}
		}
		return nil
	}
	var text strings.Builder
	if err := OffPolicyText(&text, &OffPolicy{Read: read, Per: "run"}); err != nil || text.Len() > 2048 {
		t.Errorf("the summary has %d bytes, of 2048: %v", text.Len(), err)
	}
	return text.String()
}

// frameworksOf names the frameworks of a list.
func frameworksOf[Entry estimators.Described](all []Entry) string {
	var names []string
	for _, x := range all {
		if name := "`" + x.About().Framework + "`"; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}
