package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/estimators"
)

// decodeAny makes of a value what encoding/json makes of it with UseNumber.
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
		all := []any{}
		EachElement(v, func(e Value) { all = append(all, decodeAny(t, e)) })
		return all
	default:
		return decodeObject(t, v.Raw)
	}
}

func decodeObject(t *testing.T, raw []byte) map[string]any {
	t.Helper()
	all := map[string]any{}
	err := ScanObject(raw, func(key, v Value) { all[string(key.Text())] = decodeAny(t, v) })
	if err != nil {
		t.Fatalf("%q was scanned before, now: %v", raw, err)
	}
	return all
}

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
			t.Fatalf("encoding/json takes %q, we say: %v", line, err)
		}
		if diff := cmp.Diff(want, decodeObject(t, line)); diff != "" {
			t.Errorf("%q: -want +got\n%s", line, diff)
		}
	})
}

func TestScanErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`{"a": 1} tail`, `column 10: "tail" stands where nothing more should be`},
		{`{"a": }`, `column 7: "}" stands where a value should be`},
		{`{"a": "b`, `column 9: the line ends where a closing quote should be`},
		{`{"a" 1}`, `column 6: "1}" stands where ':' should be`},
		{`{"a": 1 "b": 2}`, `column 9: "\"b\": 2}" stands where ',' or '}' should be`},
		{`[1]`, `column 1: "[1]" stands where an object should be`},
		{``, `column 1: the line ends where an object should be`},
		{"{\"a\": \x1b[31m" + strings.Repeat("x", 100), `column 7: "\x1b[31m` + strings.Repeat("x", 35) + `"… stands where a value should be`},
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

func TestToFloat(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64
		ok   bool
	}{
		{`1`, 1, true},
		{`-0.5e1`, -5, true},
		{`true`, 1, true},
		{`false`, 0, true},
		{`"0.25"`, 0.25, true},
		{`" 2 "`, 2, true},
		{`NaN`, math.NaN(), true},
		{`"nan"`, math.NaN(), true},
		{`"inf"`, math.Inf(1), true},
		{`-Infinity`, math.Inf(-1), true},
		{`"-inf"`, math.Inf(-1), true},
		{`1e999`, math.Inf(1), true},
		{`[0.5]`, 0.5, true},
		{`[true]`, 1, true},
		{`[1,2]`, 0, false},
		{`[]`, 0, false},
		{`[[1]]`, 0, false},
		{`"N/A"`, 0, false},
		{`{}`, 0, false},
		{`123456789012345678901234567890`, 123456789012345678901234567890., true},
	} {
		got, ok := valueOf(t, c.in).ToFloat()
		if ok != c.ok || got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v %v, want %v %v", c.in, got, ok, c.want, c.ok)
		}
		if estimators.IsMissing(got) {
			t.Errorf("%s counts as missing", c.in)
		}
	}
	if got, ok := valueOf(t, `null`).ToFloat(); !ok || !estimators.IsMissing(got) {
		t.Errorf("null is %v, %v", got, ok)
	}
}

func TestToInt(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int64
		ok   bool
	}{
		{`7`, 7, true},
		{`-7`, -7, true},
		{`7.0`, 7, true},
		{`"7"`, 7, true},
		{`[7]`, 7, true},
		{`1e3`, 1000, true},
		{`9007199254740993`, 9007199254740993, true},
		{`7.5`, 0, false},
		{`"10/438"`, 0, false},
		{`NaN`, 0, false},
		{`1e999`, 0, false},
		{`null`, 0, false},
		{`true`, 0, false},
		{`[1,2]`, 0, false},
	} {
		if got, ok := valueOf(t, c.in).ToInt(); got != c.want || ok != c.ok {
			t.Errorf("%s: %v %v, want %v %v", c.in, got, ok, c.want, c.ok)
		}
	}
}

func TestToAdvantage(t *testing.T) {
	for _, c := range []struct {
		in   string
		want float64
	}{
		{`0.5`, 0.5}, {`[0, 0, -1.5, -1.5]`, -1.5}, {`[[0, 0.25]]`, 0.25}, {`[0, 0]`, 0}, {`null`, math.NaN()}, {`[]`, math.NaN()}, {`"x"`, math.NaN()},
	} {
		if got := valueOf(t, c.in).ToAdvantage(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %v, want %v", c.in, got, c.want)
		}
	}
}

func valueOf(t *testing.T, raw string) Value {
	t.Helper()
	s := Scanner{Data: []byte(raw)}
	v, err := s.Value()
	if err != nil {
		t.Fatal(raw, err)
	}
	return v
}

// Characters are counted as a decoder would have them.
func TestCountRunes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{`\n`, `\\`, `\"`, `\u00e9`, `\ud83d\ude42`, `\ud83d`, "é", "🙂", "中", "a", "plain text ", `\x`, `\`}), 0, 40).Draw(t, "parts")
		raw := strings.Join(parts, "")
		if got, want := CountRunes([]byte(raw)), utf8.RuneCount(AppendUnescaped(nil, []byte(raw))); got != want {
			t.Fatalf("%q: %d characters, want %d", raw, got, want)
		}
	})
}
