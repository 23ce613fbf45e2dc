package jsonscan

import (
	"math"
	"testing"

	"vantage/estimators"
)

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
