// Package formats knows the logs of trainers: how each is recognised and how it is read.
//
// In: the first bytes of a file, then its first record. Out: the [Format] that fits best, and from that
// a decoder. Package loaders calls [DetectFraming], [Detect] and [Format.NewDecoder] for every file.
//
// # A new format
//
// It takes one file, one line and one folder:
//
//  1. NAME.go: a function that returns a [Format]. verl.go is a short one to start from. Its comment
//     says what the trainer writes, with repository, revision and lines of the code that writes it.
//  2. A line in [All], in formats.go.
//  3. testdata/NAME: a log of a few samples that you made, under the path that the trainer gives it,
//     and want.csv with the samples that a person reads in it: a row each, with the columns step, group,
//     prompt, reward, advantage and length (empty or NaN where there is none), then one for each reward
//     component.
//
// Then the tests say what is missing, and the other commands write the line in the documentation, and the head of the page of its
// trainer, which trainerPages in loaders/commands/trainerpages_test.go names:
//
//	go test ./loaders/...
//	go test ./loaders/formats -run FormatsPage -update
//	go test ./loaders/commands -run TrainerPages -update
//
// # What a format must say
//
// Mostly a trainer writes lines of JSON, one per sample. Then a format is Sniff, by the keys of a
// row, and Fields, the names of the fields, as decode/fields.go explains them. More is needed where
//
//   - a record holds several samples, or one that is not in plain fields: a Layout, as
//     decode/layouts.go explains it; roll.go uses one that is there, prime.go writes its own
//   - records are blocks of text: Framing.RecordPrefix and a Layout; see easyr1.go
//   - the file is one JSON document: Framing.Whole and a Layout; see rllm.go
//   - the file is CSV: Framing.Quoted, and ReadCell for cells of another kind; see tunix.go
//   - the file is Parquet: Framing.Table; see trl.go
//
// Rows of large logs are read by package decode/fast, several times as fast, if the format has neither
// a Layout nor MayRepeatRows, and a Framing of lines. Prefer names to a Layout where both would do.
//
// Score is 80 to 90 if Sniff knows keys that only this trainer writes, 60 or 70 if others may write
// them too, 10 to 20 for the formats that anyone writes.
package formats
