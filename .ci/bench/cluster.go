// Command cluster starts a ClickHouse server, fills a table with four runs of 500 steps, and measures commands that
// read from it: seconds, bytes and memory.
//
//	cluster FOLDER ROWS
//
// FOLDER holds the program, vantage; VANTAGE_CLICKHOUSE names the server's.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/clickhouse/wire"
)

const port, proxyPort = "19123", "19124"

// passed is how many bytes of the server the proxy has passed on.
var passed atomic.Int64

func main() {
	folder := os.Args[1]
	rows, err := strconv.Atoi(os.Args[2])
	check(err)
	input := startServer(folder)
	defer input.Close()
	fill(rows)
	go proxy()
	address := "clickhouse://default@127.0.0.1:" + proxyPort + "/rl/rollouts?run="
	fmt.Printf("%-34s %8s %10s %10s\n", "", "seconds", "MB", "memory, MB")
	one := func(name, address string) { measure(folder, name, address) }
	one("a step", address+"zero-one&steps=500")
	one("20 steps", address+"zero-one&last=20")
	for _, run := range runs {
		one("a run, rewards "+run, address+run)
	}
	measure(folder, "everything, run by run", address+runs[0], address+runs[1], address+runs[2], address+runs[3])
	fmt.Printf("\nthe answers of the server alone, median of 3\n%-34s %8s %10s %10s\n", "", "seconds", "MB", "rows")
	for _, run := range []string{runs[0], runs[1], runs[3]} {
		answer("groups of a run, rewards "+run, groupsOf, run)
		answer("their distinct multisets", multisetsOf, run)
	}
	answer("groups of everything", groupsOf, runs...)
	answer("their distinct multisets", multisetsOf, runs...)
}

// groupsOf asks for the groups of some steps of a run as the program does, and multisetsOf for how often each multiset of
// rewards is there, in the same form.
const (
	groupsOf = `SELECT vantage_s, ifNull(CAST(vantage_g AS Nullable(String)), '') AS id, vantage_t.1 AS v0, vantage_t.2 AS v1, vantage_t.3 AS v2 FROM (
 SELECT toInt64(assumeNotNull(step)) AS vantage_s, prompt_id AS vantage_g, groupArray((CAST(sample_idx AS Nullable(Int64)), CAST(reward AS Nullable(Float64)), CAST(response_length AS Nullable(Float64)))) AS vantage_t
 FROM rl.rollouts WHERE run = '%s' AND step >= %d AND step < %d GROUP BY vantage_s, vantage_g) ORDER BY vantage_s, vantage_g`
	multisetsOf = `SELECT vantage_s, toString(count()) AS id, CAST([] AS Array(Nullable(Int64))) AS v0, r AS v1, CAST([] AS Array(Nullable(Float64))) AS v2 FROM (
 SELECT toInt64(assumeNotNull(step)) AS vantage_s, arraySort(groupArray(tuple(CAST(reward AS Nullable(Float64))))).1 AS r
 FROM rl.rollouts WHERE run = '%s' AND step >= %d AND step < %d GROUP BY vantage_s, prompt_id) GROUP BY vantage_s, r ORDER BY vantage_s`
)

// answer measures the answers to a statement for portions of 2 million rows of some runs.
func answer(name, statement string, runs ...string) {
	type figures struct {
		seconds, megabytes float64
		rows               int
	}
	var all []figures
	for range 3 {
		began, before, rows := time.Now(), passed.Load(), 0
		for _, run := range runs {
			for first := 1; first <= 500; first += 200 {
				rows += count(fmt.Sprintf(statement, run, first, first+200))
			}
		}
		all = append(all, figures{time.Since(began).Seconds(), float64(passed.Load()-before) / 1e6, rows})
	}
	slices.SortFunc(all, func(a, b figures) int { return cmp.Compare(a.seconds, b.seconds) })
	fmt.Printf("%-34s %8.2f %10.1f %10d\n", name, all[1].seconds, all[1].megabytes, all[1].rows)
}

// count runs a statement through the proxy, decodes its answer, and returns how many rows it has.
func count(sql string) (rows int) {
	ctx := context.Background()
	conn, err := wire.Dial(ctx, wire.Options{Address: "127.0.0.1:" + proxyPort, User: "default", Timeout: 5 * time.Minute})
	check(err)
	defer conn.Close()
	arrays := func(values proto.ColumnOf[float64]) *proto.ColArr[proto.Nullable[float64]] {
		return proto.NewColNullable(values).Array()
	}
	columns := proto.Results{
		{Name: "vantage_s", Data: new(proto.ColInt64)}, {Name: "id", Data: new(proto.ColStr)},
		{Name: "v0", Data: proto.NewColNullable[int64](new(proto.ColInt64)).Array()},
		{Name: "v1", Data: arrays(new(proto.ColFloat64))}, {Name: "v2", Data: arrays(new(proto.ColFloat64))},
	}
	check(conn.Do(ctx, wire.Query{SQL: sql, Columns: columns, OnBlock: func(n int) error { rows += n; return nil }}))
	return rows
}

var runs = []string{"zero-one", "tenths", "bonus", "continuous"}

// startServer starts the server, which ends with its input.
func startServer(folder string) io.Closer {
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		check(os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	users := write("users.xml",
		"<clickhouse><profiles><default></default></profiles><quotas><default></default></quotas><users><default><password></password><profile>default</profile><quota>default</quota><networks><ip>127.0.0.1</ip></networks></default></users></clickhouse>")
	config := write("config.xml",
		"<clickhouse><path>"+folder+"/data/</path><listen_host>127.0.0.1</listen_host><tcp_port>"+port+"</tcp_port><logger><level>none</level></logger><users_config>"+users+"</users_config></clickhouse>")
	server := exec.Command(os.Getenv("VANTAGE_CLICKHOUSE"), config)
	input, err := server.StdinPipe()
	check(err)
	check(server.Start())
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if err := execute("SELECT 1 FORMAT Null"); err == nil {
			return input
		} else if time.Since(began) > 30*time.Second {
			check(err)
		}
	}
}

func execute(sql string) error {
	ctx := context.Background()
	conn, err := wire.Dial(ctx, wire.Options{Address: "127.0.0.1:" + port, User: "default", Timeout: 5 * time.Minute})
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Do(ctx, wire.Query{SQL: sql, OnBlock: func(int) error { return nil }})
}

// fill makes the table: groups of 16, of which a run has a quarter.
func fill(rows int) {
	began := time.Now()
	of := rows / len(runs)
	check(execute("CREATE DATABASE rl"))
	check(execute("CREATE TABLE rl.rollouts (run LowCardinality(String), step UInt32, prompt_id UInt64, sample_idx UInt16, reward Float64, response_length UInt32) ENGINE = MergeTree ORDER BY (run, step, prompt_id, sample_idx)"))
	check(execute(fmt.Sprintf(`INSERT INTO rl.rollouts SELECT ['%s'][1 + intDiv(number, %d)], 1 + intDiv(number %% %d, %d), intDiv(number, 16), number %% 16,
 multiIf(number < %d, cityHash64(number) %% 2, number < %d, (cityHash64(number) %% 11) / 10, number < %d, cityHash64(number) %% 2 + 0.1 * (cityHash64(number + 7) %% 2), (cityHash64(number) %% 1000003) / 1000003),
 100 + cityHash64(number + 1) %% 4000 FROM numbers(%d)`, strings.Join(runs, "', '"), of, of, of/500, of, 2*of, 3*of, rows)))
	fmt.Printf("%d rows written in %.1f s\n", rows, time.Since(began).Seconds())
}

// proxy counts the bytes of the server.
func proxy() {
	l, err := net.Listen("tcp", "127.0.0.1:"+proxyPort)
	check(err)
	for {
		client, err := l.Accept()
		check(err)
		server, err := net.Dial("tcp", "127.0.0.1:"+port)
		check(err)
		go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
		go func() {
			_, _ = io.Copy(io.MultiWriter(client, counter{}), server)
			_ = client.Close()
		}()
	}
}

type counter struct{}

func (counter) Write(p []byte) (int, error) {
	passed.Add(int64(len(p)))
	return len(p), nil
}

// measure runs a command for each address, one after another.
func measure(folder, name string, addresses ...string) {
	before, began, memory := passed.Load(), time.Now(), int64(0)
	for _, address := range addresses {
		command := exec.Command(filepath.Join(folder, "vantage"), "summary", address)
		command.Env = append(os.Environ(), "CLICKHOUSE_PASSWORD=")
		out, err := command.CombinedOutput()
		if err != nil {
			check(fmt.Errorf("%w: %s", err, out))
		}
		memory = max(memory, command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss/1024)
	}
	fmt.Printf("%-34s %8.2f %10.1f %10d\n", name, time.Since(began).Seconds(), float64(passed.Load()-before)/1e6, memory)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
