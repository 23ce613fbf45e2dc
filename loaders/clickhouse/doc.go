// Package clickhouse reads the samples of a run from a table of a ClickHouse server or cluster.
//
// In: an address, clickhouse://user@host:9440/database/table?run=NAME. Out: the same [model.Chunk]s as
// package loaders makes of a file of the same rows. Package commands calls it.
//
//	target.go     where the table is, and how the way there is encrypted; package address reads addresses
//	mapping.go    which column plays which role, by the names that files have
//	query.go      the few statements that are sent: nothing is computed by the server but counts
//	tally.go      how many rows each attempt and each split has of a step
//	choice.go     which of them are read: the newest attempt, training
//	leftout.go    what is said of the others
//	doubled.go    what is said of rows that may have been written twice
//	source.go     Source: Next, Text, Close
//	reading.go    what runs behind it: connect, count, read step after step, then look for changes
//	rows.go       a block of groups with an array per column → the rows of a step
//	fetch.go      steps in portions; limits of the server
//	deliver.go    whole steps → chunks
//	texts.go      the texts of an opened group
//	changes.go    which steps have changed
//	sentences.go  what a person is told if something fails
//
// Rows are read in whole steps, at most two million at a time, and only the columns that are mapped. A step is
// handed over when all its rows have come; an error never becomes fewer rows. Nothing is ever written.
package clickhouse
