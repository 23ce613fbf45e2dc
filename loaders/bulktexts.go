package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
	"vantage/model"
)

// Texts passes the texts of many samples to visit, by index, or why one cannot be read. It is quick if they are in the order of the
// log, whose plain files of lines are then read once, in large pieces; others go through [Source.Text]. mayHold, which may be nil, is
// asked of the bytes of a record first: those of which it is false are not decoded, and not visited. It may be called from several
// goroutines.
func (s *Source) Texts(ctx context.Context, places []model.Place, mayHold func(record []byte) bool, visit func(i int, t model.Text, err error)) error {
	for lo := 0; lo < len(places); {
		hi := lo + 1
		for hi < len(places) && places[hi].File == places[lo].File {
			hi++
		}
		if !s.textsOfFile(ctx, places[lo:hi], mayHold, func(i int, t model.Text, err error) { visit(lo+i, t, err) }) {
			for i, at := range places[lo:hi] {
				t, err := s.Text(ctx, at)
				visit(lo+i, t, err)
				if ctx.Err() != nil {
					break
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// textsOfFile reports whether the samples, which are of one file, could be read in large pieces.
func (s *Source) textsOfFile(ctx context.Context, places []model.Place, mayHold func([]byte) bool, visit func(int, model.Text, error)) bool {
	f, ok := s.texts.get(places[0].File)
	if !ok || f.lost != "" || f.format.Framing.Table || f.framing.Whole || f.framing.Table || f.framing.RecordPrefix != "" {
		return false
	}
	h, _, err := f.disk.Open()
	if err != nil {
		return false
	}
	defer func() { _ = h.Close() }()
	if packing, err := compressed.Detect(h); err != nil || packing != compressed.None {
		return false
	}
	return f.textsOfLines(ctx, h, places, mayHold, visit)
}

// textsOfLines is textsOfFile for an open file of lines.
func (f textFile) textsOfLines(ctx context.Context, h fileio.Handle, places []model.Place, mayHold func([]byte) bool, visit func(int, model.Text, error)) bool {
	in := pieces{file: h, quoted: f.framing.Quoted}
	capture := &decode.TextCapture{}
	d, ok := f.capturing(&in, capture)
	if !ok {
		return false
	}
	var kept []model.Record
	for lo := 0; lo < len(places) && ctx.Err() == nil; {
		hi := lo + 1
		for hi < len(places) && places[hi].Offset == places[lo].Offset {
			hi++
		}
		record, err := in.recordAt(places[lo].Offset)
		missing := hi - lo
		switch {
		case err == nil && mayHold != nil && !mayHold(record):
			lo = hi
			continue
		case err == nil:
			next := lo
			*capture = decode.TextCapture{Each: func(index int32, t model.Text) {
				for k := range hi - lo { // in the order of the line the next is the first that is tried
					if i := lo + (next-lo+k)%(hi-lo); places[i].IndexInLine == index {
						visit(i, t, nil)
						missing--
						next = i + 1
						return
					}
				}
			}}
			kept, err = d.Decode(kept[:0], record)
		}
		if err == nil && missing > 0 {
			err = errEndsBefore
		}
		for i := lo; i < hi && err != nil; i++ {
			visit(i, model.Text{}, fmt.Errorf("%s cannot be read again: %s", f.name, reasonOf(err)))
		}
		lo = hi
	}
	return true
}

// capturing returns a decoder of the records of the file that keeps their texts.
func (f textFile) capturing(in *pieces, c *decode.TextCapture) (decode.Decoder, bool) {
	d := f.format.NewDecoder(f.name)
	switch d := d.(type) {
	case *decode.RowDecoder:
		d.Capture = c
	case *decode.CSVDecoder:
		d.Capture = c
		header, err := in.recordAt(0)
		if err == nil {
			_, err = d.Decode(nil, header)
		}
		return d, err == nil
	default:
		return nil, false
	}
	return d, true
}

// pieces is a file that is read in large pieces, a record at a time.
type pieces struct {
	file   fileio.Handle
	quoted bool // a newline between double quotes ends nothing

	text  []byte // of the file, from start
	start int64
	piece int // how much is read next: more, if what follows is wanted
}

// How much is read at once.
const (
	leastPiece = 8 << 10
	mostPiece  = 256 << 10
)

// recordAt returns the record that begins at an offset, without its newline. It is valid until the next is asked for.
func (p *pieces) recordAt(offset int64) ([]byte, error) {
	if offset < p.start || offset > p.start+int64(len(p.text)) {
		p.text, p.start, p.piece = p.text[:0], offset, leastPiece
	}
	for {
		rest := p.text[offset-p.start:]
		end := bytes.IndexByte(rest, '\n')
		if p.quoted {
			end = framing.QuotedEnd(rest, false)
		}
		if end >= 0 {
			return rest[:end], nil
		}
		n := copy(p.text[:len(rest)], rest)
		p.text, p.start = p.text[:n], offset
		if n > framing.MaxLine {
			return nil, errors.New("a record is too long")
		}
		p.piece = min(max(2*p.piece, leastPiece), mostPiece)
		room := max(p.piece, n) // a long record takes few reads
		if cap(p.text) < n+room {
			p.text = append(make([]byte, 0, n+room), p.text...)
		}
		more, err := p.file.ReadAt(p.text[n:n+room], p.start+int64(n))
		p.text = p.text[:n+more]
		if more == 0 {
			if n == 0 || !errors.Is(err, io.EOF) {
				return nil, errors.Join(errEndsBefore, err)
			}
			return p.text, nil // the last line of a file has no newline
		}
	}
}
