package framing

import "bytes"

// CSVSeparator returns what separates the cells below a header: a comma, or a tab or a semicolon if
// it has more of these.
func CSVSeparator(header []byte) byte {
	best, most := byte(','), bytes.Count(header, []byte{','})
	for _, sep := range []byte{'\t', ';'} {
		if n := bytes.Count(header, []byte{sep}); n > most {
			best, most = sep, n
		}
	}
	return best
}

// SplitCSV appends the cells of a record to cells, without their quotes. They point into the record,
// except those with doubled quotes, which are copies.
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
	end, doubled := QuotedCellEnd(record, 1)
	if end < 0 {
		return record[1:], nil // the quote is never closed
	}
	cell, rest = record[1:end], record[end+1:]
	if doubled > 0 {
		cell = UnquoteCSV(cell)
	}
	if i := bytes.IndexByte(rest, sep); i >= 0 {
		return cell, rest[i+1:]
	}
	return cell, nil
}

// QuotedCellEnd returns the offset of the quote that ends the cell whose text begins at from, -1 if there is
// none, and how many quotes the text has, each of them doubled.
func QuotedCellEnd(p []byte, from int) (end, doubled int) {
	for at := from; ; doubled++ {
		i := bytes.IndexByte(p[at:], '"')
		if i < 0 {
			return -1, 0
		}
		if at += i; at+1 == len(p) || p[at+1] != '"' {
			return at, doubled
		}
		at += 2
	}
}

// UnquoteCSV returns the text of a cell that stood between quotes, in which each quote is doubled. It
// is a copy if there are any.
func UnquoteCSV(cell []byte) []byte {
	if bytes.IndexByte(cell, '"') < 0 {
		return cell
	}
	return bytes.ReplaceAll(cell, []byte(`""`), []byte{'"'})
}

// QuotedEnd returns where the newline stands that ends the record which p begins with, -1 if it does not end
// in p. inQuotes says that the record begins before p, and a quote was opened there.
func QuotedEnd(p []byte, inQuotes bool) int {
	for from := 0; ; {
		i := bytes.IndexByte(p[from:], '\n')
		if i < 0 {
			return -1
		}
		inQuotes = inQuotes != (bytes.Count(p[from:from+i], []byte{'"'})%2 == 1)
		if !inQuotes {
			return from + i
		}
		from += i + 1
	}
}
