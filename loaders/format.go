package loaders

import "vantage/model"

// Format is one kind of log: how it is recognised and how it is read. It is a
// value in the list of [Formats]; nothing registers.
type Format struct {
	Name          string // as --input-format spells it: "verl"
	Doc           string // one sentence: who writes it, and what it looks like
	TrainerOption string // what a trainer must be told so that it writes it

	// Framing is how the bytes of a file are cut into records; lines if nil.
	Framing Framing

	// Positional permits grouping by position: rows of a group stand together.
	Positional bool

	// MayRepeatRows says that the trainer logs the same block of rows for several steps.
	MayRepeatRows bool

	// Sniff says how well the first record of a file fits: 0 not at all, and the
	// highest score wins. The name is relative to the opened path. The record
	// is complete.
	Sniff func(name string, first []byte) int

	// Decode returns a decoder for one file.
	Decode func(name string) Decoder
}

// Decoder reads the lines of one file in order.
type Decoder interface {
	// Line appends the records of a line to dst; File, Line and Offset are set
	// by the caller. It keeps nothing of the line's memory. An error is a short
	// sentence for a person, and dst is then returned as it came.
	Line(dst []model.Record, line []byte) ([]model.Record, error)

	// Note describes what has been read so far.
	Note() Note
}

// Note is what a decoder found out about its file.
type Note struct {
	Provenance string // one sentence: which fields were taken for what
	LengthUnit model.LengthUnit
	Components []string // names that Record.Parts is in the order of; only grows
	HasTruth   bool     // prompts are told apart by their ground truth too
	Missing    []string // columns that a person named and no row has had so far
}
