// Package sqlite reads the tables of SQLite databases that others write meanwhile. It locks nothing and writes nothing: neither the
// database nor the files -wal and -shm beside it are changed or created.
//
// In: the path of a database. Out: rows in the order of their ids. Package trackio calls it.
//
// A writer is not asked to wait, so a reader must notice that it was disturbed: [Database.Read] compares what tells a change before and
// after, and reads again. A transaction is in the log (-wal) that lies beside the database, or in the database: of the log only what was
// committed counts, as its checksums say. While a rollback journal lies beside the database its pages may be half of one
// transaction and half of another: then nothing is read.
//
// Numbers of pages, sizes and counts of a broken file are not believed. No SQL is run, and no index is used.
//
// Source: https://www.sqlite.org/fileformat2.html, the version of 2024.
package sqlite
