// Package frames finds places in a zstd file (RFC 8878) from which it can be unpacked
// again: an unpacker begins at the begin, so that the last row of a log of a gigabyte is
// a second away.
//
// A file is one or more frames, and each can be unpacked by itself. But most files are a
// single one: a row of blocks of at most 128 KB. A block may refer back to a window of
// text before it, use the tables of codes that a block before it came with, and name one
// of the last three distances that anything was copied from. All of that is the state
// of an unpacker, which it shows nobody.
//
// So it is brought about. A [Mark] stands between two blocks. From there an unpacker is
// given a frame that is made for it:
//
//	zeros                         something that distances can lead to
//	primer                        the blocks of the file that stand before the mark, from one that
//	                              comes with tables of its own: the text is wrong, tables and distances are right
//	window                        the text before the mark, as blocks that are not compressed
//	blocks behind the mark        as they stand in the file
//
// Tables are right since the first block of the primer brings all of them. Distances are
// right if the primer replaces those that an unpacker begins with. To know that, and what is
// copied from where, the copies of blocks are read, which takes a fraction of unpacking them.
//
// A window is mostly 2 MB, and marks should be no more than some megabytes apart, for an
// unpacker passes one in a millisecond. But few bytes of a window are ever copied by the blocks
// behind it: three to five in a hundred, in logs of model text. So a [Marker] draws a mark
// while the blocks behind it come: it takes down what they copy from before the mark, leaves
// the rest of the window zero, and is left with 100 KB or less.
package frames
