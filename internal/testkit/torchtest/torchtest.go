// Package torchtest writes files as torch.save does: a pickle in a zip file, and the bytes of each tensor in a file of their own.
package torchtest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

// Dict is a dict: keys and values take turns.
type Dict []any

// Tensor is a tensor of one dimension, of a kind of storage as "FloatStorage".
type Tensor struct {
	Storage string
	Bytes   []byte
	Len     int
}

// Floats is a tensor of float32.
func Floats(x ...float32) Tensor { return tensor("FloatStorage", x) }

// Ints is a tensor of int32.
func Ints(x ...int32) Tensor { return tensor("IntStorage", x) }

// Longs is a tensor of int64.
func Longs(x ...int64) Tensor { return tensor("LongStorage", x) }

func tensor[T any](storage string, x []T) Tensor {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, x); err != nil {
		panic(err)
	}
	return Tensor{storage, b.Bytes(), len(x)}
}

// File returns a file that holds a value: a Dict, a []any, a [Tensor], a text, a number, a truth or nil.
func File(tb testing.TB, value any) []byte {
	tb.Helper()
	w := writer{tb: tb}
	w.pickle.WriteString("\x80\x02")
	w.value(value)
	w.pickle.WriteString(".")
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	add := func(name string, data []byte) {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: "archive/" + name, Method: zip.Store})
		if err == nil {
			_, err = entry.Write(data)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	add("data.pkl", w.pickle.Bytes())
	add("byteorder", []byte("little"))
	for i, t := range w.tensors {
		add(fmt.Sprint("data/", i), t.Bytes)
	}
	if err := archive.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// writer writes a pickle of protocol 2.
type writer struct {
	tb      testing.TB
	pickle  bytes.Buffer
	tensors []Tensor
}

func (w *writer) value(v any) {
	put := func(code byte, data any) {
		w.pickle.WriteByte(code)
		_ = binary.Write(&w.pickle, binary.LittleEndian, data)
	}
	switch v := v.(type) {
	case nil:
		w.pickle.WriteByte('N')
	case bool:
		w.pickle.WriteByte(map[bool]byte{true: 0x88, false: 0x89}[v])
	case int:
		put('J', int32(v))
	case float64:
		w.pickle.WriteByte('G')
		_ = binary.Write(&w.pickle, binary.BigEndian, math.Float64bits(v))
	case string:
		put('X', uint32(len(v)))
		w.pickle.WriteString(v)
	case []any:
		w.pickle.WriteString("](")
		w.each(v)
		w.pickle.WriteByte('e')
	case Dict:
		w.pickle.WriteString("}(")
		w.each(v)
		w.pickle.WriteByte('u')
	case Tensor:
		w.pickle.WriteString("ctorch._utils\n_rebuild_tensor_v2\n((")
		w.each([]any{"storage"})
		w.pickle.WriteString("ctorch\n" + v.Storage + "\n")
		w.each([]any{fmt.Sprint(len(w.tensors)), "cpu", v.Len})
		w.pickle.WriteString("tQ")
		w.each([]any{0, v.Len})
		w.pickle.WriteString("\x85")
		w.each([]any{1})
		w.pickle.WriteString("\x85\x89ccollections\nOrderedDict\n)RtR")
		w.tensors = append(w.tensors, v)
	default:
		w.tb.Fatalf("no %T in a pickle", v)
	}
}

func (w *writer) each(values []any) {
	for _, v := range values {
		w.value(v)
	}
}

// List is a list of numbers, or of other values of one type.
func List[T any](x ...T) []any {
	out := make([]any, len(x))
	for i := range x {
		out[i] = x[i]
	}
	return out
}
