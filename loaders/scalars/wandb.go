package scalars

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"

	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

// A run file of W&B is a log in LevelDB's framing, of protobuf records: wandb 0.31 wandb/sdk/internal/datastore.py,
// wandb/proto/wandb_internal.proto.
const (
	wandbHeader = ":W&B\xe1\xbe\x00"
	wandbBlock  = 32 << 10 // the file is cut into blocks; what does not fit is split, and a rest below a header's size is filled up
	wandbHead   = 7        // of a part of a record: checksum (32 bits), length (16 bits), kind
	maxRecord   = 1 << 20
)

// The kinds of a part of a record.
const (
	fullPart = iota + 1
	firstPart
	middlePart
	lastPart
)

// readWandb reads a run file of W&B. A part whose checksum is wrong loses its block; a record that is still being written ends the file.
func readWandb(t *table, in *input) error {
	block := make([]byte, wandbBlock)
	w := wandbFile{log: t}
	for first := !in.cut; ; first = false {
		n, err := io.ReadFull(in.text, block)
		rest := block[:n]
		if first && n > 0 {
			if !bytes.HasPrefix(rest, []byte(wandbHeader)) {
				return errDamaged
			}
			rest = rest[len(wandbHeader):]
		}
		w.readBlock(rest, n == wandbBlock)
		switch {
		case err == nil:
		case fileio.IgnoreEnd(err) == nil && w.damaged:
			return errDamaged
		default:
			return fileio.IgnoreEnd(err)
		}
	}
}

// wandbFile is the state of reading a run file.
type wandbFile struct {
	log      *table
	record   []byte // as far as its parts were read
	inRecord bool   // the beginning of the record was read
	damaged  bool
}

// readBlock reads the parts of records in a block, which may be cut where the file ends.
func (w *wandbFile) readBlock(rest []byte, whole bool) {
	for len(rest) >= wandbHead {
		size, kind := int(binary.LittleEndian.Uint16(rest[4:])), rest[6]
		if kind < fullPart || kind > lastPart {
			return // filled up
		}
		if size > len(rest)-wandbHead {
			w.damaged = w.damaged || whole
			return
		}
		part := rest[wandbHead-1 : wandbHead+size] // with its kind
		if !wandbSum(part, binary.LittleEndian.Uint32(rest)) {
			w.inRecord, w.damaged = false, true
			return
		}
		part, rest = part[1:], rest[wandbHead+size:]
		if kind == fullPart || kind == firstPart {
			w.record, w.inRecord = w.record[:0], true
		}
		if w.inRecord = w.inRecord && len(w.record)+len(part) <= maxRecord; !w.inRecord {
			continue // its beginning is lost, or it is no row of figures
		}
		if w.record = append(w.record, part...); kind == fullPart || kind == lastPart {
			addHistory(w.log, w.record)
			w.inRecord = false
		}
	}
}

// wandbSum reports whether a checksum is that of a part with its kind: Python's writer takes CRC-32, as of zip files, LevelDB CRC-32C.
func wandbSum(part []byte, sum uint32) bool {
	return crc32.ChecksumIEEE(part) == sum || maskedCRC(part) == sum
}

// addHistory adds a Record {history 2 {item 1 {key 1, nested_key 2, value_json 16}, step 2 {num 1}}}. Other records have no figures.
func addHistory(log *table, record []byte) {
	eachField(record, func(f field) {
		if f.number != 2 || f.bytes == nil {
			return
		}
		var row row
		eachField(f.bytes, func(f field) {
			switch f.number {
			case 1:
				var names []string
				var value []byte
				eachField(f.bytes, func(f field) {
					switch f.number {
					case 1, 2:
						names = append(names, string(f.bytes))
					case 16:
						value = f.bytes
					}
				})
				s := jsonscan.Scanner{Data: value}
				if v, err := s.Value(); err == nil {
					row.add(strings.Join(names, "/"), v)
				}
			case 2:
				eachField(f.bytes, func(f field) {
					if f.number == 1 {
						row.add("_step", jsonscan.FromFloat(float64(int64(f.bits))))
					}
				})
			}
		})
		log.add(row)
	})
}
