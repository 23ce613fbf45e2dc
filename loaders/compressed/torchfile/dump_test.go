package torchfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/torchtest"
	"vantage/loaders/fileio"
)

func dump(t *testing.T, file []byte, keep ...string) *Dump {
	t.Helper()
	d, err := OpenDump(bytes.NewReader(file), int64(len(file)), keep...)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Numbers of lists and tensors are read, of torch's own files too: make.py says what is in those.
func TestDump(t *testing.T) {
	long := make([]float64, 100)
	for i := range long {
		long[i] = float64(i) / 4
	}
	d := dump(t, torchtest.File(t, torchtest.Dict{
		"rollout_id", 3, "long", torchtest.List(long...), "lists",
		[]any{torchtest.List(long...), torchtest.List(1, 2)},
		"others", torchtest.List(long...),
		"gap",
		[]any{-1.5, nil, true},
		"words", torchtest.List("4", "5"), "float", torchtest.Floats(-0.5, float32(math.Inf(1))),
		"int", torchtest.Ints(1, 0, -1), "id", torchtest.Longs(7), "bfloat",
		torchtest.Tensor{Storage: "BFloat16Storage", Bytes: []byte{0x80, 0xbf}, Len: 1},
		"half",
		torchtest.Tensor{Storage: "HalfStorage", Bytes: []byte{0x00, 0x38}, Len: 1},
		"short",
		torchtest.Tensor{Storage: "FloatStorage", Bytes: []byte{0}, Len: 9},
		"strange",
		torchtest.Tensor{Storage: "QUInt8Storage", Bytes: []byte{0}, Len: 1},
		"text", string(make([]byte, 5000)), "empty", torchtest.Floats(),
	}), "long", "lists")
	for key, want := range map[string]string{
		"float": "[-0.5 +Inf] true", "int": "[1 0 -1] true", "id": "[7] true", "bfloat": "[-1] true", "half": "[0.5] true", "gap": "[-1.5 NaN 1] true",
		"short": "[] false", "strange": "[] false", "words": "[] false", "text": "[] false", "none": "[] false", "empty": "[] true",
	} {
		if got, ok := d.Field(key).Numbers(); fmt.Sprint(got, ok) != want {
			t.Errorf("%s: %v %v, want %s", key, got, ok, want)
		}
	}
	for _, v := range []Value{d.Field("long"), d.Field("lists").At(0)} {
		if got, ok := v.Numbers(); !ok || len(got) != 100 || got[99] != 24.75 || v.Len() != 100 {
			t.Errorf("a long list: %v, %v", got, ok)
		}
	}
	if got, ok := d.Field("others").Numbers(); ok {
		t.Errorf("a list that nobody asked for: %v", got)
	}
	if id, ok := d.Field("rollout_id").Int(); id != 3 || !ok {
		t.Errorf("rollout %d, %v", id, ok)
	}
	if version, ok := d.Field("words").At(1).Int(); version != 5 || !ok || d.Field("words").At(2).IsThere() || !d.Field("text").IsThere() {
		t.Errorf("version %d, %v", version, ok)
	}
	for _, name := range []string{"protocol2.pt", "protocol5.pt"} {
		d := dump(t, read(t, name), "rollout_log_probs")
		first := d.Field("samples").At(0)
		zeros, ok := first.Field("rollout_routed_experts").Numbers()
		sampler, too := first.Field("rollout_log_probs").Numbers()
		if !ok || !too || !slices.Equal(zeros, make([]float32, 6)) || len(sampler) != 200 || sampler[199] != -0.25 {
			t.Errorf("%s: %v %v, %v %v", name, zeros, ok, sampler, too)
		}
	}
}

// Numbers beyond what may be kept are dropped, and their list is then none.
func TestTooManyNumbers(t *testing.T) {
	m := newMachine(bufio.NewReader(strings.NewReader("}(X\x01\x00\x00\x00a](K\x01K\x02eX\x01\x00\x00\x00b](K\x03K\x04eu.")))
	m.tensors, m.keep, m.numbers = true, []string{"a", "b"}, 3
	v, err := m.load()
	if err != nil {
		t.Fatal(err)
	}
	a, whole := Value{v: v}.Field("a").Numbers()
	b, cut := Value{v: v}.Field("b").Numbers()
	if !slices.Equal(a, []float32{1, 2}) || !whole || cut {
		t.Errorf("%v %v, %v %v", a, whole, b, cut)
	}
}

// FuzzDump reads damaged files: no number comes from beyond a file, and a reason follows.
func FuzzDump(f *testing.F) {
	whole := torchtest.File(f, torchtest.Dict{"samples", []any{torchtest.Dict{"log_probs", torchtest.Floats(-1, -2), "mask", torchtest.List(1, 0)}}})
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := OpenDump(bytes.NewReader(file), int64(len(file)), "mask")
		if err != nil {
			if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, fileio.ErrNotRead) {
				t.Fatal(err)
			}
			return
		}
		samples := d.Field("samples")
		for i := range samples.Len() {
			numbers, _ := samples.At(i).Field("log_probs").Numbers()
			if len(numbers) > len(file) {
				t.Fatalf("%d numbers of %d bytes", len(numbers), len(file))
			}
			samples.At(i).Field("mask").Numbers()
		}
	})
}

// Other files, and one that is cut off, say what they are.
func TestOtherDumps(t *testing.T) {
	whole := torchtest.File(t, torchtest.Dict{"samples", []any{}})
	for text, want := range map[string]error{
		"\x80\x02}q\x00.": errNoZip, "": io.ErrUnexpectedEOF, string(whole[:len(whole)-9]): io.ErrUnexpectedEOF, "PK": io.ErrUnexpectedEOF,
	} {
		if _, err := OpenDump(bytes.NewReader([]byte(text)), int64(len(text))); !errors.Is(err, want) {
			t.Errorf("%.20q: %v, want %v", text, err, want)
		}
	}
}
