package commands

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/illlogs"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/demo/illruns"
)

// The summary of a run names what is planted in it, and since when, and of a healthy run that looks like it that nothing is wrong. These
// runs are plain ones: .ci/diagnosis/run has several hundred of all sizes.
func TestSummaryNamesWhatAilsARun(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	kinds := map[string]bool{}
	for _, s := range slices.Concat(illruns.Illnesses(), illruns.Healthy()) {
		if s.Kind != "" && kinds[s.Kind] || s.Kind == "two illnesses" {
			continue // one of each kind, and all that is healthy
		}
		kinds[s.Kind] = true
		t.Run(s.Kind+" "+s.Name, func(t *testing.T) {
			repotest.OneIn(t, 15)
			shape, ok := s.Shape(illruns.Cell{Steps: max(60, s.Needs.Steps), Groups: 12, Size: 8}, rand.New(rand.NewPCG(1, 1)))
			if !ok {
				t.Fatal("cannot be seen in a run of this size")
			}
			shape.Onset, shape.Every = 0.5, 1
			if !s.Needs.Gradual {
				shape.Pace = 0.05
			}
			tells(t, s, shape)
		})
	}
}

// A source is seen to be forgotten without prompts and without texts, prompts that nothing else names, and pieces of a group where each step has one prompt.
func TestSummaryNamesWhatAilsALogOfLittle(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	for _, c := range []struct {
		name string
		cell illruns.Cell
		log  illruns.Shape
	}{
		{"a source falls", illruns.Cell{Steps: 60, Groups: 12, Size: 8}, illruns.Shape{NoPrompts: true}},
		{"a source falls", illruns.Cell{Steps: 60, Groups: 12, Size: 8}, illruns.Shape{NoTexts: true}},
		{"all sources rise", illruns.Cell{Steps: 60, Groups: 12, Size: 8}, illruns.Shape{NoPrompts: true}},
		{"some prompts are lost, and nothing names them", illruns.Cell{Steps: 100, Groups: 6, Size: 16}, illruns.Shape{NoTexts: true}},
		{"what was easy is drawn no more", illruns.Cell{Steps: 100, Groups: 6, Size: 16}, illruns.Shape{NoTexts: true}},
		{"torn to pieces", illruns.Cell{Steps: 60, Groups: 1, Size: 16}, illruns.Shape{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := slices.Concat(illruns.Illnesses(), illruns.Healthy())
			s := all[slices.IndexFunc(all, func(s illruns.Scene) bool { return s.Name == c.name })]
			shape, _ := s.Shape(c.cell, rand.New(rand.NewPCG(2, 2)))
			shape.Format, shape.Reward, shape.Onset, shape.Every, shape.Tokens = "jsonl", illruns.Binary, 0.5, 1, true
			shape.NoPrompts, shape.NoTexts = c.log.NoPrompts, c.log.NoTexts
			tells(t, s, shape)
		})
	}
}

// Where the shares of sources shift and each source stays as it is, neither the lengths explode nor does the reward collapse. A source
// whose rewards are all 0 from one step on is to be looked for at its grader.
func TestSummaryTellsSourcesFromTheirMixture(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	log := func(hard func(step int) float64, graded func(step int, hard bool) bool) string {
		random := rand.New(rand.NewPCG(3, 4))
		var rows strings.Builder
		for step := range 120 {
			for group := range 8 {
				source, rate, length := "easy", 0.7, 35.0
				isHard := (float64(group)+0.5)/8 < hard(step)
				if isHard {
					source, rate, length = "hard", 0.4, 150
				}
				for range 6 {
					reward := 0
					if random.Float64() < rate && graded(step, isHard) {
						reward = 1
					}
					fmt.Fprintf(&rows, `{"step":%d,"group_id":"%d-%d","prompt":"question %d of %d","data_source":"%s","response":"the sum is %d","reward":%d,"completion_length":%d}`+"\n",
						step, step, group, group, step, source, random.IntN(1e6), reward, int(length*(0.8+0.4*random.Float64())))
				}
			}
		}
		path := filepath.Join(t.TempDir(), "log.jsonl")
		filetest.Write(t, path, rows.String())
		return path
	}
	shifts := func(step int) float64 { return min(0.9, max(0.25, float64(step-20)/60)) }
	half := func(int) float64 { return 0.5 }
	if out := runCommand(t, "summary", log(shifts, func(int, bool) bool { return true })); strings.Contains(out, "alarm ") {
		t.Error(out)
	}
	out := runCommand(t, "summary", log(half, func(step int, hard bool) bool { return !hard || step < 60 }))
	if !strings.Contains(out, "the reward of source hard falls from 0.") || !strings.Contains(out, "look at the log of this source's grader first") {
		t.Error(out)
	}
}

// Prompts that come in one order from easy to hard in each epoch are neither a collapse nor an outage: they are as they were in the epoch before.
func TestSummaryTellsOrderFromCollapse(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	const epoch = 60
	random := rand.New(rand.NewPCG(5, 6))
	var rows strings.Builder
	for step := range 2 * epoch {
		for group := range 8 {
			hard := float64(step%epoch)/epoch + float64(step)/(8*epoch)
			for range 6 {
				reward := 0
				if random.Float64() < 1.1-1.05*hard+float64(step/epoch)*0.15 {
					reward = 1
				}
				fmt.Fprintf(&rows, `{"step":%d,"group_id":"%d-%d","prompt":"question %d-%d","response":"%sthe sum is %d","reward":%d}`+"\n",
					step, step, group, step%epoch, group, strings.Repeat("and so on, ", random.IntN(40)), random.IntN(1e6), reward)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	filetest.Write(t, path, rows.String())
	if out := runCommand(t, "summary", path); strings.Contains(out, "alarm ") || strings.Contains(out, "reward collapse") {
		t.Error(out)
	}
}

// An outage is named also where most rewards are the same without it, and the prompts were seen before.
func TestSummaryNamesAnOutageOfHardPrompts(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 8))
	var rows strings.Builder
	for step := range 120 {
		for group := range 16 {
			prompt := (16*step + group) % 320
			for range 8 {
				reward := 0
				if random.Float64() < []float64{0.02, 0.1, 0.2, 0.3}[prompt%4] && (step < 60 || step >= 65) {
					reward = 1
				}
				fmt.Fprintf(&rows, `{"step":%d,"group_id":"%d-%d","prompt":"question %d","response":"the sum is %d","reward":%d}`+"\n", step, step, group, prompt, random.IntN(1e6), reward)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	filetest.Write(t, path, rows.String())
	if out := runCommand(t, "summary", path); !strings.Contains(out, "grader outage steps 60 to 64: reward is 0 for every sample") {
		t.Error(out)
	}
}

// Where prompts come in one order each epoch, and most are solved each time or never, steps have the numbers of an earlier one by themselves.
// The others are learned, so that nothing ails the run.
func TestSummaryLeavesEpochsInOneOrderInPeace(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	for seed := range uint64(repotest.Times(4, 24)) {
		random := rand.New(rand.NewPCG(seed, 2))
		var solved [12 * 16]float64 // by prompt
		for i := range solved {
			if x := random.Float64(); x > 0.7 {
				solved[i] = random.Float64()
			} else if x > 0.3 {
				solved[i] = 1
			}
		}
		var rows strings.Builder
		for i := range 5 * len(solved) * 8 {
			reward := 0
			chance, epoch := solved[i/8%len(solved)], i/8/len(solved)
			if isLearned := chance > 0 && chance < 1; isLearned {
				chance += 0.05 * float64(epoch)
			}
			if random.Float64() < chance {
				reward = 1
			}
			fmt.Fprintf(&rows, `{"step":%d,"prompt":"question %d","reward":%d,"response_length":1}`+"\n", i/8/16, i/8%len(solved), reward)
		}
		path := filepath.Join(t.TempDir(), "log.jsonl")
		filetest.Write(t, path, rows.String())
		if out := runCommand(t, "summary", path); strings.Contains(out, "alarm ") {
			t.Errorf("seed %d: %s", seed, out)
		}
	}
}

// A new source with longer answers makes no answer longer, however much of the mixture it becomes; where each source grows it does.
func TestSummaryTellsNewSourcesFromLongerAnswers(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	for _, c := range []struct {
		share float64 // of the new source from step 40 on
		grows bool
	}{{0.6, false}, {0.95, false}, {0.6, true}} {
		random := rand.New(rand.NewPCG(5, 5))
		var rows strings.Builder
		for step := range 80 {
			for group := range 16 {
				source, length := "math", 20.0
				if step >= 40 && random.Float64() < c.share {
					source, length = "agent", 150
				}
				if step >= 40 && c.grows {
					length *= 3
				}
				for range 8 {
					fmt.Fprintf(&rows, `{"step":%d,"prompt":"question %d","data_source":%q,"response":"the sum is %d","reward":%d,"response_length":%d}`+"\n",
						step, step*16+group, source, random.IntN(1e6), random.IntN(2), int(length*(0.7+0.6*random.Float64())))
				}
			}
		}
		path := filepath.Join(t.TempDir(), "log.jsonl")
		filetest.Write(t, path, rows.String())
		if out := runCommand(t, "summary", path); strings.Contains(out, "length explosion since") != c.grows {
			t.Errorf("%.0f%% of a new source, answers grow %t: %s", 100*c.share, c.grows, out)
		}
	}
}

// A row may be a turn of an answer, whose reward is that of the whole. Groups are those of the tasks wherever the log tells, and equal
// turns, and the openings of an environment, alarm nobody; an outage does.
func TestSummaryOfTurns(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	nonzero := 0
	for _, c := range []struct {
		name        string
		id, rollout string // fields that the log has
		opening     string
		outage      bool
		groups      int // of all steps but the last, which is open; 0 for more than can be told
		health      string
	}{
		{"with both ids", "uid", "traj_uid", "Task %d: open the door.", false, 312, "healthy"},
		{"with ids of groups", "group_id", "", "Task %d: open the door.", false, 312, "healthy"},
		{"with ids of rollouts", "", "trajectory_id", "Task %d: open the door.", false, 312, "healthy"},
		{"turn by turn, with ids of rollouts", "", "trajectory_id", "Task %d: open the door.", false, 312, "healthy"},
		{"with no ids", "", "", "Task %d: open the door.", false, 0, "healthy"},
		{"of one environment", "uid", "traj_uid", "You are in a room.", false, 312, "healthy"},
		{"of one environment, with ids of groups", "uid", "", "You are in a room.", false, 312, "healthy"},
		{"with an outage", "uid", "", "Task %d: open the door.", true, 312, "grader_outage since 20"},
		{"with an outage, with ids of rollouts", "", "trajectory_id", "Task %d: open the door.", true, 312, "grader_outage since 20"},
	} {
		random := rand.New(rand.NewPCG(3, 3))
		var rows [40][5]strings.Builder // by step, and by turn where that is the order
		for task := range 40 * 8 {
			step, solved := task/8, 0.2+0.6*random.Float64()
			for k := range 8 {
				reward, prompt := 0, strings.ReplaceAll(c.opening, "%d", fmt.Sprint(task))
				if random.Float64() < solved && (step < 20 || !c.outage) {
					reward = 1
				}
				for turn := range 1 + random.IntN(5) {
					if !strings.HasPrefix(c.name, "turn by turn") {
						turn = 0
					}
					act := fmt.Sprintf("take action %d", random.IntN(10))
					row := map[string]any{"step": step, "prompt": prompt, "response": act, "reward": reward, "response_length": 5 + random.IntN(50)}
					if c.id != "" {
						row[c.id] = fmt.Sprintf("g%d", task)
					}
					if c.rollout != "" {
						row[c.rollout] = fmt.Sprintf("g%d-%d", task, k)
					}
					line, err := json.Marshal(row)
					if err != nil {
						t.Fatal(err)
					}
					rows[step][turn].Write(append(line, '\n'))
					prompt += fmt.Sprintf(" You did: %s. You see %d.", act, random.IntN(100))
				}
			}
		}
		var log strings.Builder
		for step := range rows {
			for turn := range rows[step] {
				log.WriteString(rows[step][turn].String())
			}
		}
		path := filepath.Join(t.TempDir(), "log.jsonl")
		filetest.Write(t, path, log.String())
		var said struct {
			Health   string
			Groups   int
			Nonzero  int `json:"nonzero_samples"`
			Warnings []struct{ Kind string }
		}
		answerTo(t, &said, "summary", path, "--json")
		warns := len(said.Warnings) > 0 && said.Warnings[0].Kind == "rollouts-assumed" // how the trainer counts turns is not in the log
		if said.Health != c.health || c.groups > 0 && (said.Groups != c.groups || !warns && !c.outage) {
			t.Errorf("turns %s: %+v", c.name, said)
		}
		if c.rollout != "" && !c.outage { // the same answers
			if nonzero == 0 {
				nonzero = said.Nonzero
			}
			if said.Nonzero != nonzero {
				t.Errorf("turns %s: %d samples train, %d of the same answers in another log", c.name, said.Nonzero, nonzero)
			}
		}
	}
}

// tells makes a run and fails if its summary does not say what is planted, or says what is not.
func tells(t *testing.T, s illruns.Scene, shape illruns.Shape) {
	t.Helper()
	run, folder := illruns.Make(s, shape, s.Name), t.TempDir()
	if err := illlogs.Write(run, folder, illruns.Arrange{}); err != nil {
		t.Fatal(err)
	}
	var said struct {
		Findings []struct {
			Kind, Severity string
			Since          int64
		}
	}
	out := runCommand(t, "summary", folder, "--format", "json")
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, p := range run.Truth.Ill {
		i := 0
		for i < len(said.Findings) && (said.Findings[i].Kind != p.Kind || said.Findings[i].Severity != "alarm") {
			i++
		}
		if i == len(said.Findings) {
			t.Errorf("%v: %s since %d is not named, but %v", shape, p.Kind, p.Since, said.Findings)
		} else if off := said.Findings[i].Since - p.Since; max(off, -off) > p.Slack {
			t.Errorf("%v: %s since %d ± %d, but %v", shape, p.Kind, p.Since, p.Slack, said.Findings)
		}
	}
	for _, f := range said.Findings {
		if f.Severity == "alarm" && !slices.Contains(run.Truth.Also, f.Kind) && !slices.ContainsFunc(run.Truth.Ill, func(p illruns.Planted) bool { return p.Kind == f.Kind || p.Or == f.Kind }) {
			t.Errorf("%v: %v is not there", shape, f)
		}
	}
}
