package watch

import (
	"time"
)

// Reading one new row takes as long as reading a thousand: most of it is waking up. So rows are
// gathered. The first row after a pause is read at once. Then files are read again each DensePause,
// or each SparsePause once sparseReads reads in a row have brought fewer than manyRows, until one
// brings nothing. Each file to be read makes the pause pausePerFile longer.
const (
	DensePause   = 12 * time.Millisecond
	SparsePause  = 75 * time.Millisecond
	pausePerFile = 200 * time.Microsecond
	manyRows     = 64
	sparseReads  = 8
)

// Debounce decides how long rows are gathered before files are read again.
type Debounce struct {
	sparse int       // reads in a row that brought few rows
	until  time.Time // nothing is read before
}

// Until returns when the gathering ends.
func (d *Debounce) Until() time.Time { return d.until }

// Active reports whether rows are being gathered now.
func (d *Debounce) Active(now time.Time) bool { return now.Before(d.until) }

// SawRows notes how many rows a read returned.
func (d *Debounce) SawRows(rows int) {
	if rows >= manyRows {
		d.sparse = 0
	}
}

// CountRead notes that files are read again.
func (d *Debounce) CountRead() { d.sparse++ }

// Start gathers rows for a while; files is how many will be read afterwards.
func (d *Debounce) Start(now time.Time, files int) {
	pause := DensePause
	if d.sparse >= sparseReads {
		pause = SparsePause
	}
	d.until = now.Add(pause + time.Duration(files)*pausePerFile)
}

// StartSparse gathers rows for a SparsePause.
func (d *Debounce) StartSparse(now time.Time) { d.until = now.Add(SparsePause) }
