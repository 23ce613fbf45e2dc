// Package address says what the address of a table of ClickHouse names. It connects to nothing.
//
// In: clickhouse://user@host:9440/database/table?run=NAME. Out: a [Target]. Packages commands and clickhouse call it.
package address
