package clickhouse

import (
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/clickhousetest"
	"vantage/loaders/decode"
	"vantage/model"
)

// A table that is still empty is waited for as a file is, whose run is the first that comes, also if the server goes away
// meanwhile. Without following it is an error.
func TestFollowEmptyTable(t *testing.T) {
	c := oneTable(t, nil)
	address := c.Address(0, clickhousetest.Viewer, "rl/rollouts", "")
	if _, err := readAll(open(t, address, Options{})); err == nil || err.Error() != "rl.rollouts on 127.0.0.1 has no rows" {
		t.Error(err)
	}
	f := follow(t, address)
	f.until("an empty table is known", func(s model.Snapshot) bool { return s.Run.Progress.CaughtUp })
	c.Kill(0)
	f.until("the connection is lost", func(s model.Snapshot) bool { return s.Run.Progress.Link.State == model.LinkLost })
	c.Restart(t, 0)
	f.until("it is there again", func(s model.Snapshot) bool { return s.Run.Progress.Link.State == model.LinkUp })
	rows := madeRows("a", 3, 4)
	insert(t, c, 0, "rl.rollouts", rows)
	f.until("the rows are there", f.same(rows))
}

// Rows whose run is NULL or empty are one run: the only one is read, and of several it is said that it has no name.
func TestRunsWithoutName(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	rows := madeRows("", 2, 4)
	want := readFile(t, jsonLines(t, rows), decode.Columns{})
	for name, kind := range map[string]string{"text": "Nullable(String)", "few": "LowCardinality(Nullable(String))", "plain": "String", "number": "Nullable(UInt32)"} {
		table := "rl." + name
		c.Exec(t, 0, strings.Replace(createTable, "run LowCardinality(String)", "run "+kind, 1)+" SETTINGS allow_nullable_key = 1", table)
		for i, part := range [][]row{rows[:len(rows)/2], rows[len(rows)/2:]} {
			run := "''"
			if name != "plain" && (i == 0 || name == "number") {
				run = "NULL"
			}
			c.Exec(t, 0, "INSERT INTO %s SELECT * REPLACE (%s AS run) FROM format(JSONEachRow, '%s', %s)", table, run, rowTypes, quoteText(jsonLines(t, part)))
		}
		address := c.Address(0, clickhousetest.Viewer, "rl/"+name, "")
		compareRows(t, readTable(t, address, Options{}), want)
		c.Exec(t, 0, "INSERT INTO %s SELECT * REPLACE ('7' AS run) FROM format(JSONEachRow, '%s', %s)", table, rowTypes, quoteText(jsonLines(t, rows[:1])))
		_, err := readAll(open(t, address, Options{}))
		if err == nil || !strings.Contains(err.Error(), "the table has several runs: name one with run=NAME in the address: 7; rows whose run is empty or NULL cannot be named") {
			t.Errorf("%s: %v", kind, err)
		}
		if snap := readTable(t, address+"run=7", Options{}); snap.Rows != 1 || !slices.Equal(snap.Steps[0].Lengths, want.Steps[0].Lengths[:1]) {
			t.Errorf("%s: %d rows of run 7", kind, snap.Rows)
		}
	}
}
