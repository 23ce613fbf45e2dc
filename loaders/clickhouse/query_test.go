package clickhouse

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/internal/testkit/clickhousetest"
	"vantage/loaders/decode"
	"vantage/model"
	"vantage/model/analysis"
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

// A limit in a profile that cannot be overruled is an error if an answer has as many rows, and an offset always: steps
// would be missing from the counts. Any larger limit reads all. Without one, the parts of a cluster are not taken for it.
func TestProfilesWithLimits(t *testing.T) {
	c := clickhousetest.Start(t, 2)
	rows := madeRows("a", 5, 3)
	for i, half := range [][]row{rows[:len(rows)/2], rows[len(rows)/2:]} {
		c.Exec(t, i, "CREATE DATABASE rl")
		c.Exec(t, i, createTable, "rl.part")
		insert(t, c, i, "rl.part", half)
	}
	c.Exec(t, 0, "CREATE TABLE rl.all AS rl.part ENGINE = Distributed(shards, rl, part)")
	for _, user := range []string{clickhousetest.Viewer, clickhousetest.Roomy} {
		compareRows(t, readTable(t, c.Address(0, user, "rl/all", ""), Options{}), readFile(t, jsonLines(t, rows), decode.Columns{}))
	}
	for user, setting := range map[string]string{clickhousetest.Cut: "limit", clickhousetest.Skipping: "offset"} {
		for _, table := range []string{"rl/part", "rl/all"} {
			snap, err := readAll(open(t, c.Address(0, user, table, "run=a"), Options{}))
			want := "the profile of " + user + " on 127.0.0.1 sets " + setting + " so that rows may be missing from an answer, and allows no other: ask for a user with " + setting + "=0 or with readonly=2"
			if err == nil || err.Error() != want || snap.Rows > 0 {
				t.Errorf("%s: %d rows, %v", user, snap.Rows, err)
			}
		}
	}
}

// No text is read with a profile that is refused, however often it is asked for.
func TestTextsWithRefusedProfile(t *testing.T) {
	c := oneTable(t, madeRows("a", 1, 2))
	s := open(t, c.Address(0, clickhousetest.Fixed, "rl/rollouts", ""), Options{})
	for range 2 {
		var one proto.ColUInt8
		err := s.texts.query(t.Context(), "SELECT toUInt8(1) AS one", proto.Results{{Name: "one", Data: &one}}, func(int) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "sets skip_unavailable_shards so that rows may be missing") {
			t.Error(err)
		}
	}
}

// A server that sends its own log with an answer, as a profile may ask for, is read all the same.
func TestServerThatSendsItsLog(t *testing.T) {
	rows := madeRows("a", 3, 6)
	c := oneTable(t, rows)
	compareRows(t, readTable(t, c.Address(0, clickhousetest.Chatty, "rl/rollouts", ""), Options{}), readFile(t, jsonLines(t, rows), decode.Columns{}))
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

// A limit that is larger than the number of steps and of the groups of a step leads to smaller portions, and with one that
// is smaller than a step to fewer groups, which is said. No step is ever in part.
func TestLimitOfRows(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	small, large := madeRows("a", 12, 10), madeRows("a", 3, 60)
	for table, rows := range map[string][]row{"rl.small": small, "rl.large": large} {
		c.Exec(t, 0, createTable, table)
		insert(t, c, 0, table, rows)
	}
	address := func(table string) string { return c.Address(0, clickhousetest.Tight, table, "") } // 40 rows
	compareRows(t, readTable(t, address("rl/small"), Options{}), readFile(t, jsonLines(t, small), decode.Columns{}))

	s := open(t, address("rl/large"), Options{})
	got, err := readAll(s)
	if !errors.Is(err, io.EOF) || got.Rows == 0 || got.Rows == len(large) {
		t.Fatalf("%d rows, %v", got.Rows, err)
	}
	all := readFile(t, jsonLines(t, large), decode.Columns{})
	for i, step := range got.Steps {
		whole, groups := groupSizes(t, all, i), groupSizes(t, got, i)
		for name, n := range groups {
			if n != whole[name] {
				t.Errorf("step %d, group %s: %d rows of %d", step.Number, name, n, whole[name])
			}
		}
		if len(groups) == 0 || len(groups) >= len(whole) {
			t.Errorf("step %d: %d groups of %d", step.Number, len(groups), len(whole))
		}
	}
	if p := got.Run.Problems; len(p) != 3 || !strings.Contains(p[0].Reason, "1 of 2 groups was read: all are more than the server allows (the profile limits the rows of an answer)") {
		t.Error(p)
	}
	if text, err := s.Text(t.Context(), got.Steps[0].Place(0)); err != nil || text.Response == "" {
		t.Errorf("%+v, %v", text, err)
	}
}

func groupSizes(t *testing.T, snap model.Snapshot, step int) map[string]int {
	t.Helper()
	a, err := analysis.Analyze(t.Context(), snap, step, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, g := range a.Table {
		sizes[g.Name] = g.Size()
	}
	return sizes
}
