package report

import (
	"fmt"
	"io"
	"strings"
)

// Format describes a log format to a user.
type Format struct {
	Name   string `json:"name"`   // value of --input-format
	Doc    string `json:"doc"`    // who writes it, and what it looks like
	Writes string `json:"writes"` // the trainer's option that writes it

	File    string `json:"file"`    // where it is then: "DIR/{step}.jsonl"
	Command string `json:"command"` // the first one for it: "vantage DIR"
}

// FormatText writes which logs can be read, and the trainers' options that write them.
func FormatText(w io.Writer, list []Format) error {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%-20s%s\n", f.Name, strings.Join(wrap(f.Doc, 90), "\n"+strings.Repeat(" ", 20)))
		fmt.Fprintf(&b, "%20swritten with: %s\n", "", strings.Join(wrap(f.Writes, 76), "\n"+strings.Repeat(" ", 34)))
		fmt.Fprintf(&b, "%20swritten as:   %s\n%20sthen:         %s\n", "", f.File, "", f.Command)
	}
	b.WriteString("\nDIR is the folder that the trainer was told of; {x} stands for what the trainer puts there.\nAny of them may be compressed with gzip or zstd. Not read, but recognised: SQLite (trackio); and files of averages (W&B run files, TensorBoard, metrics.jsonl,\ntrainer_state.json), of which is said where the samples of that trainer are.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// FormatJSON writes the formats as a list (see writeList), objects of name, doc, writes, file and command.
func FormatJSON(w io.Writer, list []Format) error {
	return writeList(w, "formats", append([]Format{}, list...))
}
