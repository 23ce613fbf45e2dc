package sqlite

import (
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
)

// Sizes of the headers of a log.
const (
	walHeaderSize   = 32
	frameHeaderSize = 24
)

// wal is the log beside a database, as far as it has been read: where the newest committed copy of each page is.
type wal struct {
	header [walHeaderSize]byte
	order  binary.ByteOrder // of checksums
	frames map[uint32]int64 // offsets of pages, by their numbers
	next   int64            // offset of the first frame that is not committed
	sum    [2]uint32        // checksum before next
	pages  uint32           // of the database after the last transaction
}

// readWAL reads on in the log where before ended, or from its start if it is another log; nil if there is nothing in it.
func readWAL(file *os.File, pageSize int, before *wal) (*wal, error) {
	if file == nil {
		return nil, nil
	}
	var header [walHeaderSize]byte
	if _, err := file.ReadAt(header[:], 0); err != nil {
		return nil, ignoreEOF(err)
	}
	w := before
	if w == nil || w.header != header {
		if w = newWAL(header, pageSize); w == nil {
			return nil, nil
		}
	}
	if err := w.readOn(file, pageSize); err != nil {
		return nil, err
	}
	if w.next == walHeaderSize {
		return nil, nil // nothing was committed
	}
	return w, nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// newWAL returns a log of which the header was read, nil if that is not valid: SQLite takes such a log as empty.
func newWAL(header [walHeaderSize]byte, pageSize int) *wal {
	w := &wal{header: header, order: binary.LittleEndian, frames: map[uint32]int64{}, next: walHeaderSize}
	magic := binary.BigEndian.Uint32(header[:])
	if magic&1 == 1 {
		w.order = binary.BigEndian
	}
	w.sum = w.checksum([2]uint32{}, header[:24])
	if magic&^1 != 0x377f0682 || binary.BigEndian.Uint32(header[4:]) != 3007000 || int(binary.BigEndian.Uint32(header[8:])) != pageSize ||
		w.sum != [2]uint32{binary.BigEndian.Uint32(header[24:]), binary.BigEndian.Uint32(header[28:])} {
		return nil
	}
	return w
}

// checksum continues a checksum over data, whose size is a multiple of 8.
func (w *wal) checksum(sum [2]uint32, data []byte) [2]uint32 {
	if w.order == binary.LittleEndian {
		return checksumLittle(sum, data)
	}
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += binary.BigEndian.Uint32(data) + sum[1]
		sum[1] += binary.BigEndian.Uint32(data[4:]) + sum[0]
	}
	return sum
}

func checksumLittle(sum [2]uint32, data []byte) [2]uint32 {
	for ; len(data) >= 8; data = data[8:] {
		sum[0] += binary.LittleEndian.Uint32(data) + sum[1]
		sum[1] += binary.LittleEndian.Uint32(data[4:]) + sum[0]
	}
	return sum
}

// readOn reads the transactions that were committed since.
func (w *wal) readOn(file *os.File, pageSize int) error {
	frame := make([]byte, frameHeaderSize+pageSize)
	pending := map[uint32]int64{}
	sum := w.sum
	for at := w.next; ; at += int64(len(frame)) {
		if _, err := file.ReadAt(frame, at); err != nil {
			return ignoreEOF(err)
		}
		if [8]byte(frame[8:16]) != [8]byte(w.header[16:24]) {
			return nil // a frame of an earlier log
		}
		sum = w.checksum(w.checksum(sum, frame[:8]), frame[frameHeaderSize:])
		if sum != [2]uint32{binary.BigEndian.Uint32(frame[16:]), binary.BigEndian.Uint32(frame[20:])} {
			return nil
		}
		pending[binary.BigEndian.Uint32(frame)] = at + frameHeaderSize
		if pages := binary.BigEndian.Uint32(frame[4:]); pages != 0 { // a transaction ends here
			maps.Copy(w.frames, pending)
			clear(pending)
			w.pages, w.sum, w.next = pages, sum, at+int64(len(frame))
		}
	}
}
