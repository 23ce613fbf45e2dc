package logprobs

import (
	"cmp"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators/offpolicy"
	"vantage/loaders/compressed/torchfile"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// dump is a rollout of slime or miles as they save it with torch.save: what was sampled, and what was trained of it, in one file or one
// of each rank.
type dump struct {
	root  string // folder of the run, relative
	id    int    // as the files' names have it
	files []string
}

// The folders of --dump-details. With --save-debug-rollout-data and --save-debug-train-data they may be any.
const (
	rolloutFolder = "rollout_data"
	trainFolder   = "train_data"
)

// dumpName is a name that ends in the number of a rollout, or in that and a rank.
var dumpName = regexp.MustCompile(`(?:^|[^0-9])([0-9]{1,15})(?:_[0-9]{1,9})?\.pt$`)

// dumpsOf are the rollouts in some folders, in their order, each with its files.
func (r *reader) dumpsOf(folders []string) (dumps []*dump) {
	type rolloutKey struct {
		root string
		id   int
	}
	found := map[rolloutKey]*dump{}
	for _, folder := range folders {
		entries, err := r.disk.ReadDir(filepath.Join(r.dir, folder))
		if err != nil {
			continue // the listing skips it, too
		}
		root := folder
		if isDumpFolder(folder) {
			root = filepath.Dir(folder)
		}
		for _, e := range entries {
			id, ok := rolloutOf(e.Name())
			if !ok || !e.Type().IsRegular() || len(found) >= MaxFiles {
				continue
			}
			d := found[rolloutKey{root, id}]
			if d == nil {
				d = &dump{root: root, id: id}
				found[rolloutKey{root, id}], dumps = d, append(dumps, d)
			}
			d.files = append(d.files, filepath.Join(folder, e.Name()))
		}
	}
	slices.SortStableFunc(dumps, func(a, b *dump) int {
		return cmp.Or(discover.CompareNatural(a.root, b.root), cmp.Compare(a.id, b.id))
	})
	for _, d := range dumps {
		slices.SortFunc(d.files, discover.CompareNatural)
	}
	return dumps
}

// rolloutOf is the number of the rollout that a file's name ends in, before that of a rank. Evaluations have other names.
func rolloutOf(name string) (id int, ok bool) {
	m := dumpName.FindStringSubmatch(name)
	if m == nil || strings.HasPrefix(name, "eval") {
		return 0, false
	}
	id, err := strconv.Atoi(m[1])
	return id, err == nil
}

func isDumpFolder(folder string) bool {
	return filepath.Base(folder) == rolloutFolder || filepath.Base(folder) == trainFolder
}

// dumpKeys are those whose numbers are read where they are lists and not tensors.
func dumpKeys() []string {
	return []string{
		"rollout_log_probs", "log_probs", "loss_mask", "loss_masks", "advantages", "sample_indices", "response_lengths", "total_lengths",
		"max_seq_lens",
	}
}

// sampled is a sample of a rollout.
type sampled struct {
	file     string
	line     int64 // in the file, from 1
	index    int64
	group    string
	versions *offpolicy.Versions // as logged
	sampler  torchfile.Value
	mask     torchfile.Value
}

// trained is what a rank trained of a sample: all of its tokens, or those of the rank.
type trained struct {
	file     string
	line     int64 // in the file, from 1
	index    int64
	indexed  bool  // whether its index is known
	position int64 // in the rollout, or -1

	sampler, trainer, mask, advantages torchfile.Value

	writer        string
	length, total int64 // tokens of the response, and with the prompt
	slices        slicing
}

// readDump visits the samples of one rollout, in its order.
func (r *reader) readDump(d *dump) error {
	var rollout []sampled
	var parts []trained
	step := d.id
	var open []fileio.Handle
	defer func() {
		for _, file := range open {
			_ = file.Close()
		}
	}()
	for _, name := range d.files {
		file, err := r.disk.Open(r.path(name))
		if err != nil {
			return err
		}
		open = append(open, file) // its tensors are read below
		info, err := file.Stat()
		if err != nil {
			return err
		}
		pickle, err := torchfile.OpenDump(file, info.Size(), dumpKeys()...)
		if err != nil {
			r.skip(name, err)
			continue
		}
		if id, ok := pickle.Field("rollout_id").Int(); ok && plausible(id) {
			step = int(id)
		}
		samples, ranks := pickle.Field("samples"), pickle.Field("rollout_data")
		switch {
		case ranks.IsThere():
			parts = append(parts, ofRank(name, pickle, ranks)...)
		case samples.At(0).Field("response_lengths").IsThere() || samples.At(0).Field("log_probs").IsThere():
			parts = append(parts, ofSamples(name, samples)...)
		default:
			rollout = append(rollout, ofRollout(name, samples)...)
		}
	}
	if r.clocks[d.root] == nil {
		r.clocks[d.root] = &clock{}
	}
	versions := r.clocks[d.root]
	versions.begin(step, rollout)
	for _, row := range joined(rollout, parts) {
		s := row.sample(step, versions)
		if row.sampled != nil {
			s.Where = Where{Path: r.path(row.file), At: row.line - 1, Number: true}
		}
		if err := r.emit(s); err != nil {
			return err
		}
	}
	return nil
}

// ofRollout are the samples of rollout_data/{id}.pt.
func ofRollout(name string, samples torchfile.Value) (all []sampled) {
	for i := range samples.Len() {
		x := samples.At(i)
		s := sampled{file: name, line: int64(i) + 1, index: int64(i), sampler: x.Field("rollout_log_probs"), mask: x.Field("loss_mask")}
		if index, ok := x.Field("index").Int(); ok {
			s.index = index
		}
		if group, ok := x.Field("group_index").Int(); ok {
			s.group = strconv.FormatInt(group, 10)
		}
		turns := x.Field("weight_versions")
		first, known := turns.At(0).Int()
		last, too := turns.At(turns.Len() - 1).Int()
		if known && too && plausible(first) && plausible(last) {
			s.versions = &offpolicy.Versions{First: int(first), Last: int(last)}
		}
		all = append(all, s)
	}
	return all
}

// ofSamples are the samples of slime's train_data/{id}.pt, which has all ranks.
func ofSamples(name string, samples torchfile.Value) (all []trained) {
	for i := range samples.Len() {
		x := samples.At(i)
		t := trained{
			file: name, line: int64(i) + 1, position: -1, writer: "slime",
			sampler: x.Field("rollout_log_probs"), trainer: x.Field("log_probs"), mask: x.Field("loss_masks"),
			advantages: x.Field("advantages"),
		}
		t.index, t.indexed = x.Field("sample_index").Int()
		if position, ok := x.Field("rollout_position").Int(); ok {
			t.position = position
		}
		t.length, _ = x.Field("response_lengths").Int()
		t.total, _ = x.Field("total_lengths").Int()
		all = append(all, t)
	}
	return all
}

// ofRank are the samples of miles' train_data/{id}_{rank}.pt, a list for each field.
func ofRank(name string, pickle *torchfile.Dump, lists torchfile.Value) (all []trained) {
	size, _ := pickle.Field("cp_size").Int()
	rank, _ := pickle.Field("cp_rank").Int()
	writer := "" // slime's were the same, until its format 2
	if size > 0 {
		writer = "miles"
	}
	n := max(lists.Field("response_lengths").Len(), lists.Field("rollout_log_probs").Len(), lists.Field("log_probs").Len())
	for i := range n {
		field := func(key string) torchfile.Value { return lists.Field(key).At(i) }
		t := trained{
			file: name, line: int64(i) + 1, position: -1, writer: writer,
			sampler: field("rollout_log_probs"), trainer: field("log_probs"), mask: field("loss_masks"), advantages: field("advantages"),
			slices: slicing{size: size, rank: rank},
		}
		t.index, t.indexed = field("sample_indices").Int()
		t.length, _ = field("response_lengths").Int()
		t.total, _ = field("total_lengths").Int()
		t.slices.padded, _ = field("max_seq_lens").Int()
		all = append(all, t)
	}
	return all
}

// joint is a sample with all that ranks trained of it; either may be missing.
type joint struct {
	*sampled
	parts []trained
	order int // in the rollout
}

// joined are the samples of a rollout, each with what was trained of it, and what was trained of none. Ranks that trained the same
// sample are together: each has a slice of its tokens, or all of them. A file that has a sample twice trained it twice.
func joined(rollout []sampled, parts []trained) (all []*joint) {
	places := map[int64][]int{} // of an index in the rollout
	for i, s := range rollout {
		places[s.index] = append(places[s.index], i)
	}
	type key struct {
		index int64
		nth   int
	}
	type seen struct {
		file  string
		index int64
	}
	rows, times, used := map[key]*joint{}, map[seen]int{}, make([]bool, len(rollout))
	for _, t := range parts {
		if !t.indexed {
			all = append(all, &joint{parts: []trained{t}, order: len(rollout)})
			continue
		}
		k := key{t.index, times[seen{t.file, t.index}]}
		times[seen{t.file, t.index}]++
		if row := rows[k]; row != nil {
			row.parts = append(row.parts, t)
			continue
		}
		row := &joint{parts: []trained{t}, order: len(rollout)}
		if indexes := places[t.index]; len(indexes) > 0 {
			row.order = indexes[min(k.nth, len(indexes)-1)]
		}
		if t.position >= 0 && t.position < int64(len(rollout)) && rollout[t.position].index == t.index {
			row.order = int(t.position)
		}
		if row.order < len(rollout) {
			row.sampled, used[row.order] = &rollout[row.order], true
		}
		rows[k], all = row, append(all, row)
	}
	for i := range rollout {
		if !used[i] {
			all = append(all, &joint{sampled: &rollout[i], order: i})
		}
	}
	slices.SortStableFunc(all, func(a, b *joint) int { return cmp.Compare(a.order, b.order) })
	return all
}

// sample is the row of a sample at a step. A number that no rank has is NaN.
func (j *joint) sample(step int, versions *clock) Sample {
	s := Sample{Row: offpolicy.Row{Advantage: offpolicy.NoAdvantage()}, Step: step}
	if j.sampled != nil {
		s.File, s.Line, s.ID, s.Group = j.file, j.line, strconv.FormatInt(j.index, 10), j.group
		versions.age(&s, j.versions)
	}
	if len(j.parts) == 0 {
		s.Sampler, _ = j.sampler.Numbers()
		trains, _ := j.mask.Numbers()
		s.Mask = truths(trains)
		return s
	}
	t := j.parts[0]
	for _, other := range j.parts { // of a pipeline the last rank alone has them
		if !t.trainer.IsThere() {
			t = other
		}
	}
	s.File, s.Line, s.Writer = t.file, t.line, t.writer
	if t.indexed {
		s.ID = strconv.FormatInt(t.index, 10)
	}
	advantages := j.numbers(t, func(t trained) torchfile.Value { return t.advantages })
	s.Sampler = j.numbers(t, func(t trained) torchfile.Value { return t.sampler })
	s.Trainer = j.numbers(t, func(t trained) torchfile.Value { return t.trainer })
	s.Mask = truths(j.numbers(t, func(t trained) torchfile.Value { return t.mask }))
	if s.Sampler == nil && j.sampled != nil {
		s.Sampler, _ = j.sampler.Numbers()
	}
	s.Advantage = advantageOf(advantages, s.Mask)
	return s
}

// numbers are those of a sample: of one rank, or of the slices of several.
func (j *joint) numbers(t trained, of func(trained) torchfile.Value) []float32 {
	numbers, _ := of(t).Numbers()
	isWhole := t.slices.size <= 1 || int64(len(numbers)) == t.length
	if isWhole || t.length < 0 || t.length > maxTokens {
		return numbers
	}
	var whole []float32
	for _, part := range j.parts {
		numbers, ok := of(part).Numbers()
		if !ok {
			continue
		}
		if whole == nil {
			whole = unknown(t.length)
		}
		first, second := part.slices.of(part.length, part.total)
		if int64(len(numbers)) != first.len()+second.len() || max(first.to, second.to) > t.length {
			return numbers // of no slice that is known: the lengths differ
		}
		copy(whole[first.from:first.to], numbers)
		copy(whole[second.from:second.to], numbers[first.len():])
	}
	return whole
}

// maxTokens bounds the tokens of a response.
const maxTokens = 1 << 24

func unknown(n int64) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(math.NaN())
	}
	return out
}

// slicing is how a sequence is split between the ranks of a context: in twice as many parts as ranks, of which each has one from the
// start and one from the end, and of these the tokens of the response. miles 31f1ca961 miles/backends/training_utils/cp_utils.py.
type slicing struct{ size, rank, padded int64 }

type span struct{ from, to int64 }

func (s span) len() int64 { return s.to - s.from }

// of are the tokens of a response that a rank has, of a sequence of total tokens. A log-prob belongs to the token before, which
// computed it.
func (s slicing) of(response, total int64) (first, second span) {
	prompt := total - response
	parts := 2 * s.size
	length := total
	if s.padded > 0 {
		length = s.padded
	}
	isWrong := s.rank < 0 || s.rank >= s.size || prompt < 0 || response < 0 || length > maxTokens || s.size > maxTokens
	if isWrong {
		return span{}, span{}
	}
	chunk := (length + parts - 1) / parts
	part := func(i int64) span {
		from, to := max(i*chunk, prompt-1), min((i+1)*chunk, total-1)
		if from >= to {
			return span{}
		}
		return span{from - prompt + 1, to - prompt + 1}
	}
	return part(s.rank), part(parts - 1 - s.rank)
}

// clock counts the versions of slime and miles: how often the weights of the engine were updated since its process began, once before
// the first rollout. A process that resumes begins again.
type clock struct {
	begun  bool
	base   int // the rollout at which the process began
	newest int // version that was seen
}

// begin looks at the versions of the next rollout.
func (c *clock) begin(step int, rollout []sampled) {
	newest, known := 0, false
	for _, s := range rollout {
		if s.versions != nil {
			newest, known = max(newest, s.versions.First, s.versions.Last), true
		}
	}
	if !known {
		return
	}
	isRestart := c.begun && newest < c.newest
	if isFirst := !c.begun && step > 0 && newest <= 1; isFirst || isRestart {
		c.base = step + 1 - newest
	}
	c.begun, c.newest = true, newest
}

// age is that of a sample of versions as logged.
func (c *clock) age(s *Sample, logged *offpolicy.Versions) {
	if logged == nil {
		return
	}
	lag := s.Step - c.base + 1 - min(logged.First, logged.Last)
	s.aged(lag, max(logged.First, logged.Last)-min(logged.First, logged.Last))
}
