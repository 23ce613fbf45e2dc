package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Format is a kind of log as a person is told of it.
type Format struct {
	Name   string `json:"name"`   // as --input-format spells it
	Doc    string `json:"doc"`    // who writes it, and what it looks like
	Writes string `json:"writes"` // what a trainer must be told so that it writes it
}

// FormatText writes what can be read, and how trainers are told to write it.
func FormatText(w io.Writer, list []Format) error {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%-20s%s\n", f.Name, strings.Join(wrap(f.Doc, 90), "\n"+strings.Repeat(" ", 20)))
		fmt.Fprintf(&b, "%20swritten with: %s\n", "", strings.Join(wrap(f.Writes, 76), "\n"+strings.Repeat(" ", 34)))
	}
	b.WriteString("\nAny of them may be compressed with gzip or zstd. Not read, but recognised: torch files (slime),\nW&B run files, TensorBoard, SQLite (trackio).\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// FormatJSON writes the list as an array of objects with name, doc and writes.
func FormatJSON(w io.Writer, list []Format) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}
