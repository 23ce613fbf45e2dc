package loaders

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
	"vantage/model"
)

// Texts passes the texts of many samples to visit, by index, or why one cannot be read. It is quick if they are in the order of the
// log, whose files of lines are then read once, in large pieces, and decompressed once; others go through [Source.Text]. mayHold, which may be nil, is
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
	if !ok || f.lost != "" || f.framing.Whole || f.framing.RecordPrefix != "" {
		return false
	}
	h, info, err := f.disk.Open()
	if err != nil {
		return false
	}
	packing, err := compressed.Detect(h)
	if isTable := f.format.Framing.Table; err != nil || packing.IsTable() || isTable != (packing == compressed.Parquet) {
		_ = h.Close()
		return false
	} else if isTable {
		defer func() { _ = h.Close() }()
		return f.textsOfRows(ctx, h, info, places, visit)
	}
	in := &pieces{file: h, info: info, number: f.number, quoted: f.framing.Quoted}
	if in.packed = packing != compressed.None; in.packed { // one after the other goes on where the last has stopped
		f.texts.inOrder.Lock()
		defer f.texts.inOrder.Unlock()
		if last := f.texts.last; last != nil && last.number == f.number && fileio.Unchanged(last.info, info) && last.start <= places[0].Offset {
			in = last
			_ = h.Close()
		}
		defer func() { f.texts.keep(in) }()
	} else {
		defer func() { _ = h.Close() }()
	}
	in.from = func(offset int64) (io.Reader, error) { return f.textFrom(context.WithoutCancel(ctx), in.file, offset) }
	return f.textsOfLines(ctx, in, places, mayHold, visit)
}

func (f textFile) textsOfRows(ctx context.Context, h fileio.Handle, info os.FileInfo, places []model.Place, visit func(int, model.Text, error)) bool {
	for i, at := range places {
		c := &decode.TextCapture{IndexInLine: at.IndexInLine}
		err := f.captureRow(h, info, at.Offset, c)
		if err == nil && !c.Found {
			err = errEndsBefore
		}
		if err != nil {
			err = fmt.Errorf("%s cannot be read again: %s", f.name, reasonOf(err))
		}
		if visit(i, c.Text, err); ctx.Err() != nil {
			break
		}
	}
	return true
}

// keep keeps what reads a compressed file for who reads on from there, and closes what was kept before. It is for who has the lock.
func (x *textIndex) keep(in *pieces) {
	if x.last != nil && x.last != in {
		_ = x.last.file.Close()
	}
	x.last = in
}

func (f textFile) textsOfLines(ctx context.Context, in *pieces, places []model.Place, mayHold func([]byte) bool, visit func(int, model.Text, error)) bool {
	capture := &decode.TextCapture{}
	d, err := f.capturing(ctx, in.file, capture)
	if err != nil {
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

// pieces is the text of a file that is read in large pieces, a record at a time.
type pieces struct {
	file   fileio.Handle
	info   os.FileInfo
	number int32
	packed bool // it is decompressed, and goes on rather than to begin again
	quoted bool // a newline between double quotes ends nothing

	from  func(offset int64) (io.Reader, error)
	in    io.Reader // what follows the text
	text  []byte    // of the file, from start
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
	if err := p.seek(offset); err != nil {
		p.in = nil
		return nil, err
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
		more, err := io.ReadAtLeast(p.in, p.text[n:n+room], min(room, leastPiece))
		p.text = p.text[:n+more]
		if more > 0 {
			continue
		}
		if n == 0 || !errors.Is(err, io.EOF) {
			p.in = nil
			return nil, errors.Join(errEndsBefore, err)
		}
		return p.text, nil // the last line of a file has no newline
	}
}

// seek makes the text begin at an offset, or before it.
func (p *pieces) seek(offset int64) (err error) {
	end := p.start + int64(len(p.text))
	switch {
	case p.in == nil, offset < p.start, offset > end && !p.packed:
		p.in, err = p.from(offset)
		p.piece = leastPiece
	case offset > end:
		_, err = io.CopyN(io.Discard, p.in, offset-end)
	default:
		return nil
	}
	p.text, p.start = p.text[:0], offset
	return err
}
