package report

import (
	"fmt"
	"io"
)

// writeList writes a list of what there is, under its name and with a schema of that name:
//
//	{"schema": "vantage/estimators@1", "estimators": [{…}], "complete": true}
func writeList(w io.Writer, name string, entries any) error {
	_, err := fmt.Fprintf(w, "{\n  \"schema\": \"vantage/%s@1\",\n  %q: %s,\n  \"complete\": true\n}\n", name, name, indented(entries, "  "))
	return err
}
