package report

import (
	"bytes"
	"io"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/offpolicy"
	"vantage/estimators/overlong"
	"vantage/internal/testkit/repotest"
)

// The pages on estimators are what `vantage list estimators FRAMEWORK` prints for each.
func TestEstimatorsPage(t *testing.T) {
	links := pagesOf(t, "estimators", "Estimators of", estimators.All(), Estimators().Pages)
	want := `# Estimators

    vantage list estimators verl grpo
    vantage report rollouts.jsonl --framework verl --estimator grpo --scale none

` + "`vantage list estimators FRAMEWORK`" + ` describes the advantage estimators of a framework: formula, special cases, the columns it needs, and the
file and revision of its source. These pages show its output:

` + links + `
r is the reward of a sample, μ and s are the mean and standard deviation of its group, n is its size.
`
	repotest.Page(t, ".github/docs/estimators/README.md", want)
}

// The page on group filters is what `vantage list filters NAME` prints for each of them.
func TestFiltersPage(t *testing.T) {
	pages := sectionsOf(t, groupfilter.All(), Filters().Pages)
	want := `# Group filters

    vantage list filters verl
    vantage list filters skyrl zero_variance_filter
    vantage report rollouts.jsonl --group-filter verl/filter_groups

A group filter decides which groups are trained on: dynamic sampling, online filtering, masks. Each trainer has a rule of its own. This page is
what ` + "`vantage list filters FRAMEWORK`" + ` prints.

The rules are tested on 1,440 cases that the trainers' own code decided (` + "`estimators/groupfilter/testdata/golden`" + `). Only NeMo-RL differs: its
rule depends on the order of sums in a matrix product, so for nearly equal rewards (140 of 5,309 groups) the result depends on the processor.

**Equal rewards are not always dropped.** A rule such as "std ≠ 0" depends on rounding: np.std of three rewards of 0.1 is 1.4e-17. So verl (with a
metric other than reward), SkyRL and open-instruct keep such a group; trinity, ROLL's std_filter and ms-swift's multi-turn path keep most groups of
0.1, 0.3 or 0.7 in float32. All of them drop equal rewards of 0, 0.5 or 1. Rules on the mean (EasyR1, OpenRLHF, ROLL's mean_filter and
difficulty_mask) ignore the spread.

r is the reward of a sample, A is its advantage; std and mean are those of the group.

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

// The pages on losses are what `vantage list losses FRAMEWORK` and `vantage list overlong FRAMEWORK` print for each.
func TestLossesPage(t *testing.T) {
	links := pagesOf(t, "losses", "Losses of", lossweight.All(), Losses().Pages)
	var shapings bytes.Buffer
	if err := Overlong().Pages(&shapings, overlong.All()); err != nil {
		t.Fatal(err)
	}
	want := `# Losses and length penalties

    vantage list losses                 # all, a line each
    vantage list losses verl token-mean
    vantage report rollouts.jsonl --loss verl/token-mean

A trainer averages the losses of all tokens of a step. How it averages decides what a sample counts: under a mean over tokens, a long response
counts more than a short one. The weight of a sample is the factor by which its advantage is multiplied in the gradient (at probability
ratio 1). These pages are what ` + "`vantage list losses FRAMEWORK`" + ` prints:

` + links + `
l is the tokens of the sample, T the tokens of all samples, N the number of samples of an optimizer step.

## Overlong shaping

    vantage list overlong               # all, a line each
    vantage list overlong verl
    vantage report rollouts.jsonl --overlong verl --option reward_model.overlong_buffer.len=512 --option data.max_response_length=4096

A response close to the length limit gets a lower reward, before the advantages are computed. The rewards in a log may already be lowered.
l is the tokens of the response, L_max the limit, L_buffer the tokens before it that are penalised.

` + "```text\n" + shapings.String() + "```\n"
	repotest.Page(t, ".github/docs/losses/README.md", want)
}

// The page on off-policy rules has a table of them, and what `vantage list off-policy-rules NAME` prints for each.
func TestOffPolicyPage(t *testing.T) {
	pages := sectionsOf(t, offpolicy.All(), OffPolicyRules().Pages)
	want := `# Off-policy samples

    vantage offpolicy outputs/run-1
    vantage offpolicy outputs/run-1 --off-policy slime/tis --option tis_clip=3
    vantage list off-policy-rules verl rollout_is

Trainers sample with one engine and train with another, often several versions later. The ratio between the two decides whether a run
lives, and each trainer has rules of its own for it: it clips the ratio, masks tokens beyond a bound, rejects rows, or drops stale ones.
` + "`vantage offpolicy PATH`" + ` shows how far the samples of a log are from the policy that trains, and what a rule keeps, for each step or sample;
` + "`vantage list off-policy-rules FRAMEWORK`" + ` describes the rules, as below.

It reads these logs. A token without a finite number on both sides is unscored: it is counted, and never taken for 0. What samples lack that cannot be
compared is named below the table.

| log | file | log-probs | versions of the policy |
|---|---|---|---|
| NeMo-RL | ` + "`" + `train_data_step{N}.jsonl` + "`" + ` | sampler and trainer | none |
| prime-rl | ` + "`" + `rollouts/step_{N}/…/traces.jsonl` + "`" + `, and ` + "`" + `token_exports` + "`" + ` next to ` + "`" + `rollouts` + "`" + ` (` + "`" + `trainer.enable_token_export` + "`" + `) | sampler; sampler and trainer in the export | ` + "`" + `run.work.policy` + "`" + ` |
| verifiers 0.4 | ` + "`" + `traces.jsonl` + "`" + ` | sampler and trainer, with 4 decimals | ` + "`" + `run.work.policy` + "`" + ` |
| slime, miles | ` + "`" + `rollout_data/{id}.pt` + "`" + `, and ` + "`" + `train_data/` + "`" + ` next to it (` + "`" + `--dump-details DIR` + "`" + `) | sampler; sampler and trainer in ` + "`" + `train_data` + "`" + ` | ` + "`" + `weight_versions` + "`" + ` |
| open-instruct | ` + "`" + `{run}_rollouts_{shard}.jsonl` + "`" + ` | sampler | none |
| AReaL | ` + "`" + `{version}/{task}.jsonl` + "`" + ` | none | ` + "`" + `head_version` + "`" + ` and ` + "`" + `tail_version` + "`" + `: how many updates a sample spans; the step that trained it is not in the file |
| tinker-cookbook | ` + "`" + `train_rollout_summaries.jsonl` + "`" + ` | none | ` + "`" + `sampling_client_step` + "`" + `, if training does not wait for samples |
| any | JSON lines or Parquet | ` + "`" + `rollout_log_probs` + "`" + `, ` + "`" + `old_log_probs` + "`" + `, ` + "`" + `log_probs` + "`" + `, with ` + "`" + `response_mask` + "`" + ` | ` + "`" + `policy_version` + "`" + `, a number or ` + "`" + `[first, last]` + "`" + ` |

The lag of a sample is by how many versions the weights that sampled its first token are older than those that the step trains; it is null where the log
cannot tell. slime and miles count the versions since their process began, so that a resumed run begins again.

r is the log-prob of a token by the engine that sampled, o that by the trainer before the update, n that by the policy within the update.
d = o − r, and ρ = e^d. seq = e^Σd is the product over a row, geo = e^(mean d) its geometric mean. A is the advantage, T or δ the bound,
w the weight that multiplies a token's policy loss. A step is trained by weights of the version before it: step − 1.

**"Sequence" is not one thing.** It is the product in verl, TRL, SkyRL, slime and NeMo-RL, and the geometric mean in ms-swift and
OpenRLHF and for the weight of AReaL. A bound on the product depends on length, because |Σd| grows with it: it filters long answers.

**Where a token goes.** A weight of 0 leaves the token in the denominator of the loss; a token that leaves the mask makes the rest weigh more,
where the trainer divides by the mask of afterwards. No trainer computes the means of groups again.

The rules are tested on 3,400 cases that the trainers' own code computed (` + "`estimators/offpolicy/testdata/golden`" + `): weights within 1e-5 relative,
every flag equal. Only OpenRLHF differs: its binary KL depends on the last bit of a logarithm where both sides agree.

## Bounds

` + OffPolicyTable(offpolicy.All()) + `
Where a rule is off by default, ` + "`usual`" + ` below has options that switch it on, with bounds of its trainer's documents or presets where they name any.

` + pages
	repotest.Page(t, ".github/docs/offpolicy.md", want)
}

// pagesOf compares a page of each framework, in its folder, with what a command prints of its entries, and returns links to
// all of them.
func pagesOf[Entry estimators.Described](t *testing.T, folder, title string, all []Entry, write func(io.Writer, []Entry) error) string {
	t.Helper()
	var links strings.Builder
	for name, text := range byFramework(t, all, write) {
		repotest.Page(t, ".github/docs/"+folder+"/"+name+".md", "# "+title+" "+estimators.Title(name)+"\n\n```text\n"+text+"```\n")
		links.WriteString("* [" + name + "](" + name + ".md)\n")
	}
	pages, err := filepath.Glob(filepath.Join("../../.github/docs", folder, "*.md"))
	if frameworks := strings.Count(links.String(), "\n"); err != nil || len(pages) != frameworks+1 {
		t.Errorf("%s has %d pages for %d frameworks (%v)", folder, len(pages), frameworks, err)
	}
	return links.String()
}

// sectionsOf returns a section of a page for each framework, and before them links to each.
func sectionsOf[Entry estimators.Described](t *testing.T, all []Entry, write func(io.Writer, []Entry) error) string {
	t.Helper()
	var links []string
	var sections strings.Builder
	for name, text := range byFramework(t, all, write) {
		links = append(links, "["+name+"](#"+strings.ToLower(strings.ReplaceAll(name, ".", ""))+")")
		sections.WriteString("\n## " + name + "\n\n```text\n" + text + "```\n")
	}
	return strings.Join(links, " · ") + "\n" + sections.String()
}

// byFramework yields each framework, in the order of the list, and what a command prints of its entries.
func byFramework[Entry estimators.Described](t *testing.T, all []Entry, write func(io.Writer, []Entry) error) iter.Seq2[string, string] {
	t.Helper()
	return func(yield func(string, string) bool) {
		for len(all) > 0 {
			name, n := all[0].About().Framework, 1
			for n < len(all) && all[n].About().Framework == name {
				n++
			}
			var text bytes.Buffer
			if err := write(&text, all[:n]); err != nil {
				t.Fatal(err)
			}
			if !yield(name, text.String()) {
				return
			}
			all = all[n:]
		}
	}
}
