package pages

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"slices"
	"testing"

	"vantage/loaders/jsonscan"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
)

// Decimals and unsigned integers are the numbers that their logical type says, plain and from a
// dictionary.
func TestLogicalNumbers(t *testing.T) {
	ten := func(exponent int64) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(exponent), nil) }
	fixed := func(n *big.Int, size int) []byte {
		if n.Sign() < 0 {
			n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
		}
		return n.FillBytes(make([]byte, size))
	}
	for name, c := range map[string]struct {
		node   parquet.Node
		values []any
		want   []any
	}{
		"decimal int32": {parquet.Decimal(1, 2, parquet.Int32Type), []any{int32(5), int32(-15)}, []any{0.5, -1.5}},
		"decimal int64": {
			parquet.Decimal(3, 18, parquet.Int64Type), []any{int64(250), int64(-1), int64(999_999_999_999_999_999)}, []any{0.25, -0.001, 999999999999999.999},
		},
		"decimal fixed": {
			parquet.Decimal(4, 36, parquet.FixedLenByteArrayType(15)),
			[]any{fixed(big.NewInt(2500), 15), fixed(big.NewInt(-1), 15), fixed(new(big.Int).Neg(ten(30)), 15)},
			[]any{0.25, -0.0001, -1e26},
		},
		"uint32": {parquet.Uint(32), []any{uint32(math.MaxUint32), uint32(7)}, []any{4294967295.0, 7.0}},
		"uint64": {parquet.Uint(64), []any{uint64(math.MaxUint64), uint64(7)}, []any{18446744073709551615.0, 7.0}},
		"uint8":  {parquet.Uint(8), []any{uint32(255)}, []any{255.0}},
	} {
		for _, node := range []parquet.Node{c.node, parquet.Optional(c.node), parquet.Encoded(c.node, &parquet.RLEDictionary)} {
			schema := parquet.NewSchema("rows", parquet.Group{"reward": node})
			var b bytes.Buffer
			w := parquet.NewWriter(&b, schema)
			for _, v := range c.values {
				level := 0
				if node.Optional() {
					level = 1
				}
				if _, err := w.WriteRows([]parquet.Row{{parquet.ValueOf(v).Level(0, level, 0)}}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			f, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()), &Memory{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := readColumn(f, 0)
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v\n-want +got\n%s", name, err, diff)
			}
			cells := NewCells(f, 1<<20)
			for i, want := range c.want {
				if x, _, ok, err := cells.Cell(0, 0, int64(i)); any(x) != want || !ok || err != nil {
					t.Errorf("%s: cell %d is %v, %v, %v; want %v", name, i, x, ok, err, want)
				}
			}
		}
	}
}

// The decimals of a column of byte arrays have any size.
func TestDecimalOfAnySize(t *testing.T) {
	f := NumberFormat{physical: typeByteArray, meaning: decimal, scale: 2}
	for _, c := range []struct {
		bytes []byte
		want  float64
	}{
		{[]byte{50}, 0.5},
		{[]byte{0xce}, -0.5},
		{[]byte{0, 0xce}, 2.06},
		{append(slices.Repeat([]byte{0xff}, 20), 0xce), -0.5},
		{append([]byte{1}, make([]byte, 16)...), 3.402823669209384634e36},
		{append([]byte{0xff}, make([]byte, 16)...), -3.402823669209384634e36},
	} {
		if got := f.FromBytes(c.bytes); got != c.want {
			t.Errorf("%x: %v, want %v", c.bytes, got, c.want)
		}
	}
	if got := f.FromBytes(nil); !math.IsNaN(got) {
		t.Errorf("no bytes: %v", got)
	}
}

// A float16 is the number that IEEE 754 says.
func TestFloat16(t *testing.T) {
	// A SchemaElement by the specification: type 7, length 2, required, name, logical type 15.
	data := []byte{0x15, 14, 0x15, 4, 0x15, 0, 0x18, 1, 'r', 0x6c, 0x0c, 30, 0, 0, 0}
	e := decodeElement(&thriftDecoder{data: data})
	f := newNumberFormat(&e)
	if kind, _ := storedAs(&e, &f); e.name != "r" || kind != Number {
		t.Fatalf("%+v is read as %v", e, kind)
	}
	for bits, want := range map[uint16]float64{
		0x3800: 0.5, 0xbc00: -1, 0x3555: 0.333251953125, 0x7bff: 65504, 0x0001: 0x1p-24, 0x0400: 0x1p-14, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	} {
		got, err := decodeNumbers(nil, binary.LittleEndian.AppendUint16(nil, bits), &f, 1)
		if err != nil || got[0] != want {
			t.Errorf("%#x: %v, %v; want %v", bits, got, err, want)
		}
	}
	if x := jsonscan.Float16(0x8000); x != 0 || !math.Signbit(x) {
		t.Errorf("-0 is %v", x)
	}
	if x := jsonscan.Float16(0x7e00); !math.IsNaN(x) {
		t.Errorf("NaN is %v", x)
	}
}

// BYTE_STREAM_SPLIT stores the first bytes of all values first, then the second bytes.
func TestByteStreamSplit(t *testing.T) {
	for _, c := range []struct {
		format NumberFormat
		data   []byte
		want   []float64
	}{
		{NumberFormat{physical: typeInt32, width: 4}, []byte{1, 0xff, 2, 0xff, 0, 0xff, 0, 0xff}, []float64{513, -1}},
		{NumberFormat{physical: typeInt32, width: 4, meaning: decimal, scale: 1}, []byte{5, 0xff, 0, 0xff, 0, 0xff, 0, 0xff}, []float64{0.5, -0.1}},
		{NumberFormat{physical: typeFixedByteArray, width: 2, meaning: float16}, []byte{0, 0, 0x38, 0xbc}, []float64{0.5, -1}},
		{NumberFormat{physical: typeFloat, width: 4}, []byte{0, 0, 0, 0, 0, 0x80, 0x3f, 0x3f}, []float64{0.5, 1}},
	} {
		p := Page{
			Rows: 2, reader: &Reader{f: &File{whole: c.data}, column: Column{Kind: Number, Number: c.format}},
			header: header{size: len(c.data), compressedSize: len(c.data), values: 2, encoding: encodingByteStreamSplit},
		}
		got, _, err := p.Numbers(&Buffer{})
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%v\n-want +got\n%s", err, diff)
		}
	}
}
