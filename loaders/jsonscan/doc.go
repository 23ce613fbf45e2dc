// Package jsonscan finds the fields of a JSON record without decoding them: most of a log is
// model text of which only the end and the length are needed.
//
// In goes a record, out come [Value]s, which point into it: [ScanObject] visits the fields of an
// object, the methods of Value convert what a caller wants. Package decode and the formats call it,
// decode/fast for what its template does not cover, and fileio for [Hash64]. Subpackage strspan
// measures strings, 64 bytes at a time.
package jsonscan
