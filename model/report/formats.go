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

// formatsFoot is said below any list of formats.
const formatsFoot = "\n" +
	"DIR is the folder that you gave the trainer; {x} stands for what the trainer puts there.\n" +
	"Files may be compressed with gzip or zstd. Files of averages (W&B run files, TensorBoard, metrics.jsonl,\n" +
	"trainer_state.json) are refused in a sentence that says where the samples of that trainer are.\n" +
	"A log may be on another machine: host:path, s3://, gs://, hf://, or a table of ClickHouse, clickhouse://,\n" +
	"which `vantage formats clickhouse` describes.\n"

// FormatText writes which logs can be read, and the trainers' options that write them.
func FormatText(w io.Writer, list []Format) error {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%-20s%s\n", f.Name, strings.Join(wrap(f.Doc, 90), "\n"+strings.Repeat(" ", 20)))
		fmt.Fprintf(&b, "%20swritten with: %s\n", "", strings.Join(wrap(f.Writes, 76), "\n"+strings.Repeat(" ", 34)))
		fmt.Fprintf(&b, "%20swritten as:   %s\n%20sthen:         %s\n", "", f.File, "", f.Command)
	}
	b.WriteString(formatsFoot)
	_, err := io.WriteString(w, b.String())
	return err
}

// FormatJSON writes the formats as a list (see writeList), objects of name, doc, writes, file and command.
func FormatJSON(w io.Writer, list []Format) error {
	return writeList(w, "formats", append([]Format{}, list...))
}
