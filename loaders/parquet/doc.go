// Package parquet reads the samples of Parquet files as [decode.RowDecoder] would decode their
// rows. Where every column that means something is flat and its role the same in all rows, it
// reads columns, into blocks, through package pages; all else it reads row by row through
// parquet-go. [CellCache] finds the texts of one row again.
package parquet
