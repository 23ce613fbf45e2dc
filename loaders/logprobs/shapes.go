package logprobs

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"vantage/estimators/offpolicy"
	"vantage/loaders/jsonscan"
)

// shape is a line as one trainer writes it.
type shape struct {
	name string
	keys []string                                           // that only such lines have
	rows func(r *reader, line []byte, file string) []Sample // none if the line is of another shape
}

// shapes lists them, the more particular first.
func shapes() []shape {
	return []shape{
		{"nemo-rl", []string{"generation_logprobs", "prev_logprobs"}, nemoRow},
		{"prime-rl token export", []string{"inference_logprobs", "trainer_logprobs", "token_ids"}, exportRow},
		{"traces", []string{"traces"}, traceRows},
		{"open-instruct", []string{"response_tokens", "logprobs"}, openInstructRow},
		{"areal", []string{"head_version", "tail_version"}, arealRow},
		{"tinker-cookbook", []string{"iteration", "traj_idx", "sampling_client_step"}, tinkerRow},
		{"rows", nil, namedRow},
	}
}

// mayFit reports whether a line has the names of the keys: a text of another shape may have them, too.
func (s shape) mayFit(line []byte) bool {
	return !slices.ContainsFunc(s.keys, func(key string) bool { return !hasWord(line, key) })
}

// hasWord reports whether a line has a word in quotes. Lists of numbers have none, so that to look at what follows quotes takes a fraction
// of the time of a search for the word.
func hasWord(line []byte, word string) bool {
	for {
		quote := bytes.IndexByte(line, '"')
		if quote < 0 {
			return false
		}
		line = line[quote+1:]
		if len(line) > len(word) && line[len(word)] == '"' && string(line[:len(word)]) == word {
			return true
		}
	}
}

func anyAbsent(values []jsonscan.Value) bool {
	return slices.ContainsFunc(values, func(v jsonscan.Value) bool { return v.Kind == jsonscan.Absent })
}

// nemoRow is a row of NeMo-RL's train_data_step{N}.jsonl: every value in a list of one, a number per token of prompt and response,
// padded. Log-probs of the trainer that are 0 wherever it trains were not computed.
func nemoRow(r *reader, line []byte, file string) []Sample {
	v, err := jsonscan.PluckLists(line, "generation_logprobs", "prev_logprobs", "token_loss_mask", "sample_loss_mask", "advantages")
	if err != nil || anyAbsent(v[:2]) {
		return nil
	}
	s := Sample{Row: offpolicy.Row{Sampler: floats(v[0]), Trainer: floats(v[1]), Mask: maskOf(v[2])}, Writer: "nemo-rl"}
	s.Step, _ = r.stepOf(file)
	s.Advantage = advantageIn(v[4], s.Mask)
	s = s.trimmed()
	if !computed(s.Trainer, s.Mask) {
		s.Trainer = nil
	}
	if weight, ok := v[3].ToFloat(); ok && weight == 0 {
		s.Mask = make([]bool, len(s.Mask)) // the row is out, with all of its tokens
	}
	return []Sample{s}
}

// computed reports whether a side has a number other than 0 on the mask.
func computed(logprobs []float32, mask []bool) bool {
	hasMask := false
	for i, m := range mask {
		hasMask = hasMask || m
		if m && i < len(logprobs) && logprobs[i] != 0 {
			return true
		}
	}
	return !hasMask
}

// advantageOf is that of the first token that trains, NaN if there is none. Without a mask all tokens train.
func advantageOf(advantages []float32, mask []bool) float64 {
	switch first := firstOf(mask); {
	case first >= 0 && first < len(advantages):
		return float64(advantages[first])
	case len(advantages) == 1:
		return float64(advantages[0])
	}
	return offpolicy.NoAdvantage()
}

// advantageIn is advantageOf a list, of which no more than that number is read if all before it are numbers.
func advantageIn(v jsonscan.Value, mask []bool) float64 {
	if first := firstOf(mask); first >= 0 && v.Kind == jsonscan.Array {
		if x, ok := plainAt(unwrapped(v).Raw, first); ok {
			return float64(x)
		}
	}
	return advantageOf(floats(v), mask)
}

func firstOf(mask []bool) int {
	if mask == nil {
		return 0
	}
	return slices.Index(mask, true)
}

// exportRow is a row of prime-rl's token_exports: arrays over prompt and response.
func exportRow(r *reader, line []byte, file string) []Sample {
	v, err := jsonscan.PluckLists(line, "inference_logprobs", "trainer_logprobs", "loss_mask", "advantages", "step")
	if err != nil || anyAbsent(v[:2]) {
		return nil
	}
	s := Sample{Row: offpolicy.Row{Sampler: floats(v[0]), Trainer: floats(v[1]), Mask: maskOf(v[2])}, Writer: "prime-rl"}
	s.Step, _ = r.stepOf(file)
	if step, ok := wholeNumber(v[4]); ok {
		s.Step = step
	}
	s.Advantage = advantageIn(v[3], s.Mask)
	return []Sample{s}
}

// traceRows are the traces of an episode of verifiers 0.4 or prime-rl. Nodes have log-probs of the tokens of their mask alone; what the
// trainer computed is in them, or in the token export with equal token ids.
func traceRows(r *reader, line []byte, file string) []Sample {
	v, err := jsonscan.PluckLists(line, "id", "traces", "group", "run")
	if err != nil {
		return nil
	}
	work := v[3].Field("work")
	var rows []Sample
	var index int32 = -1 // among those that train
	for _, trace := range v[1].Elements() {
		if string(trace.Field("agent").Field("trainable").Raw) == "false" {
			continue
		}
		index++
		s, ids := traceOf(trace)
		s.Where.Index, s.ID, s.Group = index, label(v[0]), label(v[2].Field("id"))
		step, dated := r.stepOf(file) // that of the folder: the episode has the one at which it was sent
		if !dated {
			step, dated = wholeNumber(work.Field("step"))
		}
		s.Step = step
		switch policy := work.Field("policy"); {
		case !dated:
		case work.Kind == jsonscan.Object && (policy.Kind == jsonscan.Absent || policy.Kind == jsonscan.Null):
			s.aged(0, 0) // of a model that never changes
		default:
			s.sampledBy(policy.Field("start"), policy.Field("end"))
		}
		isKnown := s.Sampler != nil || work.Field("policy").Field("start").Kind == jsonscan.Number
		if !isKnown {
			continue
		}
		if logged := trace.Field("info").Field("advantage").ToAdvantage(); logged == logged {
			s.Advantage = logged
		}
		if export, ok := r.export(file, ids); ok {
			s.Sampler, s.Trainer, s.Mask, s.Writer = export.Sampler, export.Trainer, export.Mask, export.Writer
			if s.Advantage != s.Advantage {
				s.Advantage = export.Advantage
			}
		}
		rows = append(rows, s)
	}
	return rows
}

// traceOf joins the nodes of a trace: one number per token, 0 where the mask has none.
func traceOf(trace jsonscan.Value) (s Sample, ids string) {
	s.Advantage = offpolicy.NoAdvantage()
	var tokens strings.Builder
	scored, whole := false, true
	for _, node := range trace.Field("nodes").Elements() {
		trains, sampler, trainer := maskOf(node.Field("mask")), floats(node.Field("logprobs")),
			floats(node.Field("trainer_logprobs"))
		node.Field("token_ids").EachElement(func(id jsonscan.Value) {
			tokens.Write(id.Raw)
			tokens.WriteByte(',')
		})
		if credit := node.Field("advantages").ToAdvantage(); s.Advantage != s.Advantage || s.Advantage == 0 && credit == credit {
			s.Advantage = credit // of the first node in which one is not 0
		}
		n := 0
		for _, m := range trains {
			if m {
				n++
			}
		}
		whole = whole && (n == 0 || len(sampler) == n)
		scored = scored || n > 0 && len(trainer) == n
		s.Mask = append(s.Mask, trains...)
		s.Sampler, s.Trainer = append(s.Sampler, spread(sampler, trains)...), append(s.Trainer, spread(trainer, trains)...)
	}
	if !scored {
		s.Trainer = nil
	}
	if !whole {
		s.Sampler = append(s.Sampler, 0) // a node has another number of log-probs than of tokens: the lengths differ
	}
	return s, tokens.String()
}

// spread puts numbers on the tokens of a mask, NaN where there are too few.
func spread(numbers []float32, mask []bool) []float32 {
	out := make([]float32, len(mask))
	for i, m := range mask {
		switch {
		case !m:
		case len(numbers) == 0:
			out[i] = float32(offpolicy.NoAdvantage())
		default:
			out[i], numbers = numbers[0], numbers[1:]
		}
	}
	return out
}

// sampledBy sets the versions of the first and the last token of a sample whose step is known. The last one may be missing.
func (s *Sample) sampledBy(first, last jsonscan.Value) {
	a, ok := wholeNumber(first)
	b, too := wholeNumber(last)
	switch {
	case !ok:
	case too:
		s.aged(s.Step-1-a, b-a)
	default:
		s.aged(s.Step-1-a, 0)
	}
}

// wholeNumber is a step or a version, if it can be one.
func wholeNumber(v jsonscan.Value) (int, bool) {
	n, ok := v.ToInt()
	return int(n), ok && v.Kind != jsonscan.Absent && plausible(n)
}

// exported are the rows of the token exports of one step, by their token ids.
type exported struct {
	step string
	rows map[string]Sample
}

// exportsOf are the files of token exports, by the folder of their step.
func exportsOf(files []string) map[string][]string {
	if !slices.ContainsFunc(files, func(name string) bool { return filepath.Base(name) == tracesFile }) {
		return nil
	}
	all := map[string][]string{}
	for _, name := range files {
		if isExport(name) {
			step := filepath.Base(filepath.Dir(name))
			all[step] = append(all[step], name)
		}
	}
	return all
}

func isExport(name string) bool {
	return filepath.Base(filepath.Dir(filepath.Dir(name))) == exportFolder
}

// export is the row of a trace in the token export of its step.
func (r *reader) export(file, ids string) (Sample, bool) {
	step := ""
	for part := range strings.SplitSeq(filepath.ToSlash(file), "/") {
		if strings.HasPrefix(part, "step_") {
			step = part
		}
	}
	if r.joined.step != step {
		r.joined = exported{step, map[string]Sample{}}
		for _, name := range r.exports[step] {
			_ = r.eachRow(name, func(line []byte) {
				v, err := jsonscan.PluckLists(line, "token_ids")
				if rows := exportRow(r, line, name); err == nil && len(rows) == 1 {
					r.joined.rows[strings.Trim(strings.ReplaceAll(string(v[0].Raw), " ", ""), "[]")+","] = rows[0]
				}
			})
		}
	}
	row, found := r.joined.rows[ids]
	return row, found
}

// openInstructRow is a row of open-instruct's rollouts: log-probs of the sampler alone.
func openInstructRow(_ *reader, line []byte, _ string) []Sample {
	v, err := jsonscan.PluckLists(line, "logprobs", "step", "advantage", "prompt_idx")
	if err != nil || anyAbsent(v[:1]) {
		return nil
	}
	s := Sample{Row: offpolicy.Row{Sampler: floats(v[0]), Advantage: offpolicy.NoAdvantage()}, Group: label(v[3]), Writer: "open-instruct"}
	if step, ok := wholeNumber(v[1]); ok {
		s.Step = step
	}
	if x, ok := v[2].ToFloat(); ok {
		s.Advantage = x
	}
	return []Sample{s}
}

// arealRow is a row of AReaL's {version}/{task}.jsonl: the versions of its oldest and its newest token. The step that trained it is not
// in the file, so that nobody knows how stale it was. It is at the step of its newest token, as elsewhere.
func arealRow(_ *reader, line []byte, _ string) []Sample {
	v, err := jsonscan.PluckLists(line, "head_version", "tail_version", "task_id", "sample_idx")
	head, ok := wholeNumber(v[0])
	tail, too := wholeNumber(v[1])
	if err != nil || !ok || !too {
		return nil
	}
	s := Sample{Row: offpolicy.Row{Advantage: offpolicy.NoAdvantage()}, Step: tail, ID: label(v[3]), Group: label(v[2]), Writer: "areal"}
	span := tail - head
	s.VersionSpan = &span
	return []Sample{s}
}

// tinkerRow is a row of tinker-cookbook's train_rollout_summaries.jsonl: which weights sampled it. They count as the iterations do, and
// are null where sampling and training take turns.
func tinkerRow(_ *reader, line []byte, _ string) []Sample {
	v, err := jsonscan.PluckLists(line, "iteration", "sampling_client_step", "group_idx", "traj_idx", "split")
	step, ok := wholeNumber(v[0])
	sampled, too := wholeNumber(v[1])
	isTraining := v[4].Kind == jsonscan.Absent || string(v[4].Text()) == "train"
	if err != nil || !ok || !too || !isTraining {
		return nil
	}
	s := Sample{Row: offpolicy.Row{Advantage: offpolicy.NoAdvantage()}, Step: step, ID: label(v[3]), Group: label(v[2]), Writer: "tinker"}
	s.aged(step-sampled, 0)
	return []Sample{s}
}
