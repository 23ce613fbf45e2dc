package framing

import "fmt"

// Framing says what ends a record. The zero Framing cuts lines, at \n alone: model text holds \r,
// U+2028 and the rest.
type Framing struct {
	Whole        bool   // the file is one record
	Quoted       bool   // a newline between double quotes ends nothing, as in CSV
	Table        bool   // the rows of a Parquet file: its bytes are not cut
	RecordPrefix string // a record is the lines up to the next that begins like this
}

// MaxLine is the size of the longest record that is read, in bytes. Whole steps in one line take some
// megabytes; what is longer is no log of samples.
const MaxLine = 64 << 20

// Record is what a file is cut into: mostly a line, without its newline.
type Record struct {
	Text   []byte
	Number int64  // of its first line, from 1
	Offset int64  // of its first byte
	Reason string // why the record must not be read, "" if it may be; Text is then empty
}

// NULError returns the error of a record with a NUL at offset at.
func NULError(at int) error {
	return fmt.Errorf("column %d: a NUL byte: the file was damaged, or not yet written there", at+1)
}
