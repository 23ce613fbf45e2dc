package report

import (
	"strconv"
	"strings"

	"vantage/model/sanitize"
)

// csvText returns text of a log as a cell of CSV: sanitised, and with an apostrophe before it where a
// spreadsheet would take it for a formula and run it. Numbers stay as they are.
func csvText(s string) string {
	s = sanitize.Line(s)
	if s == "" || !strings.ContainsRune("=+-@", rune(s[0])) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
