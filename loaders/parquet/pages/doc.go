// Package pages reads flat columns of Parquet files, page by page, into slices: numbers, bools
// and texts in the encodings and codecs that pandas, pyarrow, polars and datasets write by
// default. For all else it returns [ErrUnsupported], and the caller takes a general library.
//
// The format is https://parquet.apache.org/docs/file-format/: a file ends in a footer, which
// says where the chunk of each column of each row group lies. A chunk is a sequence of pages,
// each after a header, the dictionary first.
//
// Every size in a file is checked against the size of the file before memory is allocated for
// it.
package pages
