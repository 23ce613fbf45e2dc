package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/model/report"
)

// agentLog writes a log of verl with 6 steps of 4 groups of 4 answers, and a broken line. At step s the first s/2 + p answers
// to prompt p are right, and answers have 7 + 3·s characters. At step 4 all are refusals, and wrong. So of the groups
// 3, 3, 3, 0, 2 and 1 are alive, 0, 1, 1, 0, 2 and 3 all correct, and 1, 0, 0, 4, 0 and 0 all wrong.
func agentLog(t *testing.T) string {
	t.Helper()
	var rows strings.Builder
	for step := 1; step <= 6; step++ {
		for prompt := range 4 {
			for i := range 4 {
				right, answer := i < min(4, step/2+prompt), fmt.Sprintf("it is %d%s", i, strings.Repeat(" so", step))
				if step == 4 {
					right, answer = false, "I can't help with that."
				}
				score := 0
				if right {
					score = 1
				}
				row, _ := json.Marshal(map[string]any{"step": step, "input": fmt.Sprintf("How much is %d?", prompt), "output": answer, "gts": fmt.Sprint(prompt), "score": score, "uid": fmt.Sprintf("prompt-%d", prompt)})
				rows.Write(append(row, '\n'))
			}
		}
	}
	rows.WriteString("{\"step\": 6, broken\n")
	path := filepath.Join(t.TempDir(), "rollouts.jsonl")
	filetest.Write(t, path, rows.String())
	return path
}

// agentAnswers are what the answer to each question of the page holds, read from the log by a person.
func agentAnswers() map[string][]string {
	return map[string][]string{
		"Which trainer wrote the log?":                                         {`"format":"verl"`},
		"Which estimator computed the advantages, and is it known or assumed?": {`"computed_as":"verl grpo with scale group (assumed: the trainer's default)"`, `"origin":"trainer"`},
		"Is the run still going?":                                              {`"freshness":"live"`, `"last_write":"20`},
		"Which is the newest step?":                                            {`"last_step":6`},
		"How many samples train?":                                              {`"samples":96,"nonzero_samples":48`},
		"How many groups give no gradient, and why?":                           {`"groups":24,"signal_groups":12`, `"fates":{"alive":12,"correct":7,"wrong":5}`},
		"Which steps are worst, and what happened there?":                      {`"worst":[{"from":4,"to":4,"cause":"refusals “I can't help with that…”, all wrong (4 of 4 groups)","groups":4,"signal_groups":0,"group":"`},
		"What ails the run, and since when?":                                   {`"health":"stuck_data since 2","looked":`, `"findings":[{"kind":"stuck_data","severity":"alarm","since":2,"until":6,"title":"5 steps in a row have the prompts of the step before"`},
		"What should be changed?":                                              {`"advice":"stuck data since step 2: check the sampler of the data loader`},
		"Were rows of the log left out or unreadable?":                         {`"notes":["1 record could not be read, first`},
		"What would a sample filter cost?":                                     {`"killed":7,"short":5`},
		"Which group is worst, and why?":                                       {`"chosen":"stands for the worst of the run, step 4: refusals`, `"step":4`, `"fate":"wrong"`},
		"Why does this group give no gradient?":                                {`"fate":"correct"`, `(4/4 at 1): zero variance at the best reward of the run`},
		"Does anything ail the run at the step of this group?":                 {`"findings":[{"kind":"stuck_data","severity":"alarm","since":2,"until":6,"title":"5 steps in a row`},
		"Which reward and advantage did each answer get?":                      {`"columns":["index","reward","original","kept","advantage","length"]`, `[4,1,0,true,0,25]`},
		"At which steps did this prompt appear?":                               {`"steps":[1,2,3,4,5,6]`},
		"What became of this prompt at an earlier step?":                       {`"step":1`, `"fate":"alive"`, `[4,1,1.5,true,1.5,10]`, `[5,0,-0.499999,true,-0.499999,10]`},
		"What did the model answer at its best and at its worst?":              {`"which":"best","index":4,"reward":1`, `"text":"it is 0 so so so so so so"`, `"which":"worst","index":7`, `"text":"it is 3 so`},
		"What is the full text of the worst answer?":                           {"worst: reward 1, advantage 0, row 7 of the step", "it is 3 so so so so so so"},
		"What was the prompt, and which answer is right?":                      {`"prompt":"How much is 1?"`, `"truth":"1"`},
		"Does the reward rise?":                                                {`"rows":[[1,16,12,4,3,0.375,`, `[5,16,8,4,2,0.8125,`},
		"Do the answers get longer?":                                           {`"length_mean"`, `[1,16,12,4,3,0.375,10,`, `[6,16,4,4,1,0.9375,25,`},
		"How are the newest steps?":                                            {`"steps":2,"first_step":5,"last_step":6,"all_steps":6`, `"samples":32,"nonzero_samples":12`},
		"Which groups differ most in their rewards?":                           {"0.500  0.577  prompt-2  How much is 2?", "complete: 3 of 24 groups, by std, highest first"},
		"Which steps break a rule?":                                            {"3 of 6 steps: 4–6; worst is 0/4 (0%) at step 4"},
		"Which advantages change sign under another setting?":                  {"10/96 (10%) of the samples change sign: 10 −→0"},
		"When did the groups die?":                                             {`[4,16,0,4,0,0,23,{"wrong":4}]`},
	}
}

var agentRow = regexp.MustCompile("^\\| ([^|]+\\?) \\| `vantage ([^`]+)`")

// maxQuestion is the most bytes that a question of the page costs on average, with a share of the help of the program and of the commands.
const maxQuestion = 2_000

// Each of the questions of the page for agents is answered, within 2 KB, by a command that the page and --help name.
func TestAgentsPageAnswersItsQuestions(t *testing.T) {
	t.Parallel()
	page := filetest.Read(t, filepath.Join("..", "..", ".github", "docs", "agents.md"))
	help, path, answers := runCommand(t, "--help"), agentLog(t), agentAnswers()
	asked, read, helped := 0, len(help), map[string]bool{}
	for line := range strings.Lines(string(page)) {
		row := agentRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		asked++
		args := strings.Fields(strings.NewReplacer("PATH", path, "GROUP", agentGroup(t, path), "'", "").Replace(row[2]))
		if !strings.Contains(help, "\n  "+args[0]+" ") {
			t.Errorf("--help does not name %s", args[0])
		}
		out := runCommand(t, args...)
		if len(out) > report.MaxAnswer {
			t.Errorf("%s: %d bytes", row[1], len(out))
		}
		if read += len(out); !helped[args[0]] {
			helped[args[0]] = true
			read += len(helpOf(t, args[0]))
		}
		if len(answers[row[1]]) == 0 {
			t.Errorf("nobody wrote down the answer to %q", row[1])
		}
		for _, want := range answers[row[1]] {
			if !strings.Contains(out, want) {
				t.Errorf("%s\n  vantage %s\nhas no %s:\n%s", row[1], row[2], want, out)
			}
		}
		if slices.Contains(args, "--json") {
			checkAnswer(t, args, out)
		}
	}
	if asked != len(answers) {
		t.Errorf("the page has %d questions, the test %d", asked, len(answers))
	}
	if read > maxQuestion*asked {
		t.Errorf("%d answers and the help have %d bytes", asked, read)
	}
}

// helpOf returns the help of a command as the program prints it.
func helpOf(t *testing.T, name string) string {
	t.Helper()
	var out bytes.Buffer
	p := &program{}
	for _, c := range p.all() {
		if c.Name() == name {
			c.SetOut(&out)
			p.help(c, nil)
		}
	}
	if out.Len() == 0 {
		t.Errorf("%s has no help", name)
	}
	return out.String()
}

// checkAnswer checks that the output of a command line is one complete line of JSON.
func checkAnswer(t *testing.T, line []string, out string) {
	t.Helper()
	command := line[0]
	if slices.Contains(line, "--brief") {
		command = "steps"
	}
	var got struct {
		Schema   string `json:"schema"`
		Complete bool   `json:"complete"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || !strings.HasPrefix(got.Schema, "vantage/"+command+"@") || !got.Complete {
		t.Errorf("%s: %v, %+v: %s", command, err, got, out)
	}
}

// agentGroup returns the name of the group of prompt 1.
func agentGroup(t *testing.T, path string) string {
	t.Helper()
	for line := range strings.Lines(runCommand(t, "report", path, "--per", "group", "--steps", "1", "--format", "csv")) {
		if strings.Contains(line, "How much is 1?") {
			return strings.Trim(strings.Split(line, ",")[1], `"`)
		}
	}
	t.Fatal("no group of the prompt")
	return ""
}

// However long what a log holds, an answer stays within 2 KB, and is JSON.
func TestAnswersOfLongTextsFit(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", 200))
	path := filepath.Join(dir, strings.Repeat("y", 200)+".jsonl")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := json.NewEncoder(file)
	long := strings.Repeat("a \"quoted\" long text; 好 ", 400)
	for step := range repotest.Times(6, 25) {
		for i := range 40 {
			_ = rows.Encode(map[string]any{"step": 1e12 + float64(step), "uid": long + fmt.Sprint(i/20), "prompt": long, "response": long + fmt.Sprint(i), "reward": i % (step + 1) % 3, "ground_truth": long, "a_reward": i % 2})
		}
		fmt.Fprintln(file, "{\"broken "+long)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"summary", path}, {"why", long + "1", path}, {"why", path}, {"report", path, "--brief"}, {"summary", path, "--keep-neg-ratio", "0.2", "--compute-new-adv"}} {
		for _, format := range []string{"text", "json"} {
			out := runCommand(t, append(command, "--format", format)...)
			if len(out) > report.MaxAnswer || len(out) < 500 {
				t.Errorf("%s as %s: %d bytes: %.2500s", command[0], format, len(out), out)
			}
			if format == "json" {
				checkAnswer(t, command, out)
			}
		}
	}
}

// A group that is not there, or whose name is given by half, is refused with names that are.
func TestGroupsThatAreNotThere(t *testing.T) {
	t.Parallel()
	path := agentLog(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"why"}, "why takes a path, or a group and then a path"},
		{[]string{"why", "a3"}, "there is no file a3: why takes a path, or a group and then a path"},
		{[]string{"why", path, "a3"}, "is a path: the group comes first"},
		{[]string{"why", "nobody", path}, `none is called "nobody", or begins so; the log has groups such as `},
		{[]string{"why", "nobody", path, "--json"}, `{"error":`},
		{[]string{"why", agentGroup(t, path), path, "--text", "0"}, "--text 0: expected a number of characters"},
		{[]string{"why", agentGroup(t, path), path, "--steps", "9"}, "the log has no such step"},
	} {
		if out := runCommand(t, c.args...); !strings.Contains(out, c.want) {
			t.Errorf("%s: %s", c.args, out)
		}
	}
	name := agentGroup(t, path)
	if out := runCommand(t, "why", name[:len(name)-1], path); !strings.Contains(out, name) {
		t.Errorf("the beginning of a name: %s", out)
	}
}
