package report

import (
	"bytes"
	"io"
	"iter"
	"math/rand/v2"
	"path/filepath"
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

// The page on off-policy samples begins with what `vantage offpolicy` prints of a made log, and has a table of the rules and what
// `vantage list off-policy-rules NAME` prints for each.
func TestOffPolicyPage(t *testing.T) {
	pages := sectionsOf(t, rules.All(), OffPolicyRules().Pages)
	want := `# Off-policy samples

    vantage offpolicy outputs/run-1

` + "```text\n" + madeOffPolicy(t) + "```" + `

Trainers sample with one engine and train with another, often several versions later. The ratio between the two decides whether a run
lives, and each trainer has rules of its own for it: it clips the ratio, masks tokens beyond a bound, rejects rows, or drops stale ones.
` + "`vantage offpolicy PATH`" + ` shows how far the samples of a log are from the policy that trains, whether the engine or staleness is why, how much the
rule of the run removes, and which rule keeps most.

    vantage offpolicy outputs/run-1 --rules                       # what every trainer's rule keeps, and a sweep of its bound
    vantage offpolicy outputs/run-1 --config config.yaml          # the rule that the trainer's configuration names
    vantage offpolicy outputs/run-1 --off-policy slime/tis --option tis_clip=3
    vantage offpolicy outputs/run-1 --per step
    vantage offpolicy outputs/run-1 --per sample --format jsonl
    vantage list off-policy-rules verl rollout_is

` + "`--format json`" + ` has all of the text, and the same by lag, by sign of the advantage and by probability ([schema](schemas/offpolicy@1.json));
` + "`--format csv`" + ` has the course, with ` + "`--rules`" + ` the rules.

## Words

r is the log-prob of a token by the engine that sampled, o that by the trainer before the update, n that by the policy within the update.
d = o − r, and ρ = e^d. seq = e^Σd is the product over a row, geo = e^(mean d) its geometric mean. A is the advantage, T or δ the bound,
w the weight that multiplies a token's policy loss. A step is trained by weights of the version before it: step − 1. The lag of a row is by how many
versions its first token is older. A token without a finite number on both sides is unscored: it is counted, and never taken for 0.

* **mean |d|** and **k3** = mean(e^d − 1 − d) are of tokens, in nats.
* **ESS** is the share of the rows that count if each weighs seq: (Σw)² / (n Σw²) within a step. **top 1** is the share of the heaviest row in Σw.
* **cause** compares the mean |d| of rows at lag 0, which is the engine's part, with its growth by lag, which is staleness. Both have an interval of 95 % by
  the spread of rows. Without two lags a log that begins with the run is judged by its first step, where nothing is stale; else it cannot be told.
* **rule**: clipped tokens train with another weight, dropped ones do not train. Σ|A| is of the logged advantages, each by the share of
  its row's tokens that are kept. A log without advantages has none, and rules that look at them have no numbers.
* **answer**: the rule after which most rows count. A row weighs the product of the ratios that the rule leaves of its tokens, and 0 if it is removed.
  Clipped rows do not count as gain: narrow caps make all weights alike, and all of them wrong.
* ` + "`--rules`" + ` moves bounds of ratios by factors of their logarithm, others by factors of their value: a quarter to four times the trainer's.

## What is normal

| | normal with bf16 and the same weights | ask |
|---|---|---|
| mean \|d\| | 0.005 to 0.04; FP8, or experts without router replay, several times more | above 0.04 at lag 0: precision, temperature, raw log-probs |
| k3 | up to 1e-3 | prime-rl asks for less than 0.015 over 20 steps of a new model |
| mean e^\|d\| | up to 1.02 | NeMo-RL: a trend past 1 to 2 % is trouble with the refit, spikes are a bug |
| ESS | near 1 for short answers | below 0.3 with a normal mean \|d\|: a long row dominates |
| top 1 | 1/rows | above a half: one row is the step |

|d| grows as tokens get less probable. |Σd| grows with length. Growth over steps at lag 0 means weights that do not arrive, or drift. Numbers of
verifiers have four decimals: |d| below 1e-4 means nothing.

## Who logs it

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

NeMo-RL writes it unless ` + "`env.should_log_nemo_gym_responses`" + ` is on, and leaves the trainer's side out with ` + "`force_on_policy_ratio`" + `. open-instruct needs
` + "`--save_traces` and `--rollouts_save_path`" + `. SkyRL's ` + "`trainer.dump_data_batch`" + ` writes a pickle, which vantage does not read. verl, TRL, Unsloth, ms-swift, ROLL and
OpenRLHF write averages alone, which ` + "`vantage summary`" + ` reads. slime and miles count the versions since their process began, so that a resumed run
begins again.

## Rules

**"Sequence" is not one thing.** It is the product in verl, TRL, SkyRL, slime and NeMo-RL, and the geometric mean in ms-swift and
OpenRLHF and for the weight of AReaL. A bound on the product depends on length, because |Σd| grows with it: it filters long answers.

**Where a token goes.** A weight of 0 leaves the token in the denominator of the loss; a token that leaves the mask makes the rest weigh more,
where the trainer divides by the mask of afterwards. No trainer computes the means of groups again.

The rules are tested on 3,400 cases that the trainers' own code computed (` + "`estimators/offpolicy/testdata/golden`" + `): weights within 1e-5 relative,
every flag equal. Only OpenRLHF differs: its binary KL depends on the last bit of a logarithm where both sides agree.

` + OffPolicyTable(rules.All()) + `
Where a rule is off by default, ` + "`usual`" + ` below has options that switch it on, with bounds of its trainer's documents or presets where they name any.

` + pages
	repotest.Page(t, ".github/docs/offpolicy.md", want)
}

// madeOffPolicy is the summary of a made run of prime-rl: fourteen steps whose samples are up to three versions old, and grow apart with
// each; one long answer of step 9 is far off.
func madeOffPolicy(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(53, 53))
	read := func(visit func(offpolicy.Sample) error) error {
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
			if err := visit(x); err != nil {
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
