// Package pages reads single columns of Parquet files, page by page, into plain
// slices: what a reader of logs needs, and nothing that a table library offers
// beside it. It knows columns of numbers, truth values and texts that are not nested,
// in the encodings and compressions that pandas, pyarrow, polars and datasets write;
// of the rest it says [ErrUnsupported], and somebody else reads the file.
//
// The format is that of https://parquet.apache.org/docs/file-format/: a file ends in
// a footer that says where each column of each group of rows stands; there, pages
// follow each other, each behind a header, the dictionary first.
//
// Everything that a file says of its own sizes is held against the sizes there are
// before memory is taken for it.
package pages
