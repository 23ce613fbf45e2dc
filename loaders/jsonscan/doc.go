// Package jsonscan finds the fields of a JSON record without decoding them: most of a log is
// model text of which only the end and the length are needed.
//
// In: a record. Out: [Value]s that point into it; [ScanObject] visits the fields of an object, and the
// methods of Value convert those that a caller wants. Packages decode and formats call it, decode/fast
// for what its template does not cover, and fileio for [Hash64]. Package strspan measures strings, 64
// bytes at a time.
package jsonscan
