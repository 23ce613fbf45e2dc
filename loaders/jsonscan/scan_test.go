package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// decodeAny decodes a value as encoding/json does with UseNumber.
func decodeAny(t *testing.T, v Value) any {
	t.Helper()
	switch v.Kind {
	case Null:
		return nil
	case Bool:
		return string(v.Raw) == "true"
	case Number:
		return json.Number(v.Raw)
	case String:
		return string(v.Text())
	case Array:
		elements := []any{}
		v.EachElement(func(e Value) { elements = append(elements, decodeAny(t, e)) })
		return elements
	default:
		return decodeObject(t, v.Raw)
	}
}

func decodeObject(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	fields := map[string]any{}
	err := ScanObject(raw, func(key, v Value) { fields[string(key.Text())] = decodeAny(t, v) })
	if err != nil {
		t.Fatalf("%q was scanned before, now: %v", raw, err)
	}
	return fields
}

// What encoding/json decodes is scanned without error, and holds the same.
func FuzzScanObject(f *testing.F) {
	for _, s := range []string{
		`{"input":"a\nb","output":"\ud83d\ude42","score":1.0,"step":1}`, `{"a":{"b":[1,2,{"c":null}]},"a":-0.5e-3}`,
		`{"a":NaN,"b":-Infinity}`, `{"\u0061":"\ud800x\udc00"}`, "{\"a\":\"\xff\xfe\"}", `{"a":"\\\\\"","b":true}`, `{`, `{"a"`,
		"\xef\xbb\xbf{}", " { } \r", `{"a":1}x`, `{"a":01}`, `{"a":[[[[]]]]}`, `[]`, `{"a":"\u12"}`, "{\"a\":\"\x00\"}", `{"a":1e999}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		n := 0
		err := ScanObject(line, func(_, v Value) { n += CountRunes(v.Raw) })
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		var want map[string]any
		if d.Decode(&want) != nil || want == nil {
			return
		}
		if _, after := d.Token(); !errors.Is(after, io.EOF) {
			return
		}
		if err != nil {
			if strings.Contains(err.Error(), "nesting") {
				return
			}
			t.Fatalf("%q: %v, and encoding/json decodes it", line, err)
		}
		if diff := cmp.Diff(want, decodeObject(t, line)); diff != "" {
			t.Errorf("%q: -want +got\n%s", line, diff)
		}
	})
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"a": 1} tail`, `column 10: "tail" where nothing more should be`},
		{`{"a": }`, `column 7: "}" where a value should be`},
		{`{"a": "b`, `column 9: the line ends where a closing quote should be`},
		{`{"a" 1}`, `column 6: "1}" where ':' should be`},
		{`{"a": 1 "b": 2}`, `column 9: "\"b\": 2}" where ',' or '}' should be`},
		{`[1]`, `column 1: "[1]" where an object should be`},
		{``, `column 1: the line ends where an object should be`},
		{"{\"a\": \x1b[31m" + strings.Repeat("x", 100), `column 7: "\x1b[31m` + strings.Repeat("x", 35) + `"… where a value should be`},
	} {
		if err := ScanObject([]byte(c.line), nil); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.line, err, c.want)
		}
	}
	for _, depth := range []int{maxDepth + 1, 1_000_000} {
		if ScanObject([]byte(`{"a":`+strings.Repeat("[", depth)), nil) == nil {
			t.Errorf("%d levels are accepted", depth)
		}
	}
}

// Lists of plain values are left as they are, and other values are found behind them.
func TestPluckLists(t *testing.T) {
	for record, want := range map[string]string{
		`{"a": [1, 2], "b": 3}`:               "[1, 2] 3",
		`{"a": [[1, oops]], "b": [{"c": 1}]}`: `[[1, oops]] [{"c": 1}]`,
		`{"a": ["]", 1], "b": []}`:            `["]", 1] []`,
	} {
		v, err := PluckLists([]byte(record), "a", "b")
		if err != nil || string(v[0].Raw)+" "+string(v[1].Raw) != want {
			t.Errorf("%s: %s %s, %v", record, v[0].Raw, v[1].Raw, err)
		}
	}
	for _, record := range []string{`{"a": [1, 2`, `{"a": ["]`, `{"a": [[1]`, `{"a": [1]]}`} {
		if _, err := PluckLists([]byte(record), "a"); err == nil {
			t.Errorf("%s is no error", record)
		}
	}
}
