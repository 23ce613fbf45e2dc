package loaders

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"

	"vantage/loaders/pages"
	"vantage/model"
)

// sheet reads a Parquet file column by column. It reads a file as [rows] would, row
// by row, or says errOdd: then the rows that are left are read that way.
type sheet struct {
	rows    *RowDecoder
	file    *pages.File
	workers int
	buffers []*pages.Buffer // one per worker
	work    []pageWork      // memory for plans

	figures [RoleCount]*lane // of the roles that are numbers, and the lengths of responses
	parts   []*lane
	lanes   []*lane // all of these
	prompt  *script
	truth   *script
	id      *script

	group  int   // of rows, the next
	left   int64 // rows of the one at hand
	row    int64 // rows handed over
	steady bool  // whatever nulls there are, the same columns play the roles
}

// errOdd says that only the long way can tell what a table means.
var errOdd = errors.New("a table that is read row by row")

// newSheet finds the columns that mean something, nil if they are not all plain
// numbers and texts in the places where those are expected.
func newSheet(r *RowDecoder, f *pages.File, workers int) *sheet {
	s := &sheet{rows: r, file: f, workers: workers, steady: true}
	if len(r.Components.Requested) > 0 || r.Layout != nil {
		return nil
	}
	var found [RoleCount][]candidate
	for i, c := range f.Columns {
		if !r.Wants(c.Name) {
			r.seen.add([]byte(c.Name))
			continue
		}
		p, ok := r.Fields.Lookup([]byte(c.Name))
		switch {
		case c.Kind == pages.Other:
			return nil
		case ok && plays(p.Role, c.Kind):
			found[p.Role] = append(found[p.Role], candidate{i, p.Rank})
		case ok && p.Role != RolePrompt && p.Role != RoleResponse:
			return nil
		case c.Kind != pages.Text && r.Components.Wants(c.Name):
			s.parts = append(s.parts, &lane{column: i})
		}
	}
	r.seen.rows = maxNameRows // the other columns are wanted
	if !s.cast(&found) {
		return nil
	}
	s.lanes = append(s.lanes, s.parts...)
	for _, l := range s.figures {
		if l != nil {
			s.lanes = append(s.lanes, l)
		}
	}
	return s
}

// plays reports whether a column of that kind plays a role in every row, unless it is
// null there.
func plays(as Role, k pages.Kind) bool {
	switch as {
	case RoleReward, RoleAdvantage:
		return k == pages.Number || k == pages.Truth
	case RoleStep, RoleLength, RoleTotalTokens, RolePromptLength:
		return k == pages.Number
	case RolePrompt, RoleResponse, RoleTruth:
		return k == pages.Text
	case RoleGroup:
		return k == pages.Number || k == pages.Text
	default:
		return false
	}
}

// candidate is a column that could play a role.
type candidate struct{ column, rank int }

// cast gives the columns that play a role their readers. The texts of responses are
// only read where nothing else tells their lengths.
func (s *sheet) cast(found *[RoleCount][]candidate) bool {
	if len(found[RoleTotalTokens])+len(found[RolePromptLength]) > 0 {
		return false
	}
	for i, all := range found {
		as := Role(i)
		if len(all) == 0 || as == RoleResponse && len(found[RoleLength]) > 0 {
			continue
		}
		best, sure := s.best(all)
		if !sure {
			return false
		}
		if as == RoleGroup && len(all) > 1 && s.file.Columns[best.column].Kind == pages.Text {
			return false // where it is empty, another is taken
		}
		s.rows.ranks[as] = best.rank
		switch {
		case as == RolePrompt:
			s.prompt = &script{column: best.column}
		case as == RoleTruth:
			s.truth = &script{column: best.column}
		case as == RoleGroup && s.file.Columns[best.column].Kind == pages.Text:
			s.id = &script{column: best.column}
		default:
			s.figures[as] = &lane{column: best.column, texts: as == RoleResponse}
		}
	}
	return s.truth == nil || s.prompt != nil // a truth is read beside its prompt
}

// best returns the column whose name is the best for a role. It is not sure where it
// has nulls, in whose rows another is taken, or where another counts as what a reward
// function gave when it does not fit.
func (s *sheet) best(all []candidate) (best candidate, sure bool) {
	best = slices.MinFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	for _, other := range all {
		if other != best && (other.rank == best.rank || s.rows.Components.Wants(s.file.Columns[other.column].Name)) {
			return best, false
		}
	}
	if len(all) == 1 || !s.file.Columns[best.column].Optional {
		return best, true
	}
	s.steady = false
	return best, s.file.Nulls(best.column) == 0
}

// batchBytes is about how much of a file is read for one block of rows.
const batchBytes = 16 << 20

// next reads the next block of rows, io.EOF after the last.
func (s *sheet) next() (model.Block, error) {
	for s.left == 0 {
		if s.group == len(s.file.Groups) {
			return model.Block{}, io.EOF
		}
		s.begin()
	}
	n := s.size()
	work, err := s.plan(n)
	if err != nil {
		return model.Block{}, err
	}
	var b model.Block
	used, note := s.rows.Used, s.rows.note
	err = s.each(work, func() error {
		var err error
		b, err = s.texts(n)
		return err
	})
	if err == nil {
		err = s.fill(&b, n)
	}
	if err != nil {
		s.rows.Used, s.rows.note = used, note
		return model.Block{}, err
	}
	for _, l := range s.lanes {
		l.drop(n)
	}
	s.left -= int64(n)
	s.row += int64(n)
	return b, nil
}

// begin goes to the next group of rows.
func (s *sheet) begin() {
	for _, l := range s.lanes {
		*l = lane{column: l.column, texts: l.texts, summed: l.texts && s.rows.HashAnswers && s.file.Whole(), reader: s.file.Column(s.group, l.column)}
	}
	for _, c := range [...]*script{s.prompt, s.truth, s.id} {
		if c != nil {
			c.begin(s.file.Column(s.group, c.column), s.file)
		}
	}
	s.left = s.file.Groups[s.group].Rows
	s.group++
}

// size is how many rows the next block has.
func (s *sheet) size() int {
	bytes := int64(1)
	for _, l := range s.lanes {
		bytes += s.file.Bytes(s.group-1, l.column)
	}
	each := max(1, bytes/max(1, s.file.Groups[s.group-1].Rows))
	return int(min(s.left, maxRecords, max(batchBytes/each, 64)))
}

// pageWork is a page of figures and what became of it.
type pageWork struct {
	lane   *lane
	page   pages.Page
	values []float64
	there  []bool
	sum    uint64
	err    error
}

// plan finds the pages that hold the next n rows.
func (s *sheet) plan(n int) ([]pageWork, error) {
	work := s.work[:0]
	for _, l := range s.lanes {
		for have := len(l.values); have < n; {
			p, err := l.reader.Next()
			if err != nil {
				return nil, err
			}
			work = append(work, pageWork{lane: l, page: p})
			have += p.Rows
		}
	}
	s.work = work
	return work, nil
}

// inline is how much work is too little to be shared.
const inline = 256 << 10

// each reads pages side by side, and does something else beside that.
func (s *sheet) each(work []pageWork, beside func() error) error {
	workers, bytes := min(s.workers, len(work)), 0
	for i := range work {
		bytes += work[i].page.Bytes()
	}
	if bytes < inline {
		workers = min(workers, 1)
	}
	for len(s.buffers) < max(1, workers) {
		s.buffers = append(s.buffers, s.file.Buffer())
	}
	var wg sync.WaitGroup
	if workers > 1 {
		share(work, s.buffers[:workers], &wg)
	}
	err := beside()
	if workers <= 1 {
		for i := range work {
			work[i].read(s.buffers[0])
		}
	}
	wg.Wait()
	for i := range work {
		if err == nil {
			err = work[i].err
		}
		work[i].lane.take(&work[i])
	}
	return err
}

// share has pages read by a worker for each buffer.
func share(work []pageWork, buffers []*pages.Buffer, wg *sync.WaitGroup) {
	next := make(chan *pageWork, len(work))
	for i := range work {
		next <- &work[i]
	}
	close(next)
	for _, b := range buffers {
		wg.Go(func() {
			for w := range next {
				w.read(b)
			}
		})
	}
}
