package commands

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// No password of an address gets into a title, a session or an error, whatever is addressed.
func TestPasswordsAreHidden(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"clickhouse://me:secret@host/db/t?run=a":   "clickhouse://me@host/db/t?run=a",
		"new=clickhouse://me:se%40cret@host/db/t":  "new=clickhouse://me@host/db/t",
		"clickhouse://me:secret/x@host/db/t":       "clickhouse://me@host/db/t",
		"ssh://me:secret@node7/runs":               "ssh://me@node7/runs",
		"s3://KEY:secret/with+signs@bucket/prefix": "s3://KEY@bucket/prefix",
		"ssh://me@node7:2222/runs":                 "ssh://me@node7:2222/runs",
		"clickhouse://host:9000/db/t?run=a@b":      "clickhouse://host:9000/db/t?run=a@b",
		"node7:runs/a=b@c":                         "node7:runs/a=b@c",
	} {
		var said bytes.Buffer
		p := &program{errOut: &said}
		if got := p.hidePasswords([]string{arg}); !slices.Equal(got, []string{want}) || strings.Contains(said.String(), "secret") || (said.Len() > 0) != (arg != want) {
			t.Errorf("%s: %s; %s", arg, got, &said)
		}
	}
}

// A table that is read over a network without encryption is said before anything is sent, once for each.
func TestSentPlainIsNoted(t *testing.T) {
	t.Parallel()
	for arg, times := range map[string]int{
		"clickhouse://me@ch.lab/db/t?secure=0":     1,
		"new=clickhouse://me@ch.lab/db/t?secure=0": 1,
		"clickhouse://me@ch.lab/db/t":              0,
		"clickhouse://localhost/db/t?secure=0":     0,
		"runs/secure=0":                            0,
	} {
		var said bytes.Buffer
		p := &program{errOut: &said}
		if p.noteSentPlain([]string{arg}); strings.Count(said.String(), "secure=0 sends the password and all rows to ch.lab:9000 unencrypted") != times || (said.Len() > 0) != (times > 0) {
			t.Errorf("%s: %s", arg, &said)
		}
	}
}
