package commands

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/overlong"
	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/formats"
	"vantage/model"
	"vantage/model/match"
)

const trainersFolder = "../../.github/docs/trainers"

// trainerPage is a page on the logs of a trainer, or a section of the page of small ones: the part that this test writes, at its head.
// The rest is written by hand.
type trainerPage struct {
	name    string   // of the page
	trainer string   // as a person calls it
	formats []string // that it writes, the one to begin with first
	write   string   // how samples are written, "" for what the first format says
	look    string   // what to look at first
	small   bool     // it is a section of the page of other trainers

	averages string // a file of averages that it writes, "" if it writes none that is known
	record   string // a line of it
}

// trainerPages returns all pages. A format that is in none of them fails the test.
func trainerPages() []trainerPage {
	const stop = "`signal`, in the second line of the screen: how many groups produce a gradient"
	return []trainerPage{
		{name: "verl", trainer: "verl and RAGEN", formats: []string{"verl"}, look: stop, averages: "file `PROJECT/EXPERIMENT.jsonl` of the logger `file`", record: `{"step":1,"data":{"training/global_step":1,"critic/score/mean":0.5}}`},
		{name: "easyr1", trainer: "EasyR1", formats: []string{"easyr1"}, look: "the number of groups: the file holds the answers of all validations together, and nothing from training", averages: "file `experiment_log.jsonl`", record: `{"step":1,"reward":{"overall":0.3,"format":1}}`},
		{name: "trl", trainer: "TRL and Unsloth", formats: []string{"trl", "trl-table", "trackio", "trackio-traces"}, look: "the line `read` of the report (`!` on the screen), and `reward` where there are several reward functions: which columns count as the reward, with which weights, and why", averages: "file `trainer_state.json`", record: `{"epoch":0.1,"global_step":2,"log_history":[{"reward":0.25,"frac_reward_zero_std":0.5,"step":2}]}`},
		{name: "ms-swift", trainer: "ms-swift", formats: []string{"ms-swift", "ms-swift-ray"}, look: proved("ms-swift"), averages: "file `logging.jsonl`", record: `{"loss":0.1,"reward":0.5,"global_step/max_steps":"1/9","train_speed(s/it)":1.5}`},
		{name: "nemo-rl", trainer: "NeMo-RL", formats: []string{"nemo-rl"}, look: proved("NeMo-RL"), averages: "output of a metrics logger", record: `{"train/token_mult_prob_error":1.0,"train/reward":0.5}`},
		{name: "nemo-gym", trainer: "NeMo Gym", formats: []string{"nemo-gym"}, look: "the groups whose fate is `all correct` or `all wrong`: tasks that are too easy or too hard to train on"},
		{name: "slime", trainer: "slime", formats: []string{"slime"}, look: stop, averages: "output of a metrics logger", record: `{"rollout/step":1,"rollout/raw_reward":0.5}`},
		{name: "miles", trainer: "miles", formats: []string{"miles", "slime"}, look: stop},
		{name: "roll", small: true, trainer: "ROLL", formats: []string{"roll"}, look: stop, averages: "output of a metrics logger", record: `{"time/step_total":9.5,"critic/score/mean":0.5}`},
		{name: "skyrl", trainer: "SkyRL", formats: []string{"skyrl"}, look: "the line `left out` of the report (`!` on the screen). These are evaluations: SkyRL doesn't save its training samples", averages: "file `aggregated_results.jsonl`", record: `{"eval/all/avg_score":0.375,"eval/all/pass_at_1":0.4}`},
		{name: "areal", trainer: "AReaL", formats: []string{"areal", "areal-text"}, look: stop},
		{name: "prime-rl", trainer: "prime-rl", formats: []string{"prime-rl", "prime-hosted"}, look: proved("prime-rl"), averages: "file `metrics.jsonl`", record: `{"step":0,"progress/total_rollouts":8,"reward/all/mean":0.5}`},
		{name: "verifiers", trainer: "verifiers", formats: []string{"verifiers", "prime-rl"}, look: "the line `groups` of the report (`!` on the screen): whether rows are grouped by id or by prompt, and why"},
		{name: "open-instruct", trainer: "open-instruct", formats: []string{"open-instruct"}, look: proved("open-instruct")},
		{name: "tinker", trainer: "tinker-cookbook", formats: []string{"tinker"}, look: stop, averages: "file `metrics.jsonl`", record: `{"step":0,"progress/done_frac":0.1,"env/all/reward/total":0.5}`},
		{name: "rllm", small: true, trainer: "rLLM", formats: []string{"rllm"}, look: "the groups: rLLM compares the trajectories of one agent on one task"},
		{name: "art", small: true, trainer: "ART", formats: []string{"art", "art-lines"}, look: stop},
		{name: "tunix", small: true, trainer: "Tunix", formats: []string{"tunix"}, look: stop},
		{name: "agilerl", small: true, trainer: "AgileRL", formats: []string{"agilerl"}, look: "how many groups there are at a step: AgileRL logs some of its groups, not all"},
		{name: "atropos", small: true, trainer: "Atropos", formats: []string{"atropos"}, look: "the groups that are `all correct` or `all wrong`: the environment sends these groups to the trainer, but they have no signal"},
		{name: "torchtitan", small: true, trainer: "torchtitan", formats: []string{"torchtitan"}, look: "the warning `partial-groups`: the log holds the best and the worst rollout of each group, so the std and the solve rate of groups are not known"},
		{name: "harbor", small: true, trainer: "Harbor", formats: []string{"harbor"}, look: "the groups that are `all correct` or `all wrong`: tasks that no attempt, or every attempt, solves"},
		{name: "unstable-baselines", small: true, trainer: "UnstableBaselines", formats: []string{"unstable-baselines"}, look: "how many groups hold a single row: they have no signal"},
		{name: "wandb", trainer: "W&B tables", formats: []string{"wandb-table", "trl-table"}, look: "the line `read` of the report (`!` on the screen): what each column was read as"},
		{name: "openrlhf", trainer: "OpenRLHF", formats: []string{"jsonl"}, write: "OpenRLHF doesn't save its samples: [let the reward function write them](openrlhf.md#a-log-from-the-reward-function)", look: stop},
		{name: "own", trainer: "Your own loop, and trainers without a log of samples", formats: []string{"jsonl", "json", "step-data", "group-lines", "picked-lines", "agent-lines", "csv", "parquet", "group-parquet"}, look: "the line `read` of the report (`!` on the screen): what each field was read as, and which fields were not used"},
	}
}

// proved says where to see whether the advantages match those that the trainer logged.
func proved(trainer string) string {
	return "the mark behind the scale, in the header of the screen and in the report's line `settings`. ✓: the advantages match those that " +
		trainer + " logged. `!`: they differ, and `vantage match` looks for the reason"
}

// The head of each trainer's page, and the list of the pages, say what the formats say.
func TestTrainerPages(t *testing.T) {
	repotest.OneGoroutine(t)
	logs, inPage := madeLogs(t), map[string]bool{}
	index := ""
	for _, p := range trainerPages() {
		var head strings.Builder
		hasAdvantages := false
		for i, name := range p.formats {
			f, ok := formats.Find(name)
			if !ok {
				t.Fatalf("%s: no format %s", p.name, name)
			}
			begin := ""
			if i == 0 {
				begin = fmt.Sprintf("1. **Write the log.** %s\n2. **Open it:** `%s`, or `vantage report %s`.\n3. **Look first at** %s.\n\n", p.howToWrite(&f), f.Command(), f.Open, p.look)
				index += fmt.Sprintf("* [%s](%s): %s\n", p.trainer, p.link(), cmp.Or(p.write, escaped.Replace(strings.TrimPrefix(f.TrainerOption, "nothing: "))))
			}
			inPage[name] = true
			t.Run(p.name+" "+name, func(t *testing.T) {
				t.Chdir(t.TempDir())
				putLogs(t, f, logs[name])
				facts, read := factsOf(t, &f, i == 0)
				switch {
				case p.write != "": // the page has a log written that is unlike the made one
					read = ""
					fallthrough
				case i == 0 && !p.small: // of which the page shows more
					facts, _, _ = strings.Cut(facts, "  Read as: ")
					facts += "\n"
				}
				if i == 0 && !p.small && p.write == "" {
					begin = readingOf(t, &f) + begin
				}
				hasAdvantages = hasAdvantages || strings.Contains(read, ", advantage from ")
				head.WriteString(begin + facts)
			})
		}
		t.Run(p.name, func(t *testing.T) {
			head.WriteString(p.whoseArithmetic(hasAdvantages))
			t.Run("averages", func(t *testing.T) {
				t.Chdir(t.TempDir())
				head.WriteString(p.refusedAverages(t))
			})
			p.keepHead(t, strings.TrimSpace(head.String()))
		})
	}
	repotest.Part(t, ".github/docs/trainers/README.md", "formats", strings.TrimSpace(index))
	for _, f := range formats.All() {
		if !inPage[f.Name] {
			t.Errorf("no page of a trainer has the format %s: add it to trainerPages", f.Name)
		}
	}
}

// README counts the trainers whose logs are read, less the four that it names.
func TestReadmeCountsTheTrainers(t *testing.T) {
	t.Parallel()
	trainers := 0
	for _, p := range trainerPages() {
		if f, _ := formats.Find(p.formats[0]); f.Origin == formats.FromTrainer {
			trainers++
		}
	}
	if want := fmt.Sprintf("[%d more trainers]", trainers-4); !strings.Contains(string(filetest.Read(t, "../../README.md")), want) {
		t.Errorf("README lacks %q", want)
	}
}

// othersPage is the page of the trainers that are small.
const othersPage = "others.md"

// link leads from the list of the pages to a trainer.
func (p trainerPage) link() string {
	if p.small {
		return othersPage + "#" + strings.ToLower(p.trainer)
	}
	return p.name + ".md"
}

// howToWrite says what makes the trainer write its samples, and where they are.
func (p trainerPage) howToWrite(f *formats.Format) string {
	switch rest, byItself := strings.CutPrefix(f.TrainerOption, "nothing: "); {
	case p.write != "":
		return p.write + "."
	case byItself:
		return fmt.Sprintf("Nothing to set: %s. The file is `%s`.", escaped.Replace(strings.NewReplacer("it writes them", p.trainer+" writes its samples", "them", "the samples").Replace(rest)), f.File)
	case f.Origin == formats.FromAnyone:
		return fmt.Sprintf("Use %s. The file may have any name, such as `%s`.", escaped.Replace(f.TrainerOption), f.File)
	default:
		return fmt.Sprintf("Use %s. The file is then `%s`.", escaped.Replace(f.TrainerOption), f.File)
	}
}

// readingOf returns a command with what it prints of the made log in the working directory, as a page begins: what is read, and how.
func readingOf(t *testing.T, f *formats.Format) string {
	t.Helper()
	block := "```\nvantage report " + f.Open + " --per run\n```\n\n"
	for line := range strings.Lines(runCommand(t, "report", f.Open, "--per", "run")) {
		if strings.HasPrefix(line, "log  ") || strings.HasPrefix(line, "read  ") {
			read, _, isCut := strings.Cut(strings.TrimRight(line, "\n"), "; other fields:")
			block += "    " + read + strings.Repeat(" …", model.Count01(isCut)) + "\n"
		}
	}
	return block + "\n"
}

// factsOf returns what is known of a format, with what is read of the made log in the working directory. The page begins with how the
// first one is written.
func factsOf(t *testing.T, f *formats.Format, isFirst bool) (facts, read string) {
	t.Helper()
	out := runCommand(t, "report", f.Open, "--format", "json")
	var got struct {
		Run struct {
			Read  string   `json:"read"`
			Notes []string `json:"notes"`
		} `json:"run"`
	}
	_, object, _ := strings.Cut(out, "\n{\n") // after notes
	if strings.HasPrefix(out, "{\n") {
		object = out[len("{\n"):]
	}
	if err := json.NewDecoder(strings.NewReader("{" + object)).Decode(&got); err != nil || got.Run.Read == "" {
		t.Fatalf("%v: %s", err, out)
	}
	read, _, _ = strings.Cut(got.Run.Read, "; other fields:")
	facts = fmt.Sprintf("* `--input-format %s`: %s\n", f.Name, escaped.Replace(f.Doc))
	if !isFirst {
		how := "Written with " + escaped.Replace(f.TrainerOption)
		if _, byItself := strings.CutPrefix(f.TrainerOption, "nothing: "); byItself {
			how = "Written by default"
		}
		if f.Origin != formats.FromAnyone { // else the command has the name, which may be any
			how += ", as `" + f.File + "`"
		}
		return facts + fmt.Sprintf("  %s; open it with `%s`.\n\n", how, f.Command()), read
	}
	return facts + "  Read as: " + escaped.Replace(read) + ".\n\n", read
}

// whoseArithmetic says how the advantages of a log of the page are computed. proved says that the log holds advantages.
func (p trainerPage) whoseArithmetic(proved bool) string {
	f, _ := formats.Find(p.formats[0])
	set, _ := match.Choose(model.DefaultSettings(), match.Given{}, f.Framework, nil)
	if f.Framework == "" {
		found := "The format doesn't name a trainer, so vantage assumes the commonest rule"
		if proved {
			found = "The one that reproduces the logged advantages (✓). If none does, vantage assumes the commonest rule"
		}
		return fmt.Sprintf("**Estimator.** %s, `%s`: %s ([how](../decisions.md#which-estimator)). Choose with `--framework` and `--estimator`.\n\n",
			found, set.Estimator, model.CommonestFormula)
	}
	text := "**Estimator.** No advantages are logged, so it is assumed: "
	if proved {
		text = "**Estimator.** The one that reproduces the logged advantages (✓), else it is assumed: "
	}
	text += fmt.Sprintf("`%s`, scale %s ([how](../decisions.md#which-estimator)). `vantage list estimators %s` has others.", set.Computes(), set.Scale, f.Framework)
	if unheard := unheardOptions(f.Framework); len(unheard) > 0 {
		text += " Options without effect, [as the trainer's own calls show](../contributors/proofs.md#options-without-effect): " + strings.Join(unheard, ", ") + "."
	}
	return text + "\n\n" + chainOf(f.Framework)
}

// unheardOptions names the options of a trainer that it does not hand on to an estimator.
func unheardOptions(framework string) (all []string) {
	for _, e := range estimators.All() {
		for _, o := range e.Options {
			if e.Framework == framework && o.Unheard != "" {
				all = append(all, fmt.Sprintf("`%s` of `%s` (%s)", o.Key, e.Name, o.Unheard))
			}
		}
	}
	return all
}

// chainOf names the other stages of a trainer between reward and loss that can be tried on a log.
func chainOf(framework string) string {
	var names []string
	if slices.ContainsFunc(groupfilter.All(), func(f *groupfilter.Filter) bool { return f.Framework == framework }) {
		names = append(names, "`vantage list filters "+framework+"` for `--group-filter`")
	}
	if slices.ContainsFunc(lossweight.All(), func(l *lossweight.Loss) bool { return l.Framework == framework }) {
		names = append(names, "`vantage list losses "+framework+"` for `--loss`")
	}
	if _, err := overlong.Find(framework, ""); err == nil {
		names = append(names, "`--overlong "+framework+"` for its penalty on long responses")
	}
	if len(names) == 0 {
		return ""
	}
	return "**[From reward to loss](../tuning.md)**: " + strings.Join(names, "; ") + ".\n\n"
}

// refusedAverages says who reads a file of averages, and that other commands refuse it.
func (p trainerPage) refusedAverages(t *testing.T) string {
	t.Helper()
	if p.averages == "" {
		return ""
	}
	name := "averages.jsonl"
	if strings.Contains(p.averages, "trainer_state.json") {
		name = "trainer_state.json"
	}
	filetest.Write(t, name, p.record+"\n")
	out := runCommand(t, "report", name, "--brief")
	_, why, found := strings.Cut(strings.TrimSpace(out), ": "+name+": ")
	if !found || !strings.HasPrefix(why, "metrics only") {
		t.Fatalf("%s is not refused as metrics: %s", name, out)
	}
	for _, command := range []string{"summary", "report", "check"} {
		if out := runCommand(t, command, name); !strings.Contains(out, "not checked") && !strings.Contains(out, "averages of steps") {
			t.Errorf("%s does not read %s: %s", command, name, out)
		}
	}
	return fmt.Sprintf("**Averages only.** The %s has no samples: `summary`, `report` and `check` judge its averages, other commands name the option above.\n", p.averages)
}

var escaped = strings.NewReplacer("{", "\\{", "<", "\\<", "_", "\\_", "*", "\\*")

// keepHead compares the head of a trainer's page, or of its section, with what it should be; -update makes a page that is not there.
func (p trainerPage) keepHead(t *testing.T, want string) {
	t.Helper()
	if p.small {
		repotest.Part(t, ".github/docs/trainers/"+othersPage, p.name, want)
		return
	}
	path := filepath.Join(trainersFolder, p.name+".md")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && repotest.Updating() {
		filetest.Write(t, path, "# "+p.trainer+"\n\n<!-- formats: written by a test -->\n<!-- end of formats -->\n")
	}
	repotest.Part(t, ".github/docs/trainers/"+p.name+".md", "formats", want)
}

// formatsOnPage are the formats whose made logs lie where the commands of a page run.
var formatsOnPage = regexp.MustCompile("`--input-format ([a-z0-9-]+)`")

// Every command of a trainer's page runs on a made log at the place that the page gives for it.
func TestCommandsOfTrainerPages(t *testing.T) {
	repotest.OneGoroutine(t)
	pages, err := filepath.Glob(filepath.Join(trainersFolder, "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	logs := madeLogs(t)
	for _, page := range pages {
		text := string(filetest.Read(t, page))
		parts := []string{text} // in whose commands the logs of its own formats are
		if filepath.Base(page) == othersPage {
			parts = strings.Split(text, "\n## ")[1:]
		}
		for _, part := range parts {
			title, _, _ := strings.Cut(part, "\n")
			commands := fencedCommands(part)
			if filepath.Base(page) != "README.md" && len(commands) == 0 {
				t.Errorf("%s shows no command below %s", page, title)
			}
			for _, command := range commands {
				t.Run(filepath.Base(page)+" "+title+": "+command, func(t *testing.T) {
					t.Chdir(t.TempDir())
					for _, name := range slices.Backward(formatsOnPage.FindAllStringSubmatch(part, -1)) {
						f, _ := formats.Find(name[1])
						putLogs(t, f, logs[f.Name])
					}
					args := strings.Fields(strings.ReplaceAll(command, "'", ""))[1:]
					out := runCommand(t, args...)
					// The arithmetic of some trainers has nothing to say of groups as small as these.
					if !strings.Contains(out, "\ncomplete: ") {
						t.Errorf("it prints %s", out)
					}
				})
			}
		}
	}
}

// fencedCommands returns the commands of this program in the fenced blocks of a page.
func fencedCommands(page string) (commands []string) {
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if command, _, _ := strings.Cut(strings.TrimSpace(line), "  #"); fenced && strings.HasPrefix(command, "vantage ") {
			commands = append(commands, command)
		}
	}
	return commands
}

// pythonBlock is the program on a page.
var pythonBlock = regexp.MustCompile("(?s)```python\n(.*?)```")

// What the programs of the pages write is read.
func TestProgramsOfTrainerPages(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no Python")
	}
	const torch = "def tensor(values):\n    return values\n" // in place of PyTorch, which a test does without
	for page, c := range map[string]struct{ call, want string }{
		"own": {
			`log_step("x.jsonl", 3, [{"prompt_id": 1, "prompt": "q", "response": "a", "answer": "a", "reward": r, "advantage": 2 * r - 1, "tokens": 5} for r in (0.0, 1.0)])`,
			"reward from reward, step from step, group id from group_id, prompt from prompt, ground truth from ground_truth, advantage from advantage, lengths in tokens\n",
		},
		"openrlhf": {
			`reward_func(["1+1=2", "1+1=3"], ["1+1=", "1+1="], ["2", "2"])`,
			"reward from reward, no step, so all rows are step 0, prompt from prompt, ground truth from ground_truth, lengths in characters of response; other fields: time\n",
		},
	} {
		text := filetest.Read(t, filepath.Join(trainersFolder, page+".md"))
		program := pythonBlock.FindStringSubmatch(string(text))
		if program == nil {
			t.Fatalf("%s has no program", page)
		}
		t.Run(page, func(t *testing.T) {
			t.Chdir(t.TempDir())
			filetest.Write(t, "torch.py", torch)
			if out, err := exec.Command(python, "-c", program[1]+"\n"+c.call).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if out := runCommand(t, "report", "."); !strings.Contains(out, c.want) || !strings.Contains(out, "1/1 (100%)") {
				t.Errorf("it prints %s", out)
			}
		})
	}
}

var namesRow = regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| (`[^|]+`) \\|$")

// Each name that the page on logs of one's own lists is read in the role under which it stands.
func TestNamesOfOwnLogs(t *testing.T) {
	text := filetest.Read(t, filepath.Join(trainersFolder, "own.md"))
	tried := 0
	_, table, _ := strings.Cut(string(text), "## Names that are understood")
	for _, row := range namesRow.FindAllStringSubmatch(table, -1) {
		for _, name := range strings.Split(row[2], ", ") {
			name = strings.Trim(name, "`")
			fields, want := map[string]any{"reward": 1, "prompt": "q"}, row[1]+" from "+name
			switch row[1] {
			case "reward":
				delete(fields, "reward")
				fields[name] = 1
			case "prompt":
				delete(fields, "prompt")
				fields[name] = "q"
			case "lengths in tokens":
				fields[name], want = 7, row[1]
			case "lengths in characters of":
				fields[name], want = "abc", row[1]+" "+name
			case "ground truth":
				fields[name], fields["response"] = "x", "y"
			default:
				fields[name] = 3
			}
			line, _ := json.Marshal(fields)
			t.Run(name, func(t *testing.T) {
				t.Chdir(t.TempDir())
				filetest.Write(t, "log.jsonl", append(append(line, '\n'), line...))
				if out := runCommand(t, "report", "log.jsonl"); !strings.Contains(out, want) {
					t.Errorf("%s\nis not read as %s:\n%.300s", line, want, out)
				}
			})
			tried++
		}
	}
	if tried < 40 {
		t.Errorf("only %d names are listed", tried)
	}
}
