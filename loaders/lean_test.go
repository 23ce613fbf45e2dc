//go:build lean

package loaders

import (
	"strings"
	"testing"
)

// The small build refuses a Parquet file of conversations in a sentence that says which build reads it.
func TestLeanRefusesConversations(t *testing.T) {
	w := trainer{t, t.TempDir()}
	w.add("completions_00001.parquet", chatTable(t, chatRows(1)))
	s, err := Open([]string{w.dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	got := drain(t, s)
	const want = "completions_00001.parquet: this is the small build of vantage (-tags lean), which reads no lists and structs in Parquet files, as conversations are: take the whole build"
	if len(got.Records) > 0 || len(got.Problems) != 1 || !strings.Contains(got.Problems[0].String(), want) {
		t.Errorf("%d samples, %v", len(got.Records), got.Problems)
	}
}
