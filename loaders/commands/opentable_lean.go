//go:build lean

package commands

import "vantage/loaders/leftout"

// openTable refuses: the protocol of ClickHouse is left out.
func (p *Program) openTable([]string, bool) (Source, error) {
	return nil, leftout.Error("which reads no tables of ClickHouse")
}
