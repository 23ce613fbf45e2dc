package illruns

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"vantage/loaders/fileio"
)

// Format is a trainer's log, and what it holds.
type Format struct {
	Name           string
	Texts, Prompts bool
	Sources        bool
	Parts          bool // what each grader gave
	Tokens         bool // counts of them
	write          func(w *writer) error
}

// Formats are the logs that are written.
func Formats() []Format {
	return []Format{
		{"verl", true, true, true, true, false, (*writer).verl},
		{"verl-uid", true, true, true, true, false, (*writer).verl},
		{"jsonl", true, true, true, true, true, (*writer).jsonl},
		{"csv", true, true, true, true, true, (*writer).csv},
		{"trl", true, true, true, true, false, (*writer).trl},
		{"ms-swift", true, true, false, true, false, (*writer).swift},
		{"prime-rl", true, true, true, true, false, (*writer).prime},
		{"openrlhf", true, true, false, false, false, (*writer).openrlhf},
		{"nemo-rl", true, true, false, false, true, (*writer).nemo},
		{"tinker", false, false, false, false, true, (*writer).tinker},
		{"group-lines", true, true, false, true, false, (*writer).groupLines},
	}
}

// Arrange changes the order in which things are logged, or where the log ends, and nothing else.
type Arrange struct {
	Until int                              // logged are only so many steps, as while the run is on; 0: all
	Rows  func(n int, swap func(i, j int)) // within a step; nil leaves them
	Steps func(n int, swap func(i, j int)) // which step's answers stand under which number; nil leaves them
}

// Place is where a log is written.
type Place struct {
	Disk   *fileio.Disk
	Folder string // is made

	// Parquet writes rows as a table of these columns, of which each is int64, float64 or string; nil: no log of TRL can be written. The
	// program has no writer of Parquet, which would be a fifth of it.
	Parquet func(out io.Writer, columns []string, rows [][]any) error
}

// writer writes a run to a place.
type writer struct {
	*Run
	Place
	steps [][]Answer
	at    int // of the answer that is written, in its step
}

// Write writes the log of a run. A run is written once: its steps are made while it is.
func (r *Run) Write(to Place, arrange Arrange) error {
	steps := r.Steps
	if arrange.Until > 0 {
		steps = min(steps, arrange.Until)
	}
	w := &writer{Run: r, Place: to, steps: make([][]Answer, steps)}
	for t := range w.steps {
		w.steps[t] = r.Step(t)
		if arrange.Rows != nil {
			step := w.steps[t]
			arrange.Rows(len(step), func(i, j int) { step[i], step[j] = step[j], step[i] })
		}
	}
	if arrange.Steps != nil {
		arrange.Steps(len(w.steps), func(i, j int) { w.steps[i], w.steps[j] = w.steps[j], w.steps[i] })
	}
	all := append(Formats(), trainerState, verifiers)
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == r.Format })
	if err := all[i].write(w); err != nil || r.metrics == nil || r.Format == trainerState.Name {
		return err
	}
	return w.fileLogger()
}

// field is a field of a JSON object, which are in the order in which the trainer writes them.
type field struct {
	name  string
	value any
}

// number is written as Python does: NaN is a word of its own.
type number float64

type object []field

func (o object) append(b []byte) []byte {
	b = append(b, '{')
	for i, f := range o {
		if i > 0 {
			b = append(b, ',', ' ')
		}
		b = append(strconv.AppendQuote(b, f.name), ':', ' ')
		b = appendValue(b, f.value)
	}
	return append(b, '}')
}

func appendValue(b []byte, value any) []byte {
	switch x := value.(type) {
	case object:
		return x.append(b)
	case []any:
		b = append(b, '[')
		for i, v := range x {
			if i > 0 {
				b = append(b, ',', ' ')
			}
			b = appendValue(b, v)
		}
		return append(b, ']')
	case number:
		if math.IsNaN(float64(x)) {
			return append(b, "NaN"...)
		}
		return strconv.AppendFloat(b, float64(x), 'g', -1, 64)
	case string:
		var buffer bytes.Buffer
		e := json.NewEncoder(&buffer)
		e.SetEscapeHTML(false)
		_ = e.Encode(x) // cannot fail for a string
		return append(b, buffer.Bytes()[:buffer.Len()-1]...)
	case int:
		return strconv.AppendInt(b, int64(x), 10)
	case int64:
		return strconv.AppendInt(b, x, 10)
	default:
		text, err := json.Marshal(x)
		if err != nil {
			panic(err) // a mistake of a writer here
		}
		return append(b, text...)
	}
}

// file makes a file and what is above it, and lets write fill it.
func (w *writer) file(name string, write func(out *bufio.Writer) error) error {
	path := filepath.Join(w.Folder, filepath.FromSlash(name))
	if err := w.Disk.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	h, err := w.Disk.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(h, 1<<16)
	err = write(out)
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	if closed := h.Close(); err == nil {
		err = closed
	}
	return err
}

// lines writes a line for each answer of steps to a file.
func (w *writer) lines(name string, from, to int, row func(t int, a *Answer) object) error {
	return w.file(name, func(out *bufio.Writer) error {
		var line []byte
		for t := from; t < to; t++ {
			for i := range w.steps[t] {
				w.at = i
				line = append(row(t, &w.steps[t][i]).append(line[:0]), '\n')
				if _, err := out.Write(line); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// eachStep writes a file for each step.
func (w *writer) eachStep(name string, row func(t int, a *Answer) object) error {
	for t := range w.steps {
		if err := w.lines(fmt.Sprintf(name, w.Number(t)), t, t+1, row); err != nil {
			return err
		}
	}
	return nil
}

// part is what grader i gave, on the scale of the reward: the weighted sum of all parts is the total.
func (w *writer) part(a *Answer, i int) float64 {
	x := (w.high - w.low) * a.Parts[i]
	if i == 0 {
		x += w.low / w.Graders[0].Weight
	}
	return math.Round(x*1e6) / 1e6
}

// parts are the columns of graders, if there are several.
func (w *writer) parts(a *Answer, suffix string) (fields []field) {
	for i, g := range w.Graders {
		if len(w.Graders) > 1 {
			fields = append(fields, field{g.Name + suffix, number(w.part(a, i))})
		}
	}
	return fields
}

// source is the column of the data source, if there are several.
func (w *writer) source(a *Answer) []field {
	if !slices.ContainsFunc(w.tasks, func(t *Task) bool { return t.Source != w.tasks[0].Source }) {
		return nil
	}
	return []field{{"data_source", a.Task.Source}}
}

// advantage is that of TRL's GRPO, unless a scene gives another: the reward less the mean of its group, over their deviation.
func (w *writer) advantage(a *Answer, of map[string]moments) number {
	own, group := trlTotal(w, a), of[a.Group]
	if w.advantageOf != nil {
		return number(w.advantageOf(own, group))
	}
	return number((own - group.mean()) / (group.deviation() + 1e-4))
}

// advantages are what the advantages are made of, the rewards of each group.
func (w *writer) advantages(answers []Answer) map[string]moments {
	of := map[string]moments{}
	for i := range answers {
		of[answers[i].Group] = of[answers[i].Group].with(trlTotal(w, &answers[i]), 1)
	}
	return of
}

// moments are a number of values, their sum and that of their squares.
type moments struct{ n, sum, squares float64 }

// with returns the moments with so many more values x, or fewer.
func (m moments) with(x, times float64) moments {
	return moments{m.n + times, m.sum + times*x, m.squares + times*x*x}
}

func (m moments) mean() float64 { return m.sum / m.n }

// deviation is that of a sample, whose values are a part of all.
func (m moments) deviation() float64 {
	mean := m.mean()
	return math.Sqrt(max(0, (m.squares-m.n*mean*mean)/max(1, m.n-1)))
}

// trlTotal adds up what is not missing, as TRL does.
func trlTotal(w *writer, a *Answer) float64 {
	if len(w.Graders) == 1 {
		if math.IsNaN(a.Reward) {
			return 0
		}
		return a.Reward
	}
	sum := 0.0
	for i, g := range w.Graders {
		if x := w.part(a, i); !math.IsNaN(x) {
			sum += g.Weight * x
		}
	}
	return sum
}

// verl: trainer.rollout_data_dir, a file per step. verl-uid has an id per group.
func (w *writer) verl() error {
	return w.eachStep("%d.jsonl", func(t int, a *Answer) object {
		o := object{
			{"input", "system\nYou are a helpful assistant.\nuser\n" + a.Task.Prompt + "\nassistant\n"},
			{"output", a.Text},
			{"gts", a.Task.Truth},
			{"score", number(a.Reward)},
			{"step", w.Number(t)},
		}
		o = append(append(o, w.parts(a, "_score")...), w.source(a)...)
		o = append(o, w.logProbs(t, w.at, w.advantageOfRow(t, a))...)
		if w.Format == "verl-uid" {
			o = append(o, field{"uid", a.Group})
		}
		return o
	})
}

// row is a sample under plain names.
func (w *writer) row(t int, a *Answer) object {
	o := object{{"step", w.Number(t)}, {"group_id", a.Group}}
	if !w.NoPrompts {
		o = append(o, field{"prompt", a.Task.Prompt})
	}
	if !w.NoTexts {
		o = append(o, field{"response", a.Text})
	}
	if w.Tokens {
		o = append(o, field{"response_length", a.Tokens})
	}
	if math.IsNaN(a.Reward) {
		o = append(o, field{"reward", nil})
	} else {
		o = append(o, field{"reward", number(a.Reward)})
	}
	o = append(append(o, w.parts(a, "_reward")...), w.source(a)...)
	return append(o, w.logProbs(t, w.at, w.advantageOfRow(t, a))...)
}

func (w *writer) jsonl() error { return w.lines("rollouts.jsonl", 0, len(w.steps), w.row) }

func (w *writer) csv() error {
	return w.file("rollouts.csv", func(out *bufio.Writer) error {
		table := csv.NewWriter(out)
		for t, step := range w.steps {
			for i := range step {
				row := w.row(t, &step[i])
				if t == 0 && i == 0 {
					var names []string
					for _, f := range row {
						names = append(names, f.name)
					}
					_ = table.Write(names) // Error says it below
				}
				var cells []string
				for _, f := range row {
					cells = append(cells, fmt.Sprint(f.value))
				}
				_ = table.Write(cells)
			}
		}
		table.Flush()
		return table.Error()
	})
}

// columns are the reward functions of TRL and ms-swift: there is no total.
func (w *writer) columns(a *Answer) []field {
	if len(w.Graders) > 1 {
		return w.parts(a, "_reward")
	}
	return []field{{"accuracy_reward", number(a.Reward)}}
}

// trl: log_completions, a Parquet file per step.
func (w *writer) trl() error {
	if w.Parquet == nil {
		return errors.New("a log of TRL is of Parquet files: give what writes them")
	}
	for t, step := range w.steps {
		of := w.advantages(step)
		var columns []string
		var rows [][]any
		for i := range step {
			a := &step[i]
			o := append(object{{"step", w.Number(t)}, {"prompt", a.Task.Prompt}, {"completion", a.Text}}, w.columns(a)...)
			o = append(append(o, w.source(a)...), field{"advantage", w.advantage(a, of)})
			row := make([]any, len(o))
			for k, f := range o {
				if i == 0 {
					columns = append(columns, f.name)
				}
				row[k] = f.value
				if x, isNumber := f.value.(number); isNumber {
					row[k] = float64(x)
				}
			}
			rows = append(rows, row)
		}
		err := w.file(fmt.Sprintf("completions/completions_%05d.parquet", w.Number(t)), func(out *bufio.Writer) error {
			return w.Parquet(out, columns, rows)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// swift: ms-swift's completions.jsonl, a line per step with a list for each column.
func (w *writer) swift() error {
	return w.file("completions.jsonl", func(out *bufio.Writer) error {
		for t, step := range w.steps {
			of := w.advantages(step)
			line := object{}
			for i := range step {
				a := &step[i]
				o := append(object{{"step", strconv.FormatInt(w.Number(t), 10)}, {"prompt", a.Task.Prompt}, {"completion", a.Text}},
					w.columns(a)...)
				o = append(o, field{"advantages", w.advantage(a, of)})
				for k, f := range o {
					if i == 0 {
						line = append(line, field{f.name, []any{}})
					}
					line[k].value = append(line[k].value.([]any), f.value)
				}
			}
			if _, err := out.Write(append(line.append(nil), '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// prime: prime-rl's traces, a line per episode.
func (w *writer) prime() error {
	if w.engines != nil && w.Format == "prime-rl" {
		if err := w.eachStep("token_exports/step_%d/rank_0.jsonl", w.exportTokens); err != nil {
			return err
		}
	}
	return w.eachStep("rollouts/step_%d/train/effective/traces.jsonl", func(t int, a *Answer) object {
		stop, rewards := "stop", object{}
		if a.Cut {
			stop = "length"
		}
		for i, g := range w.Graders {
			rewards = append(rewards, field{g.Name, object{{"score", number(w.part(a, i))}, {"weight", number(g.Weight)}}})
		}
		if len(w.Graders) == 1 {
			rewards = object{{"reward", object{{"score", number(a.Reward)}, {"weight", 1.0}}}}
		}
		asked := object{{"message", object{{"role", "user"}, {"content", a.Task.Prompt}}}, {"sampled", false}}
		said := object{{"message", object{{"role", "assistant"}, {"content", a.Text}}}, {"sampled", true}}
		work := object{{"type", "train"}, {"step", w.Number(t)}}
		if w.engines != nil {
			asked, said, work = w.nodeTokens(t, a, asked, said, work)
		}
		nodes := []any{asked, said}
		return object{
			{"id", a.Group},
			{"env", object{{"id", a.Task.Source}}},
			{"task", object{{"data", object{{"idx", a.Task.ID}, {"prompt", a.Task.Prompt}, {"answer", a.Task.Truth}}}}},
			{"group", object{{"id", a.Group}}},
			{"run", object{{"type", "train"}, {"work", work}}},
			{"ok", true},
			{"traces", []any{object{{"nodes", nodes}, {"calls", []any{object{{"finish_reason", stop}}}}, {"rewards", rewards}}}},
		}
	})
}

// openrlhf: what a reward function writes; it counts the steps.
func (w *writer) openrlhf() error {
	return w.lines("rewards-4711.jsonl", 0, len(w.steps), func(t int, a *Answer) object {
		return object{
			{"prompt", a.Task.Prompt},
			{"response", a.Text},
			{"ground_truth", a.Task.Truth},
			{"reward", number(a.Reward)},
			{"step", w.Number(t)},
		}
	})
}

// nemo: NeMo-RL's train_data_stepN.jsonl, in which every value is a list of one.
func (w *writer) nemo() error {
	return w.eachStep("exp_001/train_data_step%d.jsonl", func(t int, a *Answer) object {
		if w.engines != nil {
			return w.nemoTokens(t, a)
		}
		ids, mask := []any{1, 2}, []any{0, 0}
		for i := range a.Tokens {
			ids, mask = append(ids, 100+i%900), append(mask, 1)
		}
		return object{
			{"content", []any{[]any{a.Task.Prompt, a.Text}}},
			{"rewards", []any{number(a.Reward)}},
			{"token_ids", []any{ids}},
			{"token_loss_mask", []any{mask}},
			{"idx", a.Task.ID},
		}
	})
}

// tinker: tinker-cookbook's summaries, without prompts and texts.
func (w *writer) tinker() error {
	return w.eachStep("iteration_%06d/train_rollout_summaries.jsonl", func(t int, a *Answer) object {
		group := slices.IndexFunc(w.steps[t], func(b Answer) bool { return b.Group == a.Group })
		return object{
			{"schema_version", 1},
			{"split", "train"},
			{"iteration", w.Number(t)},
			{"group_idx", group},
			{"traj_idx", 0},
			{"tags", []any{a.Task.Source}},
			{"total_reward", number(a.Reward)},
			{"final_reward", 0.0},
			{"steps", []any{object{
				{"step_idx", 0},
				{"ob_len", 40},
				{"ac_len", a.Tokens},
				{"reward", number(a.Reward)},
				{"episode_done", true},
				{"metrics", object{}},
				{"logs", object{}},
			}}},
			{"final_ob_len", 40},
		}
	})
}

// groupLines: a line per group with lists.
func (w *writer) groupLines() error {
	return w.file("groups.jsonl", func(out *bufio.Writer) error {
		for t, step := range w.steps {
			groups := map[string][]*Answer{}
			var order []string
			for i := range step {
				if groups[step[i].Group] == nil {
					order = append(order, step[i].Group)
				}
				groups[step[i].Group] = append(groups[step[i].Group], &step[i])
			}
			for _, name := range order {
				texts, rewards, parts := []any{}, []any{}, make([][]any, len(w.Graders))
				for _, a := range groups[name] {
					texts, rewards = append(texts, a.Text), append(rewards, number(a.Reward))
					for i := range w.Graders {
						parts[i] = append(parts[i], number(w.part(a, i)))
					}
				}
				o := object{{"step", w.Number(t)}, {"prompt", groups[name][0].Task.Prompt}, {"completions", texts}, {"rewards", rewards}}
				for i, g := range w.Graders {
					if len(w.Graders) > 1 {
						o = append(o, field{g.Name + "_reward", parts[i]})
					}
				}
				if _, err := out.Write(append(o.append(nil), '\n')); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
