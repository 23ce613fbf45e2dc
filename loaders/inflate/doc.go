// Package inflate unpacks gzip files, and remembers places from which it can do so
// again: the standard library's reader, and others, only begin at the begin, so that
// the last row of a log of a gigabyte is seconds away.
//
// A gzip file (RFC 1952) is one or more members, each a stream of blocks (RFC 1951). A
// block may refer back to the 32 KB of text before it, wherever they came from. A
// [Mark] is therefore the bit at which a block begins, and those 32 KB.
package inflate
