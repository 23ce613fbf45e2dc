// Package cache keeps the bytes of a storage that were read: the last ones in memory, and more of them on the disk.
//
// In: any [vantage/loaders/fileio.Storage]. Out: one that asks it for each byte once ([Wrap]). It divides files into blocks of a
// megabyte, and those into pages; asks for pages that are missing in as few requests as it can; asks for what comes next in a
// file that is read through, and for files that are read next, before they are read. What it keeps is known by storage, path,
// size and version of the file: one that changed is another file here. Package storage calls it.
package cache
