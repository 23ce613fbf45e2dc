package clickhouse

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Target{
		"clickhouse://viewer@ch.lab/rl/rollouts?run=a%2Fb":  {Host: "ch.lab", Port: "9440", User: "viewer", NamesUser: true, Database: "rl", Table: "rollouts", Run: "a/b"},
		"clickhouse://localhost/rl/rollouts":                {Host: "localhost", Port: "9000", User: "default", Database: "rl", Table: "rollouts", Plain: true},
		"clickhouse://[::1]:9001/rl/rollouts/?final=1":      {Host: "::1", Port: "9001", User: "default", Database: "rl", Table: "rollouts", Plain: true, Final: true},
		"clickhouse://127.0.0.1/a/b?secure=1&skip_verify=1": {Host: "127.0.0.1", Port: "9440", User: "default", Database: "a", Table: "b", Unproved: true},
		"clickhouse://127.0.0.1:9440/a/b?ca=/etc/ca.pem":    {Host: "127.0.0.1", Port: "9440", User: "default", Database: "a", Table: "b", CAFile: "/etc/ca.pem"},
		"clickhouse://ch.lab/a/b?secure=0":                  {Host: "ch.lab", Port: "9000", User: "default", Database: "a", Table: "b", Plain: true},
		"clickhouse://localhost/a/b?steps=7":                {Host: "localhost", Port: "9000", User: "default", Database: "a", Table: "b", Plain: true, First: 7, Last: 7},
		"clickhouse://localhost/a/b?steps=7-&last=3":        {Host: "localhost", Port: "9000", User: "default", Database: "a", Table: "b", Plain: true, First: 7, Last: math.MaxInt64, Newest: 3},
		"clickhouse://localhost/a/b?steps=7-12":             {Host: "localhost", Port: "9000", User: "default", Database: "a", Table: "b", Plain: true, First: 7, Last: 12},
		"clickhouse://u:p%40ss@ch.lab/a/b":                  {Host: "ch.lab", Port: "9440", User: "u", NamesUser: true, Password: "p@ss", Database: "a", Table: "b"},
	} {
		got, err := ParseAddress(text)
		if want.Last == 0 {
			want.First, want.Last = math.MinInt64, math.MaxInt64
		}
		if got.Columns = nil; err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	got, err := ParseAddress("clickhouse://h/a/b?step=it&reward=r2&group=g")
	if err != nil || got.Columns["step"] != "it" || got.Columns["reward"] != "r2" || got.Columns["group"] != "g" {
		t.Errorf("%+v, %v", got, err)
	}
}

// What goes over a network unencrypted is said, without the password.
func TestPlainWarning(t *testing.T) {
	for text, warns := range map[string]bool{
		"clickhouse://u:pass@ch.lab/a/b?secure=0":        true,
		"clickhouse://u:pass@10.0.0.7:9001/a/b?secure=0": true,
		"clickhouse://u:pass@ch.lab/a/b":                 false,
		"clickhouse://u:pass@ch.lab/a/b?skip_verify=1":   false,
		"clickhouse://u:pass@localhost/a/b?secure=0":     false,
		"clickhouse://[::1]/a/b":                         false,
	} {
		target, err := ParseAddress(text)
		got := target.PlainWarning()
		if err != nil || (got != "") != warns || strings.Contains(got, "pass@") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	target, _ := ParseAddress("clickhouse://u@ch.lab:9001/a/b?secure=0")
	const want = "secure=0 sends the password and all rows to ch.lab:9001 unencrypted, to be read and changed by whoever is on the way: leave it out if the server has a port with TLS, mostly 9440, or open localhost through a tunnel, ssh -L 9000:localhost:9001 ch.lab"
	if got := target.PlainWarning(); got != want {
		t.Error(got)
	}
}

// What is wrong with an address is said without the password in it.
func TestParseErrors(t *testing.T) {
	for _, text := range []string{
		"clickhouse://", "clickhouse:///a/b", "clickhouse://u:secret@h", "clickhouse://u:secret@h/a", "clickhouse://u:secret@h/a/b/c", "clickhouse://u:secret@h:port/a/b",
		"clickhouse://u:secret@h/a/b?stepz=3", "clickhouse://u:secret@h/a/b?steps=3-x", "clickhouse://u:secret@h/a/b?steps=9-3", "clickhouse://u:secret@h/a/b?last=0", "clickhouse://u:secret@h/a/b?final=maybe", "clickhouse://u:secret@h/a/b?x;y", "clickhouse://u:secret@h/a/b%zz",
		"clickhouse://u@h/a/b?password=secret", "clickhouse://u:secret@h/a/b?secure=0&ca=/etc/ca.pem",
	} {
		_, err := ParseAddress(text)
		if !errors.Is(err, ErrUsage) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWithoutPassword(t *testing.T) {
	for text, want := range map[string]string{
		"clickhouse://u:secret@h:9000/a/b?run=x%20y": "clickhouse://u@h:9000/a/b?run=x%20y",
		"clickhouse://u:se%zzcret@h/a/b":             "clickhouse://u@h/a/b",
		"clickhouse://u:se/cr@et@h/a/b":              "clickhouse://u@h/a/b",
		"clickhouse://u@h/a/b":                       "clickhouse://u@h/a/b",
		"clickhouse://h/a/b":                         "clickhouse://h/a/b",
	} {
		if got, has := WithoutPassword(text); got != want || has != strings.Contains(text, ":se") {
			t.Errorf("%s: %s, %v; want %s", text, got, has, want)
		}
	}
}
