// Package formats knows the logs of trainers: how each is recognised and how it is read.
//
// In: the first bytes of a file, then its first record. Out: the [Format] that fits best, and from that
// a decoder. Package loaders calls [DetectFraming], [Detect] and [Format.NewDecoder] for every file.
//
// # A new format
//
// It takes an entry, a name and a folder:
//
//  1. An entry in the list of the chapter for its shape: lines.go, groups.go, episodes.go, agents.go, tables.go or texts.go. areal, in
//     lines.go, is a short one to start from. Its comment says what the trainer writes, with repository, revision and
//     lines of the code that writes it.
//  2. Its name in the order of [All].
//  3. testdata/NAME: a log of a few samples that you made, under the path that the trainer gives it,
//     and want.csv with the samples that a person reads in it: a row each, with the columns step, group,
//     prompt, reward, advantage and length (empty or NaN where there is none), then one for each reward
//     component.
//
// Then the tests say what is missing, and the other commands write the line in the documentation, and the head of the page of its
// trainer, which trainerPages in internal/commands/trainerpages_test.go names:
//
//	go test ./loaders/...
//	go test ./loaders/formats -run FormatsPage -update
//	go test ./internal/commands -run TrainerPages -update
//
// # What a format must say
//
// Mostly a trainer writes lines of JSON, one per sample. Then a format is Keys, those of a row, and
// Fields, the names of the fields, as decode/fields.go explains them. More is needed where
//
//   - keys are not enough to tell it: Sniff; see verifiers
//   - a record holds several samples, or one that is not in plain fields: a Layout, as
//     decode/layouts.go explains it; roll uses one that is there, prime writes its own
//   - records are blocks of text: Framing.RecordPrefix and a Layout; see easyr1
//   - the file is one JSON document: Framing.Whole and a Layout; see rllm
//   - the file is CSV: Framing.Quoted, and ReadCell for cells of another kind; see tunix
//   - the file is Parquet: Framing.Table; see trl
//
// Rows of large logs are read by package decode/fast, several times as fast, if the format has neither
// a Layout nor MayRepeatRows, and a Framing of lines. Prefer names to a Layout where both would do.
//
// Score is 80 to 90 if Keys are some that only this trainer writes, 60 or 70 if others may write
// them too, 10 to 20 for the formats that anyone writes.
package formats

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// Format is one kind of log: how it is recognised and how it is read. A field that does not apply is
// left out.
type Format struct {
	Name          string // as --input-format spells it: "verl"
	Framework     string // the trainer's arithmetic, as estimators.Frameworks spells it; "" if it has none or anyone writes the format
	Doc           string // one sentence: who writes it, and what it looks like
	TrainerOption string // what makes the trainer write it
	File          string // where it writes it: "DIR/{step}.jsonl", with DIR as in the option and {train,eval} for one of these
	Open          string // what to open then: "DIR"; by default the folder before the first part of File that varies
	Origin        Origin // who writes it

	// Framing is how a file is cut into records; its zero value cuts lines.
	Framing framing.Framing

	// A file is of this format if its first record has all Keys, which are columns of a table, and Sniff accepts it: one of
	// the two may be missing. Of several formats the one with the highest Score reads the file, and of equal ones the
	// first in the list.
	Score int
	Keys  Keys
	Sniff func(first *First) bool

	// Fields says which fields of a row are its reward, its step, its prompt and so on.
	Fields *decode.Fields

	// Layout finds the samples of a record, if it is not a JSON object or a CSV row with one sample.
	Layout decode.Layout

	// ReadCell reads the cells of a CSV table that are neither text nor number.
	ReadCell decode.CellReader

	// Positional says that rows of a group stand together, so that rows without prompt and group id
	// may be grouped by their position.
	Positional bool

	// Twin is the extension of a file that the trainer writes for each of these, with the same samples and maybe more: ".pt". Its name is
	// the same otherwise, and it lies in the same folder or in one beside that. Where it is, the file of this format is left out.
	Twin string

	// VersionFolders says that the trainer has a folder for each version of the policy, whose name is only a number: those next to each
	// other are of one run, where those of other trainers are runs of a sweep.
	VersionFolders bool

	// StepOfPath says that the path of a file tells the step at which its rows trained, where their fields tell another one.
	StepOfPath bool

	// MayRepeatRows says that the trainer logs the same block of rows for several steps.
	MayRepeatRows bool

	// Evaluation says where the trainer writes the rows of evaluations, if the log does not tell them
	// from those of training.
	Evaluation Evaluation

	columns decode.Columns               // that a person named
	wants   func(isEvaluation bool) bool // see WithSplit
}

// Command returns the first command for a log of that format.
func (f *Format) Command() string { return "vantage " + f.Open }

// Evaluation is where a trainer writes the rows of an evaluation.
type Evaluation int

// The places.
const (
	Elsewhere         Evaluation = iota // in files of their own, or with a mark
	OverTrainingRows                    // over the training rows of their step, in the same file
	AfterTrainingRows                   // after the training rows of their step, as rows of that step
	Marked                              // in the same file, marked by a field that Fields tell as [decode.Evaluated]
	NothingElse                         // the trainer writes evaluations alone, unless the name of the file has the word train
)

// Evaluates reports whether what is read of a file of the format is of evaluations, by its path or as these alone are asked for.
func (f *Format) Evaluates(name string) bool {
	return f.evaluatesAlone(name) || f.wants != nil && !f.wants(false)
}

func (f *Format) evaluatesAlone(name string) bool {
	return discover.IsValidation(name) || f.Evaluation == NothingElse &&
		!strings.Contains(strings.ToLower(path.Base(filepath.ToSlash(name))), "train")
}

// Origin is who writes a format.
type Origin int

// A trainer's own log is preferred to the other files in its directory.
const (
	FromTrainer Origin = iota
	FromLogger         // a copy that a logging service keeps, maybe beside the trainer's own log
	FromAnyone         // any program may write such a file
)

// NewDecoder returns a decoder of one file. Its name is relative to the opened path.
func (f *Format) NewDecoder(name string) decode.Decoder {
	r := decode.NewRowDecoder(f.Fields, name)
	r.Layout, r.HashResponses, r.StepOfPath = f.Layout, f.MayRepeatRows, f.StepOfPath
	if !f.evaluatesAlone(name) {
		r.Wants = f.wants
	}
	if f.Framing.Quoted {
		return decode.NewCSVDecoder(r, f.ReadCell)
	}
	return r
}

// MayBePadded reports whether a row of the format may have a list of tokens that is filled up: see decode.PaddingOf.
func (f *Format) MayBePadded(row []byte) bool {
	return f.Layout == nil && f.Framing == framing.Framing{} && decode.MayBePadded(f.Fields, row)
}

// RowsNeeded returns how many rows of the format, of which this is the first, show how they are to be read: see decode.PaddingOf and
// decode.CountingSteps.
func (f *Format) RowsNeeded(row []byte) int {
	switch {
	case f.countsSteps() && decode.MayMiscount(f.Fields, row):
		return decode.StepRows
	case f.MayBePadded(row), f.mayCountCharacters(row):
		return decode.PaddedRows
	}
	return 0
}

// mayCountCharacters reports whether the length of a row is that of a response in characters, which is too short to tell.
func (f *Format) mayCountCharacters(row []byte) bool {
	if !f.countsSteps() || f.Framing != (framing.Framing{}) {
		return false
	}
	ok, isSure := decode.CountsCharacters(f.Fields, [][]byte{row})
	return ok && !isSure
}

// countsSteps reports whether the fields of the format are under names that mean what a program likes.
func (f *Format) countsSteps() bool { return f.Origin == FromAnyone && f.Layout == nil }

// CountingSteps returns the format with fields that take the step from what counts it in the first rows of a log.
func (f *Format) CountingSteps(rows [][]byte) *Format {
	if !f.countsSteps() {
		return f
	}
	fields := decode.CountingSteps(f.Fields, rows)
	if fields == f.Fields {
		return f
	}
	with := *f
	with.Fields = fields
	return &with
}

// order names the formats, the more particular ones first.
const order = `
	verl easyr1 trl ms-swift ms-swift-ray nemo-rl roll skyrl areal areal-text prime-rl prime-hosted verifiers open-instruct tinker rllm
	slime tunix unstable-baselines trl-table trackio trackio-traces wandb-table art art-lines nemo-gym agilerl harbor miles atropos torchtitan
	agent-lines group-lines picked-lines step-data jsonl json csv parquet group-parquet`

// All returns every format, in their order.
func All() []Format {
	unordered, names := slices.Concat(lines(), groups(), episodes(), tables(), texts(), []Format{agents()}), strings.Fields(order)
	all := make([]Format, len(unordered))
	for _, f := range unordered {
		all[slices.Index(names, f.Name)] = f
	}
	for i := range all {
		if f := &all[i]; f.Open == "" {
			fixed, _, varies := strings.Cut(f.File, "{")
			if f.Open = fixed; varies {
				f.Open = path.Dir(fixed + "x")
			}
		}
	}
	return all
}

// noting returns fields of which a caveat says why the numbers may mislead: "; " and a reason.
func noting(caveat string, fields *decode.Fields) *decode.Fields {
	fields.Caveat = func([]string) string { return caveat }
	return fields
}

// UsualFields returns the fields of a format that anyone writes. Reward functions return a total beside its
// parts, as EasyR1's return overall; score and sum may as well be parts.
func UsualFields() *decode.Fields {
	f := decode.UsualNames()
	f.AnyLength = true
	for _, within := range []string{"metadata", "meta", "extra_info", "extra", "info"} {
		f.AlsoWithin(within, nestedNames())
		f.AlsoWithin(within, decode.Names{decode.RoleReward: {"reward", "total_reward"}, decode.RoleStep: {"model_version", "policy_version"}})
	}
	f.AlsoWithin("metadata", decode.Names{decode.RoleStep: {"step"}})
	f.AlsoWithin("meta", decode.Names{decode.RoleStep: {"step"}})
	f.Totals = []string{"overall", "total", "total_reward", "final_reward", "reward"}
	return f
}

// nestedNames are those that tell the step and the group in an object beside a sample too. A plain step may there be one of an episode, and
// an index the row of a data set, so that the first counts only where it is the metadata's.
func nestedNames() decode.Names {
	return decode.Names{
		decode.RoleStep:  {"global_step", "training_step", "train_step"},
		decode.RoleGroup: {"group_id", "uid"},
	}
}

// Find returns the format of that name.
func Find(name string) (Format, bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// WithColumns changes formats so that they prefer the columns that a person named, and returns them.
// The formats that anyone writes then also take a log in which such a column is all they know.
func WithColumns(formats []Format, c decode.Columns) []Format {
	if c.IsZero() {
		return formats
	}
	for i := range formats {
		f := &formats[i]
		f.Fields, f.columns = f.Fields.WithColumns(c), c
	}
	return formats
}

// WithSplit changes formats so that they give only some rows, where columns tell those of evaluations, and returns them. A trainer's own
// log is read as that writes it.
func WithSplit(formats []Format, wants func(isEvaluation bool) bool) []Format {
	marks := decode.Statuses{}
	for _, column := range discover.EvaluationColumns() {
		if column == "eval" { // it may be a score
			continue
		}
		marks[column] = map[string]model.Status{}
		for _, value := range discover.EvaluationValues(column) {
			marks[column][value] = decode.Evaluated
		}
	}
	for _, column := range []string{"type", "event"} { // which may be of much else
		marks[column] = map[string]model.Status{"eval": decode.Evaluated, "evaluation": decode.Evaluated, "validation": decode.Evaluated}
	}
	for i := range formats {
		f := &formats[i]
		if f.Origin == FromAnyone {
			f.Fields = f.Fields.Telling(marks)
		}
		if f.Origin == FromAnyone || f.Evaluation == Marked {
			f.wants = wants
		}
	}
	return formats
}

// First is the first record of a file. The Sniff of every format sees it.
type First struct {
	Name   string // of the file, relative to the opened path; "" of a stream
	Record []byte // complete; of a Parquet file the names of its columns, one a line

	isTable bool
	found   Keys // nil until it is asked for
}

// Keys are keys of a record, with the kinds of their values.
type Keys map[string]jsonscan.Kind

// anyKind is the kind of a value that may be any.
const anyKind = jsonscan.Absent

// keys returns keys of which the values may be of any kind.
func keys(names ...string) Keys {
	all := Keys{}
	for _, name := range names {
		all[name] = anyKind
	}
	return all
}

// keys returns the keys of the record, none if it is neither a table nor a JSON object. Columns of a table are of no kind.
func (f *First) keys() Keys {
	if f.found != nil {
		return f.found
	}
	f.found = Keys{}
	if f.isTable {
		for name := range bytes.SplitSeq(f.Record, []byte{'\n'}) {
			f.found[string(name)] = anyKind
		}
	} else if jsonscan.ScanObject(f.Record, func(k, v jsonscan.Value) { f.found[string(k.Raw)] = v.Kind }) != nil {
		f.found = Keys{}
	}
	return f.found
}

func (f *First) field(name string) jsonscan.Value {
	fields, _ := jsonscan.Pluck(f.Record, name)
	return fields[0]
}

func (f *First) has(key string) bool {
	_, ok := f.keys()[key]
	return ok
}

func hasReward(fields *decode.Fields, columns [][]byte) bool {
	return slices.ContainsFunc(columns, func(name []byte) bool {
		name = bytes.TrimSpace(name)
		p, ok := fields.Lookup(name)
		return ok && p.Role == decode.RoleReward || decode.IsComponentName(string(name))
	})
}

// DetectFraming returns how a file is cut into records, by its name and its first bytes: those of its
// first line if the name has no extension, else a few.
func DetectFraming(formats []Format, name string, first []byte) framing.Framing {
	if len(formats) == 1 {
		return formats[0].Framing // a person named the format
	}
	var prefixes []string
	for i := range formats {
		if prefix := formats[i].Framing.RecordPrefix; prefix != "" {
			prefixes = append(prefixes, prefix)
		}
	}
	return framing.Detect(name, first, prefixes...)
}

// Detect returns the format that fits the first record of a file best, nil if none does. It is one of
// formats, among those that cut records as the file was cut.
func Detect(formats []Format, name string, cut framing.Framing, record []byte) *Format {
	first := &First{Name: name, Record: record, isTable: cut.Table}
	var best *Format
	bestScore := 0
	for i := range formats {
		if formats[i].Framing != cut {
			continue
		}
		if score := formats[i].score(first); score > bestScore {
			best, bestScore = &formats[i], score
		}
	}
	return best
}

func (f *Format) score(first *First) int {
	fits := true
	for key, kind := range f.Keys {
		have, ok := first.keys()[key]
		fits = fits && ok && (kind == anyKind || kind == have)
	}
	switch {
	case fits && (f.Sniff == nil || f.Sniff(first)):
		return f.Score
	case f.Origin == FromAnyone && f.columns.AppearIn(first.Record):
		return 1
	}
	return 0
}
