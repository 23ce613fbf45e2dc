// Package session holds what the screen saves about a run between two openings: marks with
// notes, and the last view. Sessions are values; [Encode] and [Decode] are their file format.
// Since no file of the run is written, marks refer to steps, groups and samples by what the
// log says of them, not by position in a file. The screen and userfiles call it.
package session
