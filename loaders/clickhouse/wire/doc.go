// Package wire is a connection to a ClickHouse server by its native protocol.
//
// In: an address, a user, queries. Out: the blocks of their results, column by column. Package clickhouse calls it.
// The codec is that of github.com/ClickHouse/ch-go; what speaks it is here, since ch-go's own client links
// loggers and tracers for 2 MB.
//
// A result is whole or an error: a stream that ends without its last packet is [io.ErrUnexpectedEOF].
package wire
