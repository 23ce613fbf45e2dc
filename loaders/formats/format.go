package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// Format is one kind of log: how it is recognised and how it is read. A field that does not apply is
// left out.
type Format struct {
	Name          string // as --input-format spells it: "verl"
	Framework     string // the trainer's arithmetic, as estimators.Frameworks spells it; "" if it has none or anyone writes the format
	Doc           string // one sentence: who writes it, and what it looks like
	TrainerOption string // what makes the trainer write it
	File          string // where it writes it: "DIR/{step}.jsonl", with DIR as in the option and {train,eval} for one of these
	Open          string // what to open then: "DIR"
	Origin        Origin // who writes it

	// Framing is how a file is cut into records; its zero value cuts lines.
	Framing framing.Framing

	// Sniff reports whether the first record of a file is of this format. Of several formats the one
	// with the highest Score reads the file, and of equal ones the first in the list.
	Score int
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

	// MayRepeatRows says that the trainer logs the same block of rows for several steps.
	MayRepeatRows bool

	// Evaluation says where the trainer writes the rows of evaluations, if the log does not tell them
	// from those of training.
	Evaluation Evaluation

	columns decode.Columns // that a person named
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
)

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
	r.Layout, r.HashResponses = f.Layout, f.MayRepeatRows
	if f.Framing.Quoted {
		return decode.NewCSVDecoder(r, f.ReadCell)
	}
	return r
}
