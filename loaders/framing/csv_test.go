package framing

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Cells are those of encoding/csv where that can read the record.
func FuzzSplitCSV(f *testing.F) {
	for _, record := range []string{`a,b`, `"a","b""c",`, `,`, `"a` + "\n" + `b",c`, `"open`, `a "b",c`} {
		f.Add(record)
	}
	f.Fuzz(func(t *testing.T, record string) {
		var got []string
		for _, cell := range SplitCSV(nil, []byte(record), ',') {
			got = append(got, string(cell))
		}
		r := csv.NewReader(strings.NewReader(record + "\n"))
		want, err := r.Read()
		if err != nil || strings.HasPrefix(record, "\n") || strings.Contains(record, "\r") || r.InputOffset() != int64(len(record)+1) {
			return
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -encoding/csv +got\n%s", record, diff)
		}
	})
}
