// Package pages reads columns of Parquet files, page by page, into slices: numbers, bools and texts of flat
// columns, and values with their levels (as in the Dremel paper) of lists, structs and maps. For an encoding
// or a codec that it does not know it returns [ErrUnsupported].
//
// The format is https://parquet.apache.org/docs/file-format/: a file ends in a footer, which
// says where the chunk of each column of each row group lies. A chunk is a sequence of pages,
// each after a header, the dictionary first.
//
// Every size in a file is checked against the size of the file before memory is allocated for
// it.
package pages
