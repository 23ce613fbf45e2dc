//go:build !lean

package commands

import (
	"vantage/loaders/clickhouse"
)

// openTable opens a table of ClickHouse.
func (p *Program) openTable(paths []string, follow bool) (Source, error) {
	t, err := parseTable(paths)
	if err != nil {
		return nil, err
	}
	password, err := p.passwordFor(paths[0], t)
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(paths[0], clickhouse.Options{Follow: follow, Password: password, Columns: p.columns, MemoryLimit: p.MemoryLimit})
}
