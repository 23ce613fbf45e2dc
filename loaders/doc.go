// Package loaders turns the logs of RL trainers into chunks of samples. It and the packages below
// it are the only ones that open files.
//
// In: paths, directories, streams ([Open]). Out: chunks of columns and records, bounded in size and
// time ([Source.Next]), and the text of a sample ([Source.Text]). The commands and the demo call it.
//
// The way of a byte:
//
//	open.go, directory.go   paths → files           with discover: which logs a directory has
//	place.go                paths elsewhere         with storage: another node, a bucket
//	follow.go, events.go    files → queue           with watch: what to read next, and when
//	readfile.go             file → bytes            with fileio: what is new since the last read
//	filereader.go           bytes → records         with framing, formats and decode
//	worker.go, parallel.go  the same for the large rest of a file, with decode/fast
//	readpacked.go           gzip, zstd and Parquet  with compressed and parquet
//	chunk.go                records → chunks        duplicates.go and rundirs.go keep runs apart
//	evaluations.go          rows of evaluations     with evaluation: which tables are no training
//
// A bad line is counted and skipped. Files are opened for reading, read, and closed: no handle is held
// between two reads (except for a packed file that is being read), nothing is locked, nothing is
// written.
package loaders
