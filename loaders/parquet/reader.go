// Package parquet reads the samples of Parquet files as [decode.RowDecoder] would decode their
// rows. Where every column that means something has the same role in all rows, and is flat or a
// conversation, it reads columns, into blocks; all else it reads row by row. Both read through package
// pages. [CellCache] finds the texts of one row again.
package parquet

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"vantage/loaders/decode"
	"vantage/loaders/parquet/pages"
	"vantage/model"
	"vantage/model/fault"
)

// Reader reads the samples of a Parquet file by columns, or row by row from the first
// block on that needs it.
type Reader struct {
	Decoder *decode.RowDecoder
	table   *pages.File
	columns *columnReader // nil once rows are read one by one
	rows    *rowReader
}

// NewReader reads an open Parquet file into the decoder's terms.
func NewReader(decoder *decode.RowDecoder, f *pages.File, workers int) *Reader {
	r := &Reader{Decoder: decoder, table: f, columns: newColumnReader(decoder, f, workers)}
	if r.columns == nil {
		r.ReadRows(0)
	}
	return r
}

// ReadRows continues row by row from row first on.
func (r *Reader) ReadRows(first int64) {
	r.columns, r.rows = nil, newRowReader(r.Decoder, r.table, first)
}

// Next returns the next samples, as a block or appended to records; there may be none yet.
// It returns io.EOF after the last.
func (r *Reader) Next(records []model.Record) (b model.Block, _ []model.Record, err error) {
	defer fault.Catch(broken(&err))
	if r.columns != nil {
		b, err = r.columns.next()
		if !errors.Is(err, errNeedsRows) {
			return b, records, err
		}
		r.ReadRows(r.columns.row)
	}
	records, err = r.rows.next(records)
	return b, records, err
}

// ByColumns reports whether the file is read by columns.
func (r *Reader) ByColumns() bool { return r.columns != nil }

// NextBlock is Next for a file that is read by columns, and stays so.
func (r *Reader) NextBlock() (model.Block, error) { return r.columns.next() }

// AtEOF reports whether a file that is read by columns has been read to its end.
func (r *Reader) AtEOF() bool {
	return r.columns.left == 0 && r.columns.nextGroup == len(r.table.Groups)
}

// Fits reports whether Reset can make r read another file: its columns mean the same. A nil
// Reader fits none.
func (r *Reader) Fits(f *pages.File) bool {
	return r != nil && r.columns.fixed && len(f.Columns) > 0 && &f.Columns[0] == &r.table.Columns[0]
}

// Reset makes r read another file that it fits.
func (r *Reader) Reset(name string, f *pages.File) {
	r.table = f
	r.columns.reset(name, f)
}

// TakeProblems returns the rows since the last call that could not be read.
func (r *Reader) TakeProblems() []model.Problem {
	if r.rows == nil {
		return nil
	}
	problems := r.rows.problems
	r.rows.problems = nil
	return problems
}

// Index returns where the pages read so far begin, nil if rows are read one by one.
func (r *Reader) Index() pages.Index {
	if r.columns == nil {
		return nil
	}
	return r.columns.file.Index()
}

// ResponseHash is a hash of the responses of the last block of a file that is read by columns,
// 0 if they were not hashed.
func (r *Reader) ResponseHash() uint64 {
	if c := r.columns.numbers[decode.RoleResponse]; c != nil {
		return c.hash
	}
	return 0
}

// columnReader reads a Parquet file column by column into blocks of the same samples that
// decoding row by row gives. Where it cannot it returns errNeedsRows, and the rows from there on
// must be read one by one.
type columnReader struct {
	decoder *decode.RowDecoder // learns the names and the prompts of the file
	file    *pages.File
	workers int
	buffers []*pages.Buffer // one per worker
	work    []pageRead      // memory for planPages

	numbers    [decode.RoleCount]*numberColumn // by role; that of the response holds the lengths of its texts
	components []*numberColumn
	all        []*numberColumn // numbers and components
	prompt     *textColumn     // nil where there is none, as truth and groupID
	truth      *textColumn
	groupID    *textColumn
	texts      []*textColumn // those three

	conversations []*fieldReader // the columns that are not flat

	nextGroup int
	left      int64 // rows left of the open row group
	row       int64 // rows returned
	fixed     bool  // which column plays a role does not depend on nulls
}

var errNeedsRows = errors.New("a table that must be read row by row")

// newColumnReader returns nil if some column that means something is not flat, not of the type
// that its role has, or shares its role with others so that each row must choose.
func newColumnReader(decoder *decode.RowDecoder, f *pages.File, workers int) *columnReader {
	r := &columnReader{decoder: decoder, file: f, workers: workers, fixed: true}
	isWanted := decoder.Wants == nil || decoder.Wants(false) // of rows that say nothing of evaluations
	if decoder.Fields.HasRequested() || decoder.Layout != nil || !isWanted {
		return nil
	}
	var found [decode.RoleCount][]candidate
	for i := range f.Columns {
		if !r.findRole(i, &found) {
			return nil
		}
	}
	decoder.Seen.Stop() // the other columns are wanted
	if !r.assignRoles(&found) {
		return nil
	}
	r.all = append(r.all, r.components...)
	for _, c := range r.numbers {
		if c != nil {
			r.all = append(r.all, c)
		}
	}
	return r
}

// findRole adds a column to those found for its role, or to the components. It returns false if the
// rows must be read one by one.
func (r *columnReader) findRole(column int, found *[decode.RoleCount][]candidate) bool {
	c, fields := r.file.Columns[column], r.decoder.Fields
	if c.Kind == pages.Nested && fields.UsesNested(c.Field) {
		p, _ := fields.Lookup([]byte(c.Field))
		if column == 0 || r.file.Columns[column-1].Field != c.Field { // its first leaf
			found[p.Role] = append(found[p.Role], candidate{column, p.Rank})
		}
		return isConversation(fields, c.Field)
	}
	lookup := fields.Lookup
	if c.Kind == pages.Number {
		lookup = fields.LookupNumber
	}
	p, ok := lookup([]byte(c.Name))
	if isUsed := fields.Uses(c.Name) && !r.decoder.PassesOver(p, c.Name); !isUsed {
		r.decoder.Seen.Add([]byte(c.Name))
		return true
	}
	switch {
	case r.isOfRows(c): // read as the values of rows
		return false
	case ok && fitsKind(p.Role, c.Kind):
		found[p.Role] = append(found[p.Role], candidate{column, p.Rank})
	case ok && p.Role != decode.RolePrompt && p.Role != decode.RoleResponse:
		return false
	case c.Kind != pages.Text && fields.IsComponent(c.Name):
		r.components = append(r.components, &numberColumn{column: column})
	}
	return true
}

// isOfRows reports whether what a column says depends on the row.
func (r *columnReader) isOfRows(c pages.Column) bool {
	fields := r.decoder.Fields
	_, hasRole := fields.Lookup([]byte(c.Name))
	return fields.Statuses[c.Name] != nil || c.Kind == pages.Nested || hasRole && decode.IsConversationField(c.Name)
}

// isConversation reports whether a nested column can only be a prompt or a response.
func isConversation(f *decode.Fields, name string) bool {
	p, ok := f.Lookup([]byte(name))
	_, holdsComponents := decode.ComponentPrefix([]byte(name))
	return ok && (p.Role == decode.RolePrompt || p.Role == decode.RoleResponse) && !decode.IsConversationField(name) &&
		!holdsComponents && !f.IsParent([]byte(name)) && !decode.IsComponentName(name)
}

// fitsKind reports whether every value of a column of that kind, but a null, can play the role.
func fitsKind(as decode.Role, k pages.Kind) bool {
	switch as {
	case decode.RoleReward, decode.RoleAdvantage:
		return k == pages.Number || k == pages.Bool
	case decode.RoleStep, decode.RoleLength, decode.RoleTotalTokens, decode.RolePromptLength:
		return k == pages.Number
	case decode.RolePrompt, decode.RoleResponse, decode.RoleTruth:
		return k == pages.Text
	case decode.RoleGroup:
		return k == pages.Number || k == pages.Text
	default:
		return false
	}
}

// candidate is a column that could play a role; the least rank is preferred.
type candidate struct{ column, rank int }

// assignRoles chooses the column of each role. It returns false if the choice needs single rows.
// The texts of responses are read only if no column holds their lengths in tokens.
func (r *columnReader) assignRoles(found *[decode.RoleCount][]candidate) bool {
	if len(found[decode.RoleTotalTokens])+len(found[decode.RolePromptLength]) > 0 {
		return false
	}
	passedOver := decode.RoleResponse
	if r.decoder.LengthUnit == model.LengthCharacters {
		passedOver = decode.RoleLength
	}
	hasBoth := len(found[decode.RoleLength]) > 0 && len(found[decode.RoleResponse]) > 0
	for i, all := range found {
		as := decode.Role(i)
		if len(all) == 0 || as == passedOver && hasBoth {
			continue
		}
		best, sure := r.bestOf(all)
		if !sure {
			return false
		}
		isText := r.file.Columns[best.column].Kind == pages.Text
		hasNested := slices.ContainsFunc(all, func(c candidate) bool { return r.file.Columns[c.column].Kind == pages.Nested })
		if len(all) > 1 && (as == decode.RoleGroup && isText || hasNested) {
			return false // rows where it is empty take another
		}
		r.decoder.Ranks[as] = best.rank
		r.assign(as, best.column)
	}
	return r.truth == nil || r.prompt != nil // a ground truth counts only with its prompt
}

func (r *columnReader) assign(as decode.Role, column int) {
	var nested *fieldReader
	kind := r.file.Columns[column].Kind
	if kind == pages.Nested {
		at := slices.IndexFunc(r.file.Fields, func(n pages.Node) bool { return n.First == column })
		nested = newFieldReader(r.file, &r.file.Fields[at])
		r.conversations = append(r.conversations, nested)
	}
	text := &textColumn{column: column, nested: nested}
	switch {
	case as == decode.RolePrompt:
		r.prompt, r.texts = text, append(r.texts, text)
	case as == decode.RoleTruth:
		r.truth, r.texts = text, append(r.texts, text)
	case as == decode.RoleGroup && kind == pages.Text:
		r.groupID, r.texts = text, append(r.texts, text)
	default:
		r.numbers[as] = &numberColumn{column: column, measuresText: as == decode.RoleResponse, nested: nested}
	}
}

// bestOf returns the column with the preferred name. It is not sure if the column has nulls, in
// whose rows another is taken, or if another would count as a reward component instead.
func (r *columnReader) bestOf(all []candidate) (best candidate, sure bool) {
	best = slices.MinFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, other := range all {
		if other != best && (other.rank == best.rank || r.decoder.Fields.IsComponent(r.file.Columns[other.column].Name)) {
			return best, false
		}
	}
	if len(all) == 1 || !r.file.Columns[best.column].Optional {
		return best, true
	}
	r.fixed = false
	return best, r.file.Nulls(best.column) == 0
}

// A block has at most so many rows, of about so many bytes of the file.
const (
	maxBlockRows = 4096
	blockBytes   = 16 << 20
)

// next returns the next block of rows, io.EOF after the last.
func (r *columnReader) next() (model.Block, error) {
	for r.left == 0 {
		if r.nextGroup == len(r.file.Groups) {
			return model.Block{}, io.EOF
		}
		if err := r.openGroup(); err != nil {
			return model.Block{}, err
		}
	}
	n := r.blockRows()
	work, err := r.planPages(n)
	if err != nil {
		return model.Block{}, err
	}
	var b model.Block
	learned := r.decoder.Learned
	err = r.readPages(work, func() error {
		var err error
		if b, err = r.readTexts(n); err != nil {
			return err
		}
		if c := r.numbers[decode.RoleResponse]; c != nil && c.nested != nil {
			return c.measureNested(n)
		}
		return nil
	})
	if err == nil {
		err = r.fill(&b, n)
	}
	if err != nil {
		r.decoder.Learned = learned
		return model.Block{}, err
	}
	for _, c := range r.all {
		c.values = c.values[n:]
		if c.valid != nil {
			c.valid = c.valid[n:]
		}
	}
	r.left -= int64(n)
	r.row += int64(n)
	return b, nil
}

func (r *columnReader) openGroup() error {
	for _, c := range r.conversations {
		if err := c.open(r.nextGroup, 0); err != nil {
			return err
		}
	}
	for _, c := range r.all {
		*c = numberColumn{
			column: c.column, measuresText: c.measuresText, nested: c.nested, hashesText: c.measuresText && r.decoder.HashResponses &&
				r.file.InMemory(),
			reader: r.file.Column(r.nextGroup, c.column),
		}
	}
	for _, c := range r.texts {
		if c.buffer == nil {
			c.buffer = r.file.Buffer()
		}
		c.reader, c.texts, c.at, c.started = r.file.Column(r.nextGroup, c.column), pages.Texts{}, 0, false
	}
	for group := r.nextGroup; group < min(r.nextGroup+2, len(r.file.Groups)); group++ { // they are read next
		for _, c := range r.all {
			if c.nested == nil {
				r.file.WillRead(group, c.column)
			}
		}
		for _, c := range r.texts {
			if c.nested == nil {
				r.file.WillRead(group, c.column)
			}
		}
	}
	r.left = r.file.Groups[r.nextGroup].Rows
	r.nextGroup++
	return nil
}

// blockRows is how many rows the next block has.
func (r *columnReader) blockRows() int {
	bytes := int64(1)
	for _, c := range r.all {
		bytes += r.file.Bytes(r.nextGroup-1, c.column)
	}
	perRow := max(1, bytes/max(1, r.file.Groups[r.nextGroup-1].Rows))
	return int(min(r.left, maxBlockRows, max(blockBytes/perRow, 64)))
}

type pageRead struct {
	column *numberColumn
	page   pages.Page
	values []float64
	valid  []bool // nil if no value is null
	hash   uint64 // of the texts, if the column hashes them
	err    error
}

func (r *columnReader) planPages(n int) ([]pageRead, error) {
	work, cells := r.work[:0], 0
	for _, c := range r.all {
		for have := len(c.values); have < n && c.nested == nil; {
			p, err := c.reader.Next()
			if err != nil {
				return nil, notEOF(err)
			}
			work = append(work, pageRead{column: c, page: p})
			have += p.Rows
			if cells += p.Rows; !r.file.HasRoom(cells) {
				return nil, errManyCells
			}
		}
	}
	r.work = work
	return work, nil
}

// notEOF makes the end of a column an error: the group is said to have more rows.
func notEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return errTooFewRows
	}
	return err
}

var errManyCells = fmt.Errorf("%w: the pages of its columns claim more values than it has room for", pages.ErrBroken)

// minShared is the least number of bytes that are worth several workers.
const minShared = 256 << 10

// readPages reads pages on all workers while it runs meanwhile.
func (r *columnReader) readPages(work []pageRead, meanwhile func() error) error {
	workers, bytes := min(r.workers, len(work)), 0
	for i := range work {
		bytes += work[i].page.Bytes()
	}
	if bytes < minShared {
		workers = min(workers, 1)
	}
	for len(r.buffers) < max(1, workers) {
		r.buffers = append(r.buffers, r.file.Buffer())
	}
	var all fault.Group
	var begun atomic.Int64
	read := func(b *pages.Buffer) {
		for i := int(begun.Add(1)); i <= len(work); i = int(begun.Add(1)) {
			work[i-1].read(b)
		}
	}
	if workers > 1 {
		for _, b := range r.buffers[:workers] {
			all.Go(func() { read(b) })
		}
	}
	err := func() (err error) {
		defer fault.Catch(broken(&err)) // the workers must end first
		return meanwhile()
	}()
	if workers <= 1 {
		read(r.buffers[0])
	}
	all.Wait()
	for i := range work {
		if err == nil {
			err = work[i].err
		}
		work[i].column.add(&work[i])
	}
	return err
}

// broken makes an error of a panic, which a broken page causes.
func broken(err *error) func(*fault.Fault) {
	return func(f *fault.Fault) { *err = fmt.Errorf("a page is broken: %v", f.Cause) }
}

func (r *columnReader) reset(name string, f *pages.File) {
	r.decoder.Reset(name)
	for _, c := range r.conversations {
		*c = *newFieldReader(f, c.node)
	}
	r.file, r.nextGroup, r.row, r.buffers = f, 0, 0, r.buffers[:0]
	for _, c := range r.texts {
		c.buffer = nil
	}
}
