package report

import (
	"strings"
	"time"

	"vantage/model/sanitize"
)

// Head says what a report is of, when it was written and by which version of the program, so that a page
// which was sent says so by itself. What is empty is left out.
type Head struct {
	Path    string
	Date    time.Time
	Version string
	Command string // that writes the same report again, to be run in a shell; only the HTML page has it
}

// written returns the date with the version: "2026-01-02 03:04:05 UTC by vantage v1.2.3"; "" without a date.
func (h Head) written() string {
	if h.Date.IsZero() {
		return ""
	}
	text := h.Date.UTC().Format(time.DateTime) + " UTC"
	if h.Version != "" {
		text += " by vantage " + sanitize.Line(h.Version)
	}
	return text
}

// line returns path, date and version in one line; "" if there is neither.
func (h Head) line() string {
	var parts []string
	for _, part := range []string{sanitize.Line(h.Path), h.written()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " · ")
}

// writeHead writes the members of the head that are not empty, the date in UTC.
func (p *page) writeHead() {
	if p.Head.Path != "" {
		p.writeMember("path", p.Head.Path)
	}
	if !p.Head.Date.IsZero() {
		p.writeMember("date", p.Head.Date.UTC().Format(time.RFC3339))
	}
	if p.Head.Version != "" {
		p.writeMember("version", p.Head.Version)
	}
}
