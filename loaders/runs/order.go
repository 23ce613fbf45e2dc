package runs

import "math"

// Order is the steps of a file, in the order of its rows. The zero value is that of a file without rows.
type Order struct {
	passes    *[]pass // before the current one; nil if there are none
	now       pass
	unordered bool // steps go back so often that passes mean nothing
}

// pass is a part of a file in which steps never go back.
type pass struct {
	from                int64 // offset of its first row
	first, second, last int64 // steps; second only if there are two
	steps               int32
	rows, firstRows     int32 // firstRows are those of the first step
}

// maxPasses is how many passes a file may have before its steps count as unordered.
const maxPasses = 64

// Add takes rows of one step that follow those added before; offset is that of the first.
// It reports whether the step is an earlier one than that of the rows before.
func (o *Order) Add(step, offset int64, rows int) (wentBack bool) {
	p := &o.now
	wentBack = p.rows > 0 && step < p.last
	switch {
	case p.rows == 0:
		*p = pass{from: offset, first: step, last: step, steps: 1}
	case step == p.last:
	case step > p.last:
		if p.steps++; p.steps == 2 {
			p.second = step
		}
		p.last = step
	case o.unordered:
		p.first = min(p.first, step)
	default:
		o.goBack(step, offset)
	}
	p.rows = int32(min(math.MaxInt32, int64(p.rows)+int64(rows)))
	if p.steps == 1 {
		p.firstRows = p.rows
	}
	return wentBack
}

func (o *Order) goBack(step, offset int64) {
	if o.passes == nil {
		o.passes = &[]pass{}
	}
	if *o.passes = append(*o.passes, o.now); len(*o.passes) < maxPasses {
		o.now = pass{from: offset, first: step, last: step, steps: 1}
		return
	}
	first, last := spanOf(*o.passes)
	o.now = pass{from: (*o.passes)[0].from, first: min(step, first), last: max(step, last), steps: maxPasses, rows: 1}
	o.passes, o.unordered = nil, true
}

func spanOf(passes []pass) (first, last int64) {
	first, last = passes[0].first, passes[0].last
	for _, p := range passes {
		first, last = min(first, p.first), max(last, p.last)
	}
	return first, last
}

// Empty reports whether the file has no rows.
func (o *Order) Empty() bool { return o.now.rows == 0 }

// filePart is the rows of one attempt in a file.
type filePart struct {
	from, to    int64 // offsets of its first row, and of the row after its last
	first, last int64 // steps
	resumes     []resume
}

// resume is where a file goes back to a step within an attempt: what stands before offset at, of that
// step and later ones, is abandoned.
type resume struct{ at, step int64 }

// The end of a part that is the last of its file, and its start if it is the first.
const (
	fileStart = math.MinInt64
	fileEnd   = math.MaxInt64
)

// parts divides the rows of the file into attempts, oldest first. There is one if steps only go back
// for single rows that come late, or go back so often that this is their usual order.
func (o *Order) parts() []filePart {
	if o.passes == nil {
		return []filePart{{from: fileStart, to: fileEnd, first: o.now.first, last: o.now.last}}
	}
	passes := append((*o.passes)[:len(*o.passes):len(*o.passes)], o.now)
	if isUsualOrder(passes) {
		first, last := spanOf(passes)
		return []filePart{{from: fileStart, to: fileEnd, first: first, last: last}}
	}
	before := passes[0]
	parts := []filePart{{from: fileStart, to: fileEnd, first: before.first, last: before.last}}
	for _, p := range passes[1:] {
		now := &parts[len(parts)-1]
		switch {
		case !p.repeats(before):
			before = before.with(p)
			now.first, now.last = min(now.first, p.first), max(now.last, p.last)
			continue
		case p.first <= now.first:
			now.to = p.from
			parts = append(parts, filePart{from: p.from, to: fileEnd, first: p.first, last: p.last})
		default:
			now.resumes = append(now.resumes, resume{at: p.from, step: p.first})
			now.last = p.last
		}
		before = p
	}
	return parts
}

// Starts that follow one another so closely are rather the order in which rows are written.
const (
	maxStarts       = 2 // however few steps lie between them
	minStepsPerPass = 5 // on average, if there are more
)

// isUsualOrder reports whether steps go back too often for starts of a run.
func isUsualOrder(passes []pass) bool {
	steps := 0
	for _, p := range passes {
		steps += int(p.steps)
	}
	return len(passes)-1 > maxStarts && steps < minStepsPerPass*len(passes)
}

// repeats reports whether a pass writes steps of the pass before it again, rather than rows of them
// that come late: it starts with a step of the usual size, or with half of one that another step
// follows which the pass before has had too. A pass of one step tells no order, and steps of one row
// are rather the turns of a conversation.
func (p pass) repeats(before pass) bool {
	usual := before.rows / before.steps
	switch {
	case p.first >= before.last || before.steps < 2 || usual < 2:
		return false
	case p.steps > 1:
		return p.second <= before.last && p.firstRows*2 >= usual
	}
	return p.firstRows >= usual
}

func (p pass) with(late pass) pass {
	if late.last > p.last {
		p.steps += late.steps
	}
	p.last, p.rows = max(p.last, late.last), p.rows+late.rows
	return p
}

// GoesBack reports whether an earlier step follows a later one somewhere.
func (o *Order) GoesBack() bool { return o.passes != nil || o.unordered }

// Span returns the first and the last step of the newest attempt in the file.
func (o *Order) Span() (first, last int64) {
	if o.passes == nil {
		return o.now.first, o.now.last
	}
	parts := o.parts()
	newest := parts[len(parts)-1]
	return newest.first, newest.last
}
