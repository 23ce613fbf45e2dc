package decode

import (
	"vantage/model"
)

// Decoder reads the lines of one file in order.
type Decoder interface {
	// Decode appends the records of a line to dst; File, Line and Offset are set
	// by the caller. It keeps nothing of the line's memory. An error is a short
	// sentence for a person, and dst is then returned as it came.
	Decode(dst []model.Record, line []byte) ([]model.Record, error)

	// Note describes what has been read so far.
	Note() Note
}

// Note is what a decoder found out about its file.
type Note struct {
	Provenance string // one sentence: which fields were taken for what
	LengthUnit model.LengthUnit
	Components []string // names that Record.Components is in the order of; only grows
	HasTruth   bool     // prompts are told apart by their ground truth too
	Missing    []string // columns that a person named and no row has had so far
}
