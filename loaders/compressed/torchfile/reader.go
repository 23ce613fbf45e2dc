// Package torchfile reads the rollouts that slime and miles save with torch.save, as JSON lines.
//
// In: the bytes of a .pt file, {"rollout_id": 3, "samples": [{…}, …]} as a pickle in a zip file. Out: a line of JSON for each
// sample, with the rollout's id as "step". Package compressed calls [NewReader]. [OpenDump] gives package logprobs the numbers of lists
// and tensors, too, also of what was trained.
//
// A pickle is a program for Python. Nothing of it is run here: its classes are names, its calls are kept as data of that name, and only
// dicts, lists, texts and numbers become JSON. What it claims of sizes is not believed, and how much of it is kept is bounded. Long
// lists of numbers (tokens, masks, log probabilities) are counted and not kept, and tensors are not read, unless they are asked for.
package torchfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"runtime/debug"
	"strconv"
	"strings"

	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

// reader is the JSON lines of a file. The pickle is read when the first of them is asked for.
type reader struct {
	in      *bufio.Reader
	loaded  bool
	step    any
	samples []any
	line    []byte // not yet returned
	out     []byte // of the line that is written
	work    int    // values and keys that may still be looked at
	err     error
}

// NewReader returns the samples of a .pt file as JSON lines. Its errors are [fileio.ErrNotRead], with the reason, and
// [io.ErrUnexpectedEOF] if the file ends early.
func NewReader(file io.Reader) io.Reader {
	return &reader{in: bufio.NewReaderSize(file, 64<<10), work: maxWork}
}

func (r *reader) Read(p []byte) (int, error) {
	if !r.loaded {
		r.loaded = true
		r.err = r.load()
	}
	for len(r.line) == 0 && r.err == nil {
		r.next()
	}
	if len(r.line) == 0 {
		return 0, r.err
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

func (r *reader) load() error {
	if err := openPickle(r.in); err != nil {
		return err
	}
	v, err := newMachine(r.in).load()
	if err != nil {
		return err
	}
	if d, ok := v.(*dict); ok {
		if l, ok := d.get("samples").(*list); ok {
			r.step, r.samples = d.get("rollout_id"), l.items
			return nil
		}
	}
	return errNoRollout
}

var errNoRollout = fileio.NotRead("it is a file of torch.save without the samples of a rollout: slime and miles write those " +
	"with --save-debug-rollout-data, or with --dump-details DIR as DIR/rollout_data/{rollout_id}.pt")

func (r *reader) next() {
	if len(r.samples) == 0 {
		r.err = io.EOF
		return
	}
	sample := r.samples[0]
	r.samples[0] = nil
	r.samples = r.samples[1:]
	d, ok := sample.(*dict)
	if !ok {
		return // no sample
	}
	r.out = r.out[:0]
	r.object(&dict{keys: append([]any{"step"}, d.keys...), values: append([]any{r.step}, d.values...)}, 0)
	if r.out = append(r.out, '\n'); r.err == nil {
		r.line = r.out
	}
}

// A zip file is read from its start, as it also comes through a pipe. torch.save puts the pickle first, not compressed, and the
// pickle says itself where it ends, so the list of files at the end of the zip file is not needed.

const (
	localHeader = "PK\x03\x04"
	headerSize  = 30
	pickleName  = "/data.pkl"
	maxEntries  = 16 // before the pickle
)

// openPickle skips to the pickle of a zip file of torch.
func openPickle(in *bufio.Reader) error {
	short := binary.LittleEndian.Uint16
	for range maxEntries {
		var head [headerSize]byte
		_, err := io.ReadFull(in, head[:])
		if err == nil && string(head[:4]) != localHeader {
			break
		}
		name := make([]byte, short(head[26:]))
		if err == nil {
			_, err = io.ReadFull(in, name)
		}
		if err == nil {
			_, err = in.Discard(int(short(head[28:])))
		}
		flags, method, size := short(head[6:]), short(head[8:]), binary.LittleEndian.Uint32(head[18:])
		switch {
		case err != nil:
			return endsEarly(err)
		case strings.HasSuffix(string(name), pickleName) && method == 0:
			return nil
		case flags&8 != 0 || size == 1<<32-1: // its size stands behind it
			return errNoTorch
		}
		if _, err := in.Discard(int(size)); err != nil {
			return endsEarly(err)
		}
	}
	return errNoTorch
}

// endsEarly makes the end of the file an error: it may still be written.
func endsEarly(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

var errNoTorch = fileio.NotRead("it is a zip file, but not of torch.save: unpack it")

// The bounds of what is kept of a pickle. A rollout of 10,000 samples has less than 500,000 values that are remembered.
const (
	maxStack = 1 << 20  // values between two marks, and marks
	maxMemo  = 1 << 23  // values that are remembered
	maxWork  = 1 << 26  // values that are written: one that stands in several places is written as often
	maxText  = 64 << 20 // bytes of a text
	maxName  = 1 << 10  // bytes of a class or of a number in text
	maxDepth = 64       // dicts and lists in one another
)

// maxTexts is how many bytes of text are kept: a quarter of what the program may take, and 1 GB at most.
func maxTexts() int64 { return min(max(64<<20, debug.SetMemoryLimit(-1)/4), 1<<30) }

// maxKept is how many values lists and dicts have together: 16 million, and fewer where memory is scarce, as an empty dict takes 64 bytes
// and one in the file.
func maxKept() int { return int(min(max(1<<20, debug.SetMemoryLimit(-1)/256), 1<<24)) }

func tooMuch(what string) error {
	return fileio.NotRead("it holds more %s than any rollout of slime or miles: it is not theirs, or damaged", what)
}

// value writes a value as JSON, as Python's json.dumps does: NaN and Infinity as they are.
func (r *reader) value(v any, depth int) {
	switch {
	case depth > maxDepth:
		r.err = fileio.NotRead("it holds dicts or lists more than %d deep: it is damaged", maxDepth)
		return
	case len(r.out) > maxText:
		r.err = fileio.NotRead("it holds a sample of more than %d MB: it is damaged", maxText>>20)
		return
	case r.err != nil:
		return
	case r.work < 0:
		r.err = tooMuch("values")
		return
	}
	r.work--
	switch v := v.(type) {
	case nil:
		r.out = append(r.out, "null"...)
	case bool:
		r.out = strconv.AppendBool(r.out, v)
	case int64:
		r.out = strconv.AppendInt(r.out, v, 10)
	case float64:
		r.out = jsonscan.AppendNumber(r.out, v)
	case string:
		r.out = jsonscan.AppendText(r.out, v)
	case *list:
		r.out = append(r.out, '[')
		for _, item := range v.items {
			if r.value(item, depth+1); r.err != nil {
				return
			}
			r.out = append(r.out, ',')
		}
		r.out = jsonscan.AppendEnd(r.out, ']')
	case *dict:
		r.object(v, depth)
	case *object:
		r.out = jsonscan.AppendText(r.out, "<"+v.name+">")
	}
}

// object writes a dict. Lists of which numbers were dropped are left out, and so are keys that are no text.
func (r *reader) object(d *dict, depth int) {
	r.out = append(r.out, '{')
	r.work -= len(d.keys)
	for i, key := range d.keys {
		name, isText := key.(string)
		l, isList := d.values[i].(*list)
		isCut := isList && l.dropped > 0
		isOtherStep := depth == 0 && i > 0 && name == "step"
		if !isText || isCut || isOtherStep {
			continue
		}
		r.out = append(jsonscan.AppendText(r.out, name), ':')
		if r.value(d.values[i], depth+1); r.err != nil {
			return
		}
		r.out = append(r.out, ',')
	}
	r.out = jsonscan.AppendEnd(r.out, '}')
}
