package commands

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"vantage/internal/testkit/filetest"
)

// What a step of 8 rows costs each command, of a log of many: reading it, looking for what ails the run, its figures, its line.
func BenchmarkStepOf8Rows(b *testing.B) {
	const steps, rows = 20000, 8
	var text strings.Builder
	for i := range steps * rows {
		step, k := i/rows, i%rows
		fmt.Fprintf(&text, `{"step":%d,"group_id":"g%d","prompt":"What is %d + %d?","response":"It is %d, as %d is less.","reward":%d,"response_length":%d}`+"\n",
			step, step, step%97, step%89, i%1009, k, (i*2654435761>>7)&1, 20+i*7%31)
	}
	path := filepath.Join(b.TempDir(), "rollouts.jsonl")
	filetest.Write(b, path, text.String())
	for name, line := range map[string][]string{
		"summary": {"summary", path},
		"check":   {"check", path, "--fail-on", "short>5"},
		"report":  {"report", path},
		"html":    {"report", path, "--format", "html"},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				p := &program{in: strings.NewReader(""), out: io.Discard, errOut: io.Discard}
				root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
				if err := executeLine(b.Context(), p, root, line); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/steps, "µs/step")
			b.ReportMetric(0, "ns/op")
		})
	}
}
