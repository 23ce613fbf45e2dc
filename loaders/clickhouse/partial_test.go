package clickhouse

import (
	"errors"
	"io"
	"strings"
	"testing"

	"vantage/loaders/clickhouse/clickhousetest"
	"vantage/loaders/decode"
)

// A profile may tell servers to leave out the shards that are away, and rows beyond a limit. It is overruled, or, where
// that is not allowed, an error.
func TestProfilesThatLeaveRowsOut(t *testing.T) {
	c := clickhousetest.Start(t, 2)
	rows := madeRows("a", 3, 6)
	for i, half := range [][]row{rows[:len(rows)/2], rows[len(rows)/2:]} {
		c.Exec(t, i, "CREATE DATABASE rl")
		c.Exec(t, i, createTable, "rl.part")
		insert(t, c, i, "rl.part", half)
	}
	c.Exec(t, 0, "CREATE TABLE rl.all AS rl.part ENGINE = Distributed(shards, rl, part)")
	address := c.Address(0, clickhousetest.Partial, "rl/all", "")
	compareRows(t, readTable(t, address, Options{}), readFile(t, jsonLines(t, rows), decode.Columns{}))

	_, err := readAll(open(t, c.Address(0, clickhousetest.Fixed, "rl/all", ""), Options{}))
	if want := "the profile of fixed on 127.0.0.1 sets skip_unavailable_shards so that rows may be missing"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("a profile that cannot be overruled: %v", err)
	}
	c.Kill(1)
	snap, err := readAll(open(t, address, Options{}))
	if err == nil || errors.Is(err, io.EOF) || snap.Rows > 0 {
		t.Errorf("a shard that is away: %d rows, %v", snap.Rows, err)
	}
}

// A limit or an offset in a profile that cannot be overruled is an error, even if this answer is whole: steps would be
// missing from the counts. Without one, the parts of a cluster are not taken for it.
func TestProfilesWithLimits(t *testing.T) {
	c := clickhousetest.Start(t, 2)
	rows := madeRows("a", 5, 3)
	for i, half := range [][]row{rows[:len(rows)/2], rows[len(rows)/2:]} {
		c.Exec(t, i, "CREATE DATABASE rl")
		c.Exec(t, i, createTable, "rl.part")
		insert(t, c, i, "rl.part", half)
	}
	c.Exec(t, 0, "CREATE TABLE rl.all AS rl.part ENGINE = Distributed(shards, rl, part)")
	compareRows(t, readTable(t, c.Address(0, clickhousetest.Viewer, "rl/all", ""), Options{}), readFile(t, jsonLines(t, rows), decode.Columns{}))
	for user, setting := range map[string]string{clickhousetest.Cut: "limit", clickhousetest.Roomy: "limit", clickhousetest.Skipping: "offset"} {
		for _, table := range []string{"rl/part", "rl/all"} {
			snap, err := readAll(open(t, c.Address(0, user, table, "run=a"), Options{}))
			want := "the profile of " + user + " on 127.0.0.1 sets " + setting + " so that rows may be missing from an answer, and allows no other: ask for a user with " + setting + "=0 or with readonly=2"
			if err == nil || err.Error() != want || snap.Rows > 0 {
				t.Errorf("%s: %d rows, %v", user, snap.Rows, err)
			}
		}
	}
}

// Of steps that have fewer groups than one in so many, some have none of those that are read. That is said, and the others
// are read.
func TestSampledStepsWithoutGroups(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	c.Exec(t, 0, createTable, "rl.few")
	rows := madeRows("a", 12, 40)
	few := rows[:0:0]
	for _, r := range rows {
		if strings.HasSuffix(r.Group, string(rune('0'+r.Step%10))) { // four groups of each step
			few = append(few, r)
		}
	}
	insert(t, c, 0, "rl.few", few)
	snap, err := readAll(open(t, c.Address(0, clickhousetest.Viewer, "rl/few", ""), Options{MemoryLimit: int64(len(few)) * storedRow / 4}))
	if !errors.Is(err, io.EOF) || snap.Rows == 0 || snap.Rows >= len(few) {
		t.Fatalf("%d of %d rows, %v", snap.Rows, len(few), err)
	}
	none := 0
	for _, p := range snap.Run.Problems {
		if strings.Contains(p.Reason, "none of its groups was among the 1 of 4") {
			none++
		}
	}
	if none == 0 || none+len(snap.Steps) != 12 || len(snap.Run.Problems) != 12 {
		t.Errorf("%d steps, %d without groups: %v", len(snap.Steps), none, snap.Run.Problems)
	}
}

// What is no number alone does not get into a statement.
func TestNumbersOfRuns(t *testing.T) {
	for text, want := range map[string]bool{"7": true, "-1": true, "1e3": true, "": false, "1 OR 1": false, "1\nOR 1": false, "1;": false} {
		if isNumber(text) != want {
			t.Errorf("%q", text)
		}
	}
}
