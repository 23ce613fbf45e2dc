package framing

import (
	"bytes"
)

// CSVSeparator is a tab if the header has more of them than commas.
func CSVSeparator(header []byte) byte {
	if bytes.Count(header, []byte{'\t'}) > bytes.Count(header, []byte{','}) {
		return '\t'
	}
	return ','
}

// SplitCSV cuts a record into its cells, appends them to others and takes quotes off.
// A cell without quotes in it stays where it stands.
func SplitCSV(cells [][]byte, record []byte, sep byte) [][]byte {
	for {
		var cell []byte
		cell, record = nextCSVCell(record, sep)
		cells = append(cells, cell)
		if record == nil {
			return cells
		}
	}
}

// nextCSVCell returns the first cell and what follows its separator, nil at the end.
func nextCSVCell(record []byte, sep byte) (cell, rest []byte) {
	if len(record) == 0 || record[0] != '"' {
		i := bytes.IndexByte(record, sep)
		if i < 0 {
			return record, nil
		}
		return record[:i], record[i+1:]
	}
	record = record[1:]
	doubled := false
	for at := 0; ; {
		i := bytes.IndexByte(record[at:], '"')
		if i < 0 {
			return record, nil // never closed: the cell is all there is
		}
		at += i + 1
		if at < len(record) && record[at] == '"' {
			doubled = true
			at++
			continue
		}
		cell, rest = record[:at-1], record[at:]
		break
	}
	if doubled {
		cell = bytes.ReplaceAll(cell, []byte(`""`), []byte{'"'})
	}
	if i := bytes.IndexByte(rest, sep); i >= 0 {
		return cell, rest[i+1:]
	}
	return cell, nil
}
