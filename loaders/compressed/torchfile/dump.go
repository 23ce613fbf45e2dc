package torchfile

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

// Dump is what a file of torch.save holds: dicts, lists and numbers, and tensors whose numbers are read when they are asked for. Long
// texts are empty.
type Dump struct {
	Value
	entries map[string]*zip.File // of storages, by their key
	file    io.ReaderAt
	left    int64 // bytes of tensors that may still be read
	kinds   map[string]storageKind
}

// OpenDump reads the pickle of a file of torch.save, and no numbers of a tensor. Of lists of numbers it keeps those below a key of keep
// whole. Its errors are those of [NewReader].
func OpenDump(file io.ReaderAt, size int64, keep ...string) (*Dump, error) {
	var start [len(localHeader)]byte
	if n, _ := file.ReadAt(start[:], 0); !strings.HasPrefix(localHeader, string(start[:n])) {
		return nil, errNoZip
	}
	archive, err := zip.NewReader(file, size)
	if err != nil {
		return nil, io.ErrUnexpectedEOF // the list of files is at the end
	}
	d := &Dump{entries: map[string]*zip.File{}, file: file, left: 4*size + 1<<20, kinds: storageKinds()}
	var pickle *zip.File
	for _, entry := range archive.File {
		switch dir, name := path.Split(entry.Name); {
		case name == path.Base(pickleName) && pickle == nil:
			pickle = entry
		case path.Base(dir) == "data":
			d.entries[name] = entry
		case name == "byteorder" && bigEndian(entry):
			return nil, fileio.NotRead("its numbers are those of a machine that writes the high byte first: save it again on another one")
		}
	}
	if pickle == nil {
		return nil, errNoTorch
	}
	in, err := pickle.Open()
	if err != nil {
		return nil, errNoTorch
	}
	defer in.Close()
	m := newMachine(bufio.NewReaderSize(in, 64<<10))
	m.tensors, m.keep = true, keep
	v, err := m.load()
	if err != nil {
		return nil, err
	}
	d.Value = Value{v, d}
	return d, nil
}

var errNoZip = fileio.NotRead("it is not a zip file, as torch.save writes it")

func bigEndian(entry *zip.File) bool {
	in, err := entry.Open()
	if err != nil {
		return false
	}
	defer in.Close()
	order, _ := io.ReadAll(io.LimitReader(in, 3))
	return string(order) == "big"
}

// Value is a value of a [Dump]. The zero value is one that is not there, as is None.
type Value struct {
	v    any
	dump *Dump
}

// IsThere reports whether it is a value, and not None.
func (v Value) IsThere() bool { return v.v != nil }

// Field is the value of a dict's key.
func (v Value) Field(key string) Value {
	if d, ok := v.v.(*dict); ok {
		return Value{d.get(key), v.dump}
	}
	return Value{}
}

// Len is the number of elements of a list or a tuple, 0 of anything else.
func (v Value) Len() int {
	if l, ok := v.v.(*list); ok {
		return max(len(l.items), len(l.numbers))
	}
	return 0
}

// At is the i-th element of a list or a tuple. It is not there if the list has fewer.
func (v Value) At(i int) Value {
	l, ok := v.v.(*list)
	switch {
	case !ok || i < 0:
	case i < len(l.items):
		return Value{l.items[i], v.dump}
	case i < len(l.numbers):
		return Value{l.numbers[i], v.dump}
	}
	return Value{}
}

// Int is a whole number, also one in a text.
func (v Value) Int() (int64, bool) {
	switch x := v.v.(type) {
	case int64:
		return x, true
	case float64:
		return int64(x), x == math.Trunc(x) && math.Abs(x) <= 1<<53
	case string:
		n, err := strconv.ParseInt(x, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// Numbers are those of a list or a tensor. It is false for anything else, for a list of which not all were kept, and for a tensor that
// cannot be read.
func (v Value) Numbers() ([]float32, bool) {
	switch x := v.v.(type) {
	case *list:
		return x.float32s()
	case *object:
		return v.dump.tensor(x)
	}
	return nil, false
}

func (l *list) float32s() ([]float32, bool) {
	out := make([]float32, 0, max(len(l.items), len(l.numbers)))
	for _, x := range l.numbers {
		out = append(out, float32(x))
	}
	for _, item := range l.items {
		x, ok := number(item)
		if !ok {
			return nil, false
		}
		out = append(out, float32(x))
	}
	return out, l.dropped == 0
}

// number is a value as a number: None is NaN.
func number(v any) (x float64, ok bool) {
	switch v := v.(type) {
	case nil:
		return math.NaN(), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// The names that stand for a tensor in a pickle, and for the bytes that it shows.
const (
	tensorCall  = "torch._utils._rebuild_tensor_v2"
	storageName = "storage"
)

// storageKind is how a storage writes a number.
type storageKind struct {
	size int
	read func([]byte) float32
}

// storageKinds are those of torch, by the class.
func storageKinds() map[string]storageKind {
	little := binary.LittleEndian
	return map[string]storageKind{
		"torch.FloatStorage":    {4, func(b []byte) float32 { return math.Float32frombits(little.Uint32(b)) }},
		"torch.DoubleStorage":   {8, func(b []byte) float32 { return float32(math.Float64frombits(little.Uint64(b))) }},
		"torch.BFloat16Storage": {2, func(b []byte) float32 { return math.Float32frombits(uint32(little.Uint16(b)) << 16) }},
		"torch.HalfStorage":     {2, func(b []byte) float32 { return float32(jsonscan.Float16(little.Uint16(b))) }},
		"torch.LongStorage":     {8, func(b []byte) float32 { return float32(int64(little.Uint64(b))) }},
		"torch.IntStorage":      {4, func(b []byte) float32 { return float32(int32(little.Uint32(b))) }},
		"torch.ShortStorage":    {2, func(b []byte) float32 { return float32(int16(little.Uint16(b))) }},
		"torch.CharStorage":     {1, func(b []byte) float32 { return float32(int8(b[0])) }},
		"torch.ByteStorage":     {1, func(b []byte) float32 { return float32(b[0]) }},
		"torch.BoolStorage":     {1, func(b []byte) float32 { return float32(b[0]) }},
	}
}

// tensor reads the numbers of a tensor, in their order: those that follow one another in their storage, as torch.save leaves them.
func (d *Dump) tensor(o *object) ([]float32, bool) {
	call, ok := o.args.(*list)
	if o.name != tensorCall || !ok || len(call.items) < 4 {
		return nil, false
	}
	args := Value{call, d}
	from, isInt := args.At(1).Int()
	n, whole := contiguous(args.At(2), args.At(3))
	held, known := d.storageOf(args.At(0))
	if !isInt || !whole || !known {
		return nil, false
	}
	length := int64(held.entry.UncompressedSize64) / int64(held.kind.size)
	if from < 0 || n > length || from > length-n {
		return nil, false
	}
	if d.left -= n * int64(held.kind.size); d.left < 0 {
		return nil, false
	}
	raw := make([]byte, n*int64(held.kind.size))
	if !held.read(d.file, raw, from) {
		return nil, false
	}
	out := make([]float32, n)
	for i := range out {
		out[i] = held.kind.read(raw[i*held.kind.size:])
	}
	return out, true
}

// storage is what holds the bytes of tensors.
type storage struct {
	entry *zip.File
	kind  storageKind
}

func (d *Dump) storageOf(v Value) (s storage, ok bool) {
	o, isObject := v.v.(*object)
	if !isObject || o.name != storageName {
		return s, false
	}
	id := Value{o.args, d}
	class, isClass := id.At(1).v.(*object)
	key, isText := id.At(2).v.(string)
	if !isClass || !isText {
		return s, false
	}
	s.kind, ok = d.kinds[class.name]
	s.entry = d.entries[key]
	return s, ok && s.entry != nil && s.entry.Method == zip.Store && s.entry.UncompressedSize64 <= math.MaxInt64
}

// read fills bytes from the number at a place on.
func (s storage) read(file io.ReaderAt, raw []byte, from int64) bool {
	at, err := s.entry.DataOffset()
	if err != nil {
		return false
	}
	n, _ := file.ReadAt(raw, at+from*int64(s.kind.size))
	return n == len(raw)
}

// contiguous is how many numbers a tensor of a size has, and whether they follow one another.
func contiguous(size, stride Value) (n int64, whole bool) {
	n = 1
	if size.Len() != stride.Len() {
		return 0, false
	}
	for i := size.Len() - 1; i >= 0; i-- {
		length, ok := size.At(i).Int()
		step, known := stride.At(i).Int()
		switch {
		case !ok || !known || length < 0 || length > maxElements:
			return 0, false
		case length > 1 && step != n:
			return 0, false
		}
		if n *= length; n > maxElements {
			return 0, false
		}
	}
	return n, true
}

// maxElements is how many numbers of one tensor are read.
const maxElements = 1 << 26
