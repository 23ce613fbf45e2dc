// Package decode turns one record of a log into samples.
//
// In: a record, as package framing cuts it. Out: [model.Record]s, and a [Note] that says which fields
// were taken for what. A [Decoder] belongs to one file and reads its records in order. Package formats
// makes it, package loaders calls it; packages parquet and decode/fast share its rules and its memory of
// prompts, so that they give the same samples.
//
// What a log means is decided by the names of its fields:
//
//	fields.go   the roles that a field can play, and which names play them in a format
//	names.go    the usual names of each role, and those of reward components
//	layouts.go  where the samples of a record are
//	row.go      RowDecoder: fields of a row → sample
//
// Each other file does a part of that: components, prompts, lengths, conversations, CSV.
package decode
