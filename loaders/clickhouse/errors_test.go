package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/clickhousetest"
	"vantage/loaders/decode"
	"vantage/model"
)

// oneTable starts servers, the first of which has the rows as rl.rollouts.
func oneTable(t *testing.T, rows []row) *clickhousetest.Cluster {
	t.Helper()
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	c.Exec(t, 0, createTable, "rl.rollouts")
	insert(t, c, 0, "rl.rollouts", rows)
	return c
}

// What fails is said in a sentence, without the password.
func TestSentences(t *testing.T) {
	c := oneTable(t, append(madeRows("a", 2, 3), madeRows("bc", 1, 3)...))
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	_, webPort, _ := net.SplitHostPort(web.Listener.Addr().String())
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, silentPort, _ := net.SplitHostPort(silent.Addr().String())
	certificate, _ := selfSigned(t)
	secure := startProxy(t, c.Ports[0], certificate)
	viewer := func(table, query string) string { return c.Address(0, clickhousetest.Viewer, table, query) }
	at := func(port, query string) string {
		return fmt.Sprintf("clickhouse://viewer@127.0.0.1:%s/rl/rollouts?run=a%s", port, query)
	}
	for _, x := range []struct{ address, password, want string }{
		{viewer("rl/rollouts", ""), "", "the table has several runs: name one with run=NAME in the address: a, bc"},
		{viewer("rl/rollouts", "run=x"), "", "rl.rollouts on 127.0.0.1 has no rows of run x: check the name; without run= in the address the runs are listed"},
		{viewer("lr/rollouts", ""), "", "127.0.0.1 has no database lr that viewer may see: check the address"},
		{viewer("rl/rollout", ""), "", "127.0.0.1 has no table rl.rollout that viewer may see: check the address"},
		{c.Address(0, clickhousetest.Stranger, "rl/rollouts", ""), "", "stranger may not read rl.rollouts on 127.0.0.1: ask for GRANT SELECT ON rl.rollouts TO stranger"},
		{viewer("rl/rollouts", "run=a&step=it"), "", "the table has no column it for the step: it has run, step, group_id, prompt_text, sample_idx, reward,"},
		{viewer("system/numbers", ""), "", "the table has no column of whole numbers that is called step: name it with step=COLUMN in the address; it has number"},
		{at("1", ""), "", "nothing listens at 127.0.0.1:1: check the port; ClickHouse's own protocol has 9000, and 9440 with TLS"},
		{at(c.Ports[0], "&secure=1"), "", "does not speak TLS: give its port for TLS, which is mostly 9440, or secure=0 if the way there is safe"},
		{at(secure.port, "&secure=1"), "", "the certificate of 127.0.0.1 is not signed by anybody this machine trusts: give the authority's with ca=FILE in the address"},
		{at(secure.port, ""), "", ""},
		{at(webPort, ""), "", "its own protocol has port 9000, and 9440 with TLS, not 8123"},
		{at(silentPort, ""), "", "127.0.0.1:" + silentPort + " does not answer in time"},
		{"clickhouse://viewer@nowhere.invalid/rl/rollouts", "", "the host nowhere.invalid is not known: check its name"},
	} {
		_, err := readAll(open(t, x.address, Options{Password: x.password, timeout: 2 * time.Second}))
		if err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), x.want) || strings.Contains(err.Error(), clickhousetest.Password) {
			t.Errorf("%s: %v\nwant %s", x.address, err, x.want)
		}
	}
}

// A wrong password is said, and not repeated. It has a server of its own: that of the tests falls over some time after.
func TestWrongPassword(t *testing.T) {
	c := oneTable(t, madeRows("a", 1, 1))
	_, err := readAll(open(t, c.Address(0, clickhousetest.Viewer, "rl/rollouts", "run=a"), Options{Password: "is"}))
	const want = "127.0.0.1 does not let viewer in: the user or the password is wrong; give the password in CLICKHOUSE_PASSWORD or with --password-file"
	if err == nil || err.Error() != want {
		t.Error(err)
	}
}

// TLS with the certificate of an authority that is named, or unchecked, reads as the plain connection.
func TestTLS(t *testing.T) {
	rows := madeRows("a", 2, 3)
	c := oneTable(t, rows)
	certificate, ca := selfSigned(t)
	secure := startProxy(t, c.Ports[0], certificate)
	want := readFile(t, jsonLines(t, rows), decode.Columns{})
	for _, query := range []string{"ca=" + ca, "secure=1&skip_verify=1"} {
		got := readTable(t, fmt.Sprintf("clickhouse://viewer@127.0.0.1:%s/rl/rollouts?%s", secure.port, query), Options{})
		compareRows(t, got, want)
	}
}

// Wherever a connection is cut, what was handed over are whole steps, and the end is an error.
func TestCutStreamIsAnError(t *testing.T) {
	rows := madeRows("a", 60, 40)
	c := oneTable(t, rows)
	p := startProxy(t, c.Ports[0], nil)
	want := readFile(t, jsonLines(t, rows), decode.Columns{})
	address := fmt.Sprintf("clickhouse://viewer@127.0.0.1:%s/rl/rollouts", p.port)
	// the smallest last: the server of the tests falls over when it is left while it greets
	for _, limit := range []int64{190_000, 150_000, 110_000, 60_000, 20_000, 5_000, 2_000, 700, 40, 1} {
		p.limit.Store(limit)
		got, err := readAll(open(t, address, Options{ChunkRows: 3000}))
		if err == nil || errors.Is(err, io.EOF) {
			t.Fatalf("%d bytes: %d rows and %v", limit, got.Rows, err)
		}
		for _, step := range got.Steps {
			i, ok := want.Find(step.Number)
			if !ok || !sameBits(step.Rewards, want.Steps[i].Rewards) {
				t.Errorf("%d bytes: step %d is in part", limit, step.Number)
			}
		}
		// what a slow server says of its progress counts among the bytes too: only the largest limit is sure to let a step through
		if limit == 190_000 && len(got.Steps) == 0 {
			t.Errorf("%d bytes: no step came: %v", limit, err)
		}
	}
}

// A shard that is lost while steps are read is an error, and no step is half.
func TestLostShardIsAnError(t *testing.T) {
	c := clickhousetest.Start(t, 3)
	rows := madeRows("a", 12, 20)
	for i := range 3 {
		c.Exec(t, i, "CREATE DATABASE rl")
		c.Exec(t, i, createTable, "rl.part")
	}
	for i := range 3 {
		var of []row
		for k, r := range rows {
			if k%3 == i {
				of = append(of, r)
			}
		}
		insert(t, c, i, "rl.part", of)
	}
	c.Exec(t, 0, "CREATE TABLE rl.rollouts AS rl.part ENGINE = Distributed(shards, rl, part)")
	want := readFile(t, jsonLines(t, rows), decode.Columns{})
	s := open(t, c.Address(0, clickhousetest.Viewer, "rl/rollouts", ""), Options{ChunkRows: 100})
	store := model.NewStore()
	for killed := false; ; {
		chunk, err := s.Next(context.Background())
		if err != nil {
			if !killed || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "a shard behind 127.0.0.1 does not answer, and without it rows would be missing") {
				t.Errorf("%v", err)
			}
			break
		}
		store.Append(chunk)
		if snap := store.Snapshot(); snap.Rows > 0 && !killed {
			c.Kill(2)
			killed = true
		}
	}
	got := store.Snapshot()
	if len(got.Steps) >= len(want.Steps) {
		t.Fatalf("all %d steps were read before the shard was lost", len(got.Steps))
	}
	for _, step := range got.Steps {
		if i, ok := want.Find(step.Number); !ok || !sameBits(step.Rewards, want.Steps[i].Rewards) {
			t.Errorf("step %d is in part", step.Number)
		}
	}
}

// Limits of the server lead to smaller portions, and at last to whole groups that are chosen by their ids, which is
// said of each step.
func TestLimits(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	const columns = "(step UInt32, prompt_id UInt64, sample_idx UInt16, reward Float64, response_length UInt32) ENGINE = MergeTree ORDER BY (step, prompt_id)"
	c.Exec(t, 0, "CREATE TABLE rl.many %s", columns)
	c.Exec(t, 0, "INSERT INTO rl.many SELECT 1 + intDiv(number, 20000), intDiv(number, 8), number %% 8, number %% 3, 7 FROM numbers(2000000)")
	c.Exec(t, 0, "CREATE TABLE rl.large %s", columns)
	c.Exec(t, 0, "INSERT INTO rl.large SELECT 1, intDiv(number, 8), number %% 8, number %% 3, 7 FROM numbers(3000000)")
	got := readTable(t, c.Address(0, clickhousetest.Limited, "rl/many", ""), Options{})
	if got.Rows != 2_000_000 || len(got.Run.Problems) > 0 {
		t.Errorf("%d rows, %v", got.Rows, got.Run.Problems)
	}
	got = readTable(t, c.Address(0, clickhousetest.Limited, "rl/large", ""), Options{})
	if got.Rows == 0 || got.Rows > 1_600_000 || got.Rows%8 != 0 || len(got.Run.Problems) != 1 || !strings.Contains(got.Run.Problems[0].String(), "rl.large step 1: 1 of ") || !strings.Contains(got.Run.Problems[0].Reason, "groups was read: all are more than the server allows (") {
		t.Errorf("%d rows, %v", got.Rows, got.Run.Problems)
	}
	t.Log(got.Rows, got.Run.Problems)
	got = readTable(t, c.Address(0, clickhousetest.Viewer, "rl/large", ""), Options{MemoryLimit: 32 << 20})
	if got.Rows == 0 || got.Rows%8 != 0 || got.Rows > 1_200_000 || len(got.Run.Problems) != 1 || !strings.Contains(got.Run.Problems[0].Reason, "1 of 3 groups was read: all are more than the memory of this machine holds") {
		t.Errorf("%d rows, %v", got.Rows, got.Run.Problems)
	}
}

// Opening connects to nothing, and the first chunk says that it is connecting before anything answers.
func TestFirstChunkWaitsForNothing(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	s := open(t, "clickhouse://viewer@"+silent.Addr().String()+"/rl/rollouts", Options{Follow: true, timeout: time.Hour})
	chunk, err := s.Next(context.Background())
	if err != nil || chunk.Progress.Link.String() != "127.0.0.1 · connecting" || chunk.Progress.CaughtUp {
		t.Errorf("%+v, %v", chunk, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := s.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The texts of a group are those of a file with the same rows.
func TestTexts(t *testing.T) {
	rows := madeRows("a", 2, 5)
	c := oneTable(t, rows)
	s := open(t, c.Address(0, clickhousetest.Viewer, "rl/rollouts", "run=a"), Options{})
	snap, err := readAll(s)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	first := 0
	for _, step := range snap.Steps {
		order := make([]int, len(step.Rewards))
		for i := range order {
			order[i] = len(order) - 1 - i // not in the order of the rows
		}
		for _, i := range order {
			text, err := s.Text(context.Background(), step.Place(i))
			want := rows[first+i]
			if err != nil || text.Response != want.Response || !slices.Contains(text.Fields, model.Field{Name: "prompt_text", Value: want.Prompt}) {
				t.Errorf("step %d, row %d: %+v, %v; want %q", step.Number, i, text, err, want.Response)
			}
		}
		first += len(order)
	}
}
