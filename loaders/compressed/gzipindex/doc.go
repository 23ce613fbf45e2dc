// Package gzipindex decompresses gzip files and can resume in the middle, like zran.c of
// zlib. Other readers start at the start, so the last row of a gigabyte is seconds away.
//
// A gzip file (RFC 1952) is one or more members, each a stream of blocks (RFC 1951). A
// block may refer back to the 32 KB of text before it, wherever they came from. A
// [Checkpoint] is therefore the bit at which a block begins, and those 32 KB.
package gzipindex
