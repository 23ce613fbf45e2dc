package commands

import (
	"vantage/loaders"
	"vantage/loaders/clickhouse"
	"vantage/loaders/discover"
)

// openTable opens a table of ClickHouse.
func (p *Program) openTable(paths []string, follow bool) (Source, error) {
	t, err := parseTable(paths)
	if err != nil {
		return nil, err
	}
	attempt, err := loaders.ParseAttempt(p.attempt)
	if err != nil {
		return nil, Usage(err)
	}
	password, err := p.passwordFor(paths[0], t)
	if err != nil {
		return nil, err
	}
	return clickhouse.Open(paths[0], clickhouse.Options{
		Follow: follow, Password: password, Columns: p.columns, Split: discover.Split(p.split), Attempt: int(attempt), MemoryLimit: p.MemoryLimit,
	})
}
