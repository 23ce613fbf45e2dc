// Package parquet reads the samples of Parquet files as [decode.RowDecoder] would decode their
// rows. Where every column that means something has the same role in all rows, and is flat or a
// conversation, it reads columns, into blocks; all else it reads row by row. Both read through package
// pages. [CellCache] finds the texts of one row again.
package parquet
