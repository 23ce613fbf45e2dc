// Package fileio opens files and says whether they have changed.
//
// In: a path. Out: a [Handle] for reading, and whether what was read before is still there
// ([File]); or a whole file in memory ([InMemory]). Source and the packages that read files call it.
package fileio
