package evaluation

// tailGroups is how many groups at the end of a table are compared. An evaluation with fewer rows than
// a training step leaves training rows before its own, so only the end is sure to be its own.
const tailGroups = 8

// Table is what one log call wrote: rows of one step, those of a group one after the other.
type Table struct {
	Step     int64
	Rows     int
	Evidence Evidence // why it holds an evaluation; "" if it counts as training

	// ManySteps says that rows of other steps are in the file too: no trainer wrote it at once, and it
	// is taken for training.
	ManySteps bool

	tail    [tailGroups]uint64 // prompts of the last groups, the last one first
	groups  int                // runs of rows with one prompt
	current int                // rows of the last run so far
	size    int                // greatest common divisor of the rows of the runs before
	noName  bool               // a row has no prompt
}

// Add adds the next rows, which have one prompt: its hash, 0 if the log has none.
func (t *Table) Add(prompt uint64, rows int) {
	t.Rows += rows
	t.noName = t.noName || prompt == 0
	if t.groups > 0 && prompt == t.tail[0] {
		t.current += rows
		return
	}
	copy(t.tail[1:], t.tail[:])
	t.size = gcd(t.size, t.current)
	t.tail[0], t.current = prompt, rows
	t.groups++
}

// EndsLike reports whether the last groups of two tables have the same prompts in the same order.
func (t *Table) EndsLike(o *Table) bool {
	return t.tail == o.tail && min(t.groups, tailGroups) == min(o.groups, tailGroups)
}

// groupSize returns the rows of a group: two groups of one prompt may stand together.
func (t *Table) groupSize() int { return gcd(t.size, t.current) }

// unknown reports whether nothing can be concluded from the prompts.
func (t *Table) unknown() bool { return t.noName || t.ManySteps }

// end returns the prompts of the last n groups, and whether there are so many.
func (t *Table) end(n int) (prompts [tailGroups]uint64, ok bool) {
	copy(prompts[:n], t.tail[:n])
	return prompts, t.groups >= n && !t.unknown()
}

// gcd returns the greatest common divisor; that of 0 and x is x.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
