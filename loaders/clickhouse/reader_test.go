package clickhouse

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/clickhousetest"
	"vantage/loaders/decode"
	"vantage/model"
)

// follower reads a source that is followed into a store.
type follower struct {
	t     *testing.T
	s     *Source
	store *model.Store
	links []string
}

func follow(t *testing.T, address string) *follower {
	t.Helper()
	return &follower{t: t, s: open(t, address, Options{Follow: true, Poll: 400 * time.Millisecond, retry: 50 * time.Millisecond}), store: model.NewStore()}
}

// until reads until a condition on what was read holds.
func (f *follower) until(what string, holds func(model.Snapshot) bool) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // a table in which counting takes long is counted less often
	defer cancel()
	for !holds(f.store.Snapshot()) {
		chunk, err := f.s.Next(ctx)
		if err != nil {
			f.t.Fatalf("waiting until %s: %v", what, err)
		}
		f.store.Append(chunk)
		if text := chunk.Progress.Link.StateText(); len(f.links) == 0 || f.links[len(f.links)-1] != text {
			f.links = append(f.links, text)
		}
	}
}

// same returns a condition: what was read is what a file with those rows gives.
func (f *follower) same(rows []row) func(model.Snapshot) bool {
	f.t.Helper()
	want := readFile(f.t, jsonLines(f.t, rows), decode.Columns{})
	return func(got model.Snapshot) bool {
		return got.Run.Progress.CaughtUp && slices.EqualFunc(got.Steps, want.Steps, func(g, w model.Step) bool {
			return g.Number == w.Number && sameBits(g.Rewards, w.Rewards) && slices.Equal(g.Lengths, w.Lengths)
		})
	}
}

// A run that grows, whose steps are filled later, replaced by as many other rows, or deleted, is always what a file of
// the same rows is. The newest step is open while it grows, and then not.
func TestFollow(t *testing.T) {
	rows := madeRows("a", 12, 6)
	c := oneTable(t, nil)
	table := "rl.rollouts"
	f := follow(t, c.Address(0, clickhousetest.Viewer, "rl/rollouts", "run=a"))
	f.until("an empty table is known", func(s model.Snapshot) bool { return s.Run.Progress.CaughtUp })
	of := func(keep func(row) bool) []row {
		return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !keep(r) })
	}
	early := of(func(r row) bool { return r.Step <= 3 })
	insert(t, c, 0, table, early)
	f.until("the first steps are there", f.same(early))
	f.until("the newest is open", func(s model.Snapshot) bool { return s.Run.Progress.Open })
	f.until("the newest is complete", func(s model.Snapshot) bool { return !s.Run.Progress.Open })

	part := of(func(r row) bool { return r.Step == 4 && r.Sample < 2 })
	insert(t, c, 0, table, part)
	f.until("a part of the next is there", f.same(append(slices.Clone(early), part...)))
	insert(t, c, 0, table, of(func(r row) bool { return r.Step == 4 && r.Sample >= 2 }))
	f.until("the rest is there", f.same(of(func(r row) bool { return r.Step <= 4 })))

	insert(t, c, 0, table, of(func(r row) bool { return r.Step > 4 }))
	f.until("all are there", f.same(rows))

	replaced := slices.Clone(rows)
	for i := range replaced {
		if x := 0.25; replaced[i].Step == 12 {
			replaced[i].Reward = &x
		}
	}
	c.Exec(t, 0, "ALTER TABLE %s UPDATE reward = 0.25 WHERE step = 12 SETTINGS mutations_sync = 1", table)
	f.until("rewards were replaced", f.same(replaced))

	kept := slices.DeleteFunc(replaced, func(r row) bool { return r.Step == 2 })
	c.Exec(t, 0, "ALTER TABLE %s DELETE WHERE step = 2 SETTINGS mutations_sync = 1", table)
	f.until("an old step is gone", f.same(kept))
}

// A server that goes away and comes back is said, what was read stays, and what was written meanwhile is read.
func TestReconnect(t *testing.T) {
	rows := madeRows("a", 4, 6)
	early := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return r.Step > 2 })
	c := oneTable(t, early)
	f := follow(t, c.Address(0, clickhousetest.Viewer, "rl/rollouts", "run=a"))
	f.until("the rows are there", f.same(early))
	c.Kill(0)
	f.until("the connection is lost", func(s model.Snapshot) bool { return s.Run.Progress.Link.State == model.LinkLost })
	if snap := f.store.Snapshot(); len(snap.Steps) != 2 || snap.Run.Progress.Link.Reason == "" {
		t.Errorf("%d steps, %+v", len(snap.Steps), snap.Run.Progress.Link)
	}
	c.Restart(t, 0)
	insert(t, c, 0, "rl.rollouts", rows[len(early):])
	f.until("all are there", f.same(rows))
	if snap := f.store.Snapshot(); snap.Run.Progress.Link.State != model.LinkUp {
		t.Errorf("%+v", snap.Run.Progress.Link)
	}
	t.Logf("%q", f.links)
}

// While nothing changes, a second passes between two requests.
func TestIdleRequests(t *testing.T) {
	c := oneTable(t, madeRows("a", 3, 4))
	p := startProxy(t, c.Ports[0], nil)
	s := open(t, fmt.Sprintf("clickhouse://viewer@127.0.0.1:%s/rl/rollouts?run=a", p.port), Options{Follow: true})
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Second)
	defer cancel()
	before := int64(-1)
	for ctx.Err() == nil {
		chunk, err := s.Next(ctx)
		if err == nil && chunk.Progress.CaughtUp && before < 0 {
			before = p.requests.Load()
		}
	}
	if n := p.requests.Load() - before; before < 0 || n < 2 || n > 6 {
		t.Errorf("%d requests in 6 seconds", n)
	}
}

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
