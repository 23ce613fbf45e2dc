package parquettest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"reflect"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Claims returns copies of a Parquet file in each of which one integer of the footer or of the header of
// a page is another: the largest of its size, minus one, or a million times what it was. All else is as
// it was, and whole.
func Claims(file []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		t := takeApart(file)
		for _, place := range t.integers() {
			for _, claim := range [...]int64{math.MaxInt64, -1, 1 << 20} {
				before := place.value.Int()
				place.value.SetInt(claimed(place.value, before, claim))
				name, again := fmt.Sprintf("%s = %d", place.name, place.value.Int()), t.file(place.inHeader)
				place.value.SetInt(before)
				t.file(true)
				if !yield(name, again) {
					return
				}
			}
		}
	}
}

// Lengths returns copies of a Parquet file in each of which one byte of the footer, which may be the
// length of a list or a text, is a large number.
func Lengths(file []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		n := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
		start := len(file) - 8 - n
		for i := range n {
			for _, claim := range [...]uint64{math.MaxInt32, math.MaxInt64} {
				footer := binary.AppendUvarint(bytes.Clone(file[start:start+i]), claim)
				footer = append(footer, file[start+i+1:len(file)-8]...)
				again := append(file[:start:start], footer...)
				again = append(binary.LittleEndian.AppendUint32(again, uint32(len(footer))), "PAR1"...)
				if !yield(fmt.Sprintf("byte %d of the footer = %d", i, claim), again) {
					return
				}
			}
		}
	}
}

// claimed returns a number that fits where before was.
func claimed(place reflect.Value, before, claim int64) int64 {
	if claim > 0 && claim < math.MaxInt64 {
		claim *= max(1, before)
	}
	if place.OverflowInt(claim) {
		return 1<<(place.Type().Bits()-1) - 1
	}
	return claim
}

// parts are the parts of a Parquet file.
type parts struct {
	footer format.FileMetaData
	pages  [][]page // by chunk
}

type page struct {
	header format.PageHeader
	body   []byte
}

var compact thrift.CompactProtocol

// takeApart takes a Parquet file apart.
func takeApart(file []byte) *parts {
	t := &parts{}
	n := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	must(thrift.Unmarshal(&compact, file[len(file)-8-n:len(file)-8], &t.footer))
	for _, g := range t.footer.RowGroups {
		for _, c := range g.Columns {
			t.pages = append(t.pages, pagesOf(file, &c.MetaData))
		}
	}
	t.file(true)
	return t
}

func pagesOf(file []byte, c *format.ColumnMetaData) (all []page) {
	from := c.DataPageOffset
	if c.DictionaryPageOffset > 0 {
		from = c.DictionaryPageOffset
	}
	for r := bytes.NewReader(file[from : from+c.TotalCompressedSize]); r.Len() > 0; {
		p := page{}
		must(thrift.NewDecoder(compact.NewReader(r)).Decode(&p.header))
		p.body = make([]byte, p.header.CompressedPageSize)
		_, err := r.Read(p.body)
		must(err)
		all = append(all, p)
	}
	return all
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// file puts the file together. With layout it sets where chunks begin and what they measure.
func (t *parts) file(layout bool) []byte {
	file, chunk := []byte("PAR1"), 0
	for _, g := range t.footer.RowGroups {
		for k := range g.Columns {
			c, start := &g.Columns[k].MetaData, int64(len(file))
			for i := range t.pages[chunk] {
				p := &t.pages[chunk][i]
				if layout && i == 0 && c.DictionaryPageOffset > 0 {
					c.DictionaryPageOffset = start
				}
				if layout && i == 0 || layout && i == 1 && c.DictionaryPageOffset > 0 {
					c.DataPageOffset = int64(len(file))
				}
				header, err := thrift.Marshal(&compact, &p.header)
				must(err)
				file = append(append(file, header...), p.body...)
			}
			if chunk++; layout {
				c.TotalCompressedSize = int64(len(file)) - start
			}
		}
	}
	footer, err := thrift.Marshal(&compact, &t.footer)
	must(err)
	file = append(file, footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), "PAR1"...)
}

// integer is a number in a file, and its name.
type integer struct {
	name     string
	value    reflect.Value
	inHeader bool
}

func (t *parts) integers() (all []integer) {
	all = appendIntegers(all, "footer", reflect.ValueOf(&t.footer).Elem(), false)
	for i, chunk := range t.pages {
		for k := range chunk {
			all = appendIntegers(all, fmt.Sprintf("chunk %d page %d", i, k), reflect.ValueOf(&chunk[k].header).Elem(), true)
		}
	}
	return all
}

func appendIntegers(all []integer, name string, v reflect.Value, inHeader bool) []integer {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				all = appendIntegers(all, name+"."+v.Type().Field(i).Name, v.Field(i), inHeader)
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			all = appendIntegers(all, name, v.Elem(), inHeader)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() != reflect.Uint8 {
				all = appendIntegers(all, fmt.Sprintf("%s[%d]", name, i), v.Index(i), inHeader)
			}
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		all = append(all, integer{name, v, inHeader})
	default: // nothing that counts
	}
	return all
}
