// Package trackio shows the samples in a database of trackio as files: RUN/completions.jsonl with a line for each table that a run
// logged, and RUN/traces.jsonl with one for each trace, below the path of the database.
//
// In: the path of a database, also with a run behind it: trackio/math.db/brave-sun-0. Out: a [fileio.Storage], whose files grow as
// rows are added. The lines hold what trackio wrote, unchanged, so that formats and decoders see it as in any log; package sqlite
// reads the rows, and no text is kept. Source calls [Open].
//
// trackio 0.43.0 trackio/sqlite_storage.py: init_db, bulk_log, _split_trace_metrics.
package trackio
