package decode

import "vantage/model"

// Decoder reads the records of one file in order.
type Decoder interface {
	// Decode appends the samples of a record to dst; the caller sets File, Line, Offset and IndexInLine.
	// It keeps nothing of the record's memory. An error is a short sentence for a person; dst is
	// then returned unchanged.
	Decode(dst []model.Record, record []byte) ([]model.Record, error)

	// Note describes the records so far.
	Note() Note
}

// Note says what a decoder found in its file.
type Note struct {
	Provenance string // one sentence: which fields were taken for what
	LengthUnit model.LengthUnit
	Components []string // names of Record.Components, in their order; later ones are only added
	HasTruth   bool     // prompts are told apart by their ground truth too
	HasTotal   bool     // rewards are a field of the log

	SumsComponents bool // rewards are the sum of the components, any number being taken for one

	Missing []string // columns that a person named and no row has had so far
}
