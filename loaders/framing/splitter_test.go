package framing

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type gotRecord struct {
	Text, Reason   string
	Number, Offset int64
}

func collect(into *[]gotRecord) func(Record) bool {
	return func(r Record) bool {
		*into = append(*into, gotRecord{string(r.Text), r.Reason, r.Number, r.Offset})
		return true
	}
}

// feedBytewise feeds data byte by byte and returns the records.
func feedBytewise(s *Splitter, data string) []gotRecord {
	var got []gotRecord
	for i := range len(data) {
		s.Feed([]byte(data[i:i+1]), collect(&got))
	}
	return got
}

func TestLines(t *testing.T) {
	s := Splitter{Limit: 8}
	got := feedBytewise(&s, "ab\r\n\n123456789\n12345678\nx\x00y\ntorn")
	want := []gotRecord{
		{"ab\r", "", 1, 0},
		{"", "", 2, 4},
		{"", "a line of 9 bytes is not read: the limit is 8", 3, 5},
		{"12345678", "", 4, 15},
		{"", "column 2: a NUL byte: the file was damaged, or not yet written there", 5, 24},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
	if last := s.TakePartial(); string(last.Text) != "torn" || last.Number != 6 || last.Offset != 28 {
		t.Errorf("last %+v", last)
	}
	got = nil
	s.Feed([]byte("\nnext\n"), collect(&got))
	if diff := cmp.Diff([]gotRecord{{"next", "", 7, 33}}, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
}

func TestQuotedRecords(t *testing.T) {
	s := Splitter{Limit: 100, Framing: Framing{Quoted: true}}
	got := feedBytewise(&s, "a,b\n\"1\n2\",\"\"\"\n\"\n\"torn\n")
	want := []gotRecord{{"a,b", "", 1, 0}, {"\"1\n2\",\"\"\"\n\"", "", 2, 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
	if s.PartialIsComplete() {
		t.Error("an open quote counts as complete")
	}
	if next := s.TakePartial(); next.Number != 5 {
		t.Errorf("line %d, want 5", next.Number)
	}
}

func TestRecordsOfSeveralLines(t *testing.T) {
	s := Splitter{Limit: 19, Framing: Framing{RecordPrefix: "> "}}
	got := feedBytewise(&s, "\xef\xbb\xbf> a\nb\n> c\nd\x00\n> 1234567\n1234567890\n> e")
	s.Flush(collect(&got))
	want := []gotRecord{
		{"> a\nb\n", "", 1, 0},
		{"", "column 2: a NUL byte: the file was damaged, or not yet written there", 4, 13},
		{"> c\n", "", 3, 9},
		{"", "a record of more than 64 MB is not read", 5, 16},
		{"> e\n", "", 7, 37},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("-want +got\n" + diff)
	}
	if s.Pending() {
		t.Error("something is left after Flush")
	}
}

// A line over the limit is not kept in memory.
func TestLongLinesAreDropped(t *testing.T) {
	s := Splitter{Limit: 1000}
	piece := bytes.Repeat([]byte("x"), 300)
	for range 10_000 {
		s.Feed(piece, func(Record) bool { return true })
		if len(s.Partial) > 1000 {
			t.Fatalf("%d bytes are kept", len(s.Partial))
		}
	}
}

func TestCutAtNUL(t *testing.T) {
	s := Splitter{Limit: 100}
	s.Feed([]byte("ab\x00\x00"), func(Record) bool { return true })
	if n := s.CutAtNUL(); n != 2 || string(s.Partial) != "ab" {
		t.Errorf("%d bytes cut, %q kept", n, s.Partial)
	}
}
