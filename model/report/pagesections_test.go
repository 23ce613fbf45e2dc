package report

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// sectionsOf returns a section of a page for each framework, in the order of the list, with what a command prints of its
// entries, and before them links to each. title is that of all, under which the sections are.
func sectionsOf[Entry any](t *testing.T, under string, all []Entry, framework func(Entry) string, write func(io.Writer, []Entry) error) string {
	t.Helper()
	var links []string
	var sections strings.Builder
	for len(all) > 0 {
		name, n := framework(all[0]), 1
		for n < len(all) && framework(all[n]) == name {
			n++
		}
		var text bytes.Buffer
		if err := write(&text, all[:n]); err != nil {
			t.Fatal(err)
		}
		links = append(links, "["+name+"](#"+strings.ToLower(strings.ReplaceAll(name, ".", ""))+")")
		sections.WriteString("\n" + under + " " + name + "\n\n```text\n" + text.String() + "```\n")
		all = all[n:]
	}
	return strings.Join(links, " · ") + "\n" + sections.String()
}
