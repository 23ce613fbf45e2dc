// Package clickhousetest starts ClickHouse servers for tests, on this machine, with tables that the tests fill.
//
// In: how many servers. Out: a [Cluster] of them, which ends with the test; where there is no engine, the test is
// skipped. The tests of package clickhouse call it.
package clickhousetest
