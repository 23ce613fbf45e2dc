package formats

import (
	"slices"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
)

// Format is one kind of log: how it is recognised and how it is read. It is a
// value in the list of [All]; nothing registers.
type Format struct {
	Name          string // as --input-format spells it: "verl"
	Doc           string // one sentence: who writes it, and what it looks like
	TrainerOption string // what a trainer must be told so that it writes it

	// Framing is how the bytes of a file are cut into records; lines if nil.
	Framing framing.Framing

	// Positional permits grouping by position: rows of a group stand together.
	Positional bool

	// MayRepeatRows says that the trainer logs the same block of rows for several steps.
	MayRepeatRows bool

	// Sniff says how well the first record of a file fits: 0 not at all, and the
	// highest score wins. The name is relative to the opened path. The record
	// is complete.
	Sniff func(name string, first []byte) int

	// NewDecoder returns a decoder for one file.
	NewDecoder func(name string) decode.Decoder
}

// IsTrainers reports whether a format is that of one trainer's log.
func (f *Format) IsTrainers() bool { return !f.IsGeneric() && f.Name != "wandb-table" }

// IsGeneric reports whether a format is nobody's own.
func (f *Format) IsGeneric() bool {
	return slices.Contains([]string{"jsonl", "json", "csv", "parquet"}, f.Name)
}
