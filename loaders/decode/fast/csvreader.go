package fast

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// CSVReader reads the rows of one CSV table whose cells are of the kinds that it has learned from a
// row. A row with anything else, as a truth value, an empty cell or a quote inside a cell, is left to
// the decoder.
type CSVReader struct {
	rowBuilder
	decoder *decode.CSVDecoder
	columns []csvColumn // nil until it has learned from a row
}

// csvColumn says what is read from the cells of a column.
type csvColumn struct {
	use       cellUse
	role      decode.Role // noRole if it plays none
	component int         // index of the reward component, -1 if it is none
	status    string      // its name if it says the status of the row, else ""
}

// cellUse is what a cell is read as. A cell that cannot be read so leaves the row to the decoder.
type cellUse int

const (
	skippedCell    cellUse = iota // any text
	emptyCell                     // no value: what another one means, the decoder finds out
	textCell                      // a text that is not empty
	responseCell                  // the same, whose characters are counted
	countCell                     // a number
	numberCell                    // a number or a truth value
	optionalNumber                // the same, or empty
)

// NewCSV returns a reader that has learned nothing yet and leaves rows to slow.
func NewCSV(slow *decode.CSVDecoder) *CSVReader {
	return &CSVReader{rowBuilder: rowBuilder{slow: slow.RowDecoder, hasCells: true}, decoder: slow}
}

// ReadRows reads records into the block, as [Reader.ReadRows] reads lines. It returns where the first
// record begins that it has not read, and how many lines it has read: a record may have several.
func (r *CSVReader) ReadRows(p []byte, at, limit int, offset int64) (end, lines int) {
	r.buf = p
	for at < limit && r.columns != nil {
		end := r.readRow(p, at)
		if end == 0 || bytes.IndexByte(p[at:end], 0) >= 0 || !r.addRow(offset+int64(at), false) {
			break
		}
		at, lines = end, lines+bytes.Count(p[at:end], []byte{'\n'})
	}
	return at, lines
}

// readRow reads the cells of one record and returns where the next begins, 0 if they do not fit.
func (r *CSVReader) readRow(p []byte, at int) (end int) {
	last, sep := len(r.columns)-1, r.decoder.Separator
	r.status = model.StatusTrains
	for i := range r.columns {
		c := &r.columns[i]
		v := &r.spans[c.role]
		if at = v.readCell(p, at, sep, c.use); at < 0 {
			return 0
		}
		if c.component >= 0 {
			r.components[c.component] = v.number
		}
		if c.status != "" {
			status := r.slow.Fields.StatusOf([]byte(c.status), decode.CellValue(p[v.from:v.to]))
			if status == decode.Evaluated {
				return 0
			}
			r.status = max(r.status, status)
		}
		if i < last {
			if byteAt(p, at) != sep {
				return 0
			}
			at++
		}
	}
	if byteAt(p, at) == '\r' {
		at++
	}
	if byteAt(p, at) != '\n' {
		return 0
	}
	return at + 1
}

// readCell reads a cell and returns where it ends, -1 if it does not fit.
func (v *span) readCell(p []byte, at int, sep byte, use cellUse) (end int) {
	isQuoted := byteAt(p, at) == '"'
	if isQuoted {
		at++
	}
	v.from = at
	if use >= countCell {
		v.to = v.readNumberCell(p, at, use)
		if isQuoted && byteAt(p, v.to) != '"' {
			return -1
		}
	} else if !v.readTextCell(p, sep, isQuoted, use) {
		return -1
	}
	if isQuoted {
		return v.to + 1
	}
	return v.to
}

// readTextCell finds the end of the cell that begins at v.from. It returns false if it does not fit.
func (v *span) readTextCell(p []byte, sep byte, isQuoted bool, use cellUse) bool {
	doubled := 0
	if isQuoted {
		v.to, doubled = framing.QuotedCellEnd(p, v.from)
	} else {
		v.to = plainCellEnd(p, v.from, sep)
	}
	switch {
	case v.to < 0 || use == emptyCell && v.to > v.from || use >= textCell && v.to == v.from:
		return false
	case use == responseCell:
		text := p[v.from:v.to]
		v.number = float64(countCharacters(text) - doubled)
		return !bytes.HasPrefix(text, []byte(jsonscan.MessagesPrefix))
	}
	return true
}

// readNumberCell reads the number that begins at offset at and returns where it ends, -1 if it does not fit.
func (v *span) readNumberCell(p []byte, at int, use cellUse) (end int) {
	v.number = math.NaN()
	if x, end := readDecimal(p, at); end > 0 && !continuesNumber(byteAt(p, end)) {
		v.number = x
		return end
	}
	for end = at; continuesNumber(byteAt(p, end)); end++ {
	}
	switch {
	case end > at:
		x, err := strconv.ParseFloat(string(p[at:end]), 64)
		if err != nil {
			return -1
		}
		v.number = x
		return end
	case use == countCell:
		return -1
	case bytes.HasPrefix(p[at:], []byte("True")), bytes.HasPrefix(p[at:], []byte("true")):
		v.number = 1
		return at + len("true")
	case bytes.HasPrefix(p[at:], []byte("False")), bytes.HasPrefix(p[at:], []byte("false")):
		v.number = 0
		return at + len("false")
	case use == optionalNumber:
		return at
	}
	return -1
}

// continuesNumber reports whether b is one of the characters that decimal numbers are written with.
func continuesNumber(b byte) bool {
	return '0' <= b && b <= '9' || b == '-' || b == '+' || b == '.' || b == 'e' || b == 'E'
}

// plainCellEnd returns where the cell without quotes ends which begins at from, -1 if it has a quote or
// no end.
func plainCellEnd(p []byte, from int, sep byte) int {
	for i := from; uint(i) < uint(len(p)); i++ {
		switch p[i] {
		case sep:
			return i
		case '"':
			return -1
		case '\n':
			if i > from && p[i-1] == '\r' {
				i--
			}
			return i
		}
	}
	return -1
}

// countCharacters returns what utf8.RuneCount does. It takes eight bytes at once while they are ASCII.
func countCharacters(text []byte) int {
	const highBits = 0x8080808080808080
	n := 0
	for ; n+32 <= len(text); n += 32 {
		w := text[n : n+32]
		word := binary.LittleEndian.Uint64
		if (word(w)|word(w[8:])|word(w[16:])|word(w[24:]))&highBits != 0 {
			break
		}
	}
	return n + utf8.RuneCount(text[n:])
}

// Learn notes what the cells of a record are that the decoder has read. It learns nothing if the reader
// could not read the record itself.
func (r *CSVReader) Learn(record []byte) {
	r.columns, r.prompt.known = nil, false
	var best bestFields
	var columns []csvColumn
	for i, cell := range r.decoder.Cells(record) {
		c, rank, ok := r.classify(r.decoder.ColumnName(i), cell)
		hasTwin := c.component >= 0 && slices.ContainsFunc(columns, func(o csvColumn) bool { return o.component == c.component })
		if !ok || c.role == decode.RoleAdvantage && best[c.role].number > 0 || hasTwin {
			return
		}
		columns = append(columns, c)
		if loser := best.assign(len(columns), c.role, rank); loser > 0 {
			lost := &columns[loser-1]
			lost.component, ok = r.partOf(r.decoder.ColumnName(loser-1), jsonscan.Number, lost.role)
			if lost.role, lost.use = noRole, skippedCell; lost.component >= 0 {
				lost.use = optionalNumber
			}
			if !ok {
				return
			}
		}
	}
	if !r.canRead(&best) {
		return
	}
	r.forgetRoles()
	r.components = slices.Repeat([]float64{math.NaN()}, len(r.slow.Components.Names))
	for _, c := range columns {
		switch c.use {
		case textCell, responseCell:
			r.setRole(c.role, jsonscan.String)
		case countCell, numberCell, optionalNumber:
			r.setRole(c.role, jsonscan.Number)
		case skippedCell, emptyCell:
		}
	}
	r.columns = columns
}

// classify returns what the cells of a column mean, by the one of the record at hand, and the rank of its
// name among those of its role. It is not ok if only the decoder can tell that of other cells.
func (r *CSVReader) classify(name jsonscan.Value, cell []byte) (c csvColumn, rank int, ok bool) {
	fields := r.slow.Fields
	c = csvColumn{role: noRole, component: -1}
	if fields.Statuses[string(name.Raw)] != nil {
		c.status = string(name.Raw)
	}
	p, hasRole := fields.LookupFor(name.Raw, decode.CellValue(cell))
	isComponent := fields.IsComponent(string(name.Text()))
	isIdle, isFraction := r.readsEpoch(p, name.Raw, cell)
	switch {
	case isFraction, onlyDecoderTells(fields, name, cell, hasRole):
		return c, 0, false
	case isIdle:
		return c, 0, true
	case hasRole && p.Role == decode.RoleTokens && len(cell) == 0:
		c.use = emptyCell // a number is a length
		return c, 0, true
	case hasRole && p.Role != decode.RoleTokens && p.Role != decode.RoleMask:
		c, ok = roleColumn(c, p.Role, cell, isComponent)
		return c, p.Rank, ok
	case !isComponent:
		return c, 0, true
	}
	if i, known := r.slow.Components.Index[string(name.Text())]; known {
		c.component, c.use = i, optionalNumber
		return c, 0, true
	}
	c.use = emptyCell // the first number makes it a component
	return c, 0, len(cell) == 0
}

// roleColumn returns a column whose cells play a role.
func roleColumn(c csvColumn, role decode.Role, cell []byte, isComponent bool) (column csvColumn, ok bool) {
	c.role, c.use = role, useOfRole(role)
	if len(cell) == 0 && c.use != optionalNumber {
		c.role, c.use = noRole, emptyCell
	}
	if isTokenCount(role) && (isComponent || !role.Accepts(decode.CellValue(cell))) {
		return c, len(cell) == 0 // a length that cannot be true is none, but perhaps a component
	}
	return c, true
}

// onlyDecoderTells reports whether cells of a column may mean something that depends on the cell.
func onlyDecoderTells(fields *decode.Fields, name jsonscan.Value, cell []byte, hasRole bool) bool {
	isConversation := hasRole && decode.IsConversationField(string(name.Raw))
	return mayHoldComponents(name, cell, hasRole) || hasRole && fields.IsRequested(name.Raw) || isConversation
}

// mayHoldComponents reports whether cells of a column may be an object of the parts of a reward.
func mayHoldComponents(name jsonscan.Value, cell []byte, hasRole bool) bool {
	_, ok := decode.ComponentPrefix(name.Raw)
	return ok && (!hasRole || bytes.HasPrefix(cell, []byte{'{'}))
}

// useOfRole returns what the cells are read as that play a role.
func useOfRole(role decode.Role) cellUse {
	switch role {
	case decode.RoleGroup, decode.RoleRollout, decode.RolePrompt, decode.RoleTruth:
		return textCell
	case decode.RoleResponse:
		return responseCell
	case decode.RoleReward:
		return numberCell
	case decode.RoleAdvantage:
		return optionalNumber
	default:
		return countCell
	}
}
