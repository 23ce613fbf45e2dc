package clickhouse

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/internal/testkit/clickhousetest"
	"vantage/internal/testkit/filetest"
)

// Arrays whose lengths a server made up are refused before anything relies on them.
func TestCheckOfArrays(t *testing.T) {
	for _, x := range []struct {
		samples, values []uint64
		ok              bool
	}{
		{[]uint64{2, 5}, []uint64{2, 5}, true},
		{nil, nil, true},
		{[]uint64{2, 5}, []uint64{3, 5}, false},
		{[]uint64{2, 5}, []uint64{2}, false},
		{[]uint64{9, 5}, []uint64{9, 5}, false},
	} {
		b := newGroupBlock(make([]field, 1))
		b.sample.arrays.Offsets, b.values[0].arrays.Offsets = proto.ColUInt64(x.samples), proto.ColUInt64(x.values)
		if err := b.check(); (err == nil) != x.ok {
			t.Errorf("%v, %v: %v", x.samples, x.values, err)
		}
	}
}

// row is a sample as a trainer writes it.
type row struct {
	Run      string   `json:"run"`
	Step     int      `json:"step"`
	Group    string   `json:"group_id"`
	Prompt   string   `json:"prompt_text"`
	Sample   int      `json:"sample_idx"`
	Reward   *float64 `json:"reward"`
	Length   int      `json:"response_length"`
	Accuracy float64  `json:"accuracy_reward"`
	Format   *float64 `json:"format_reward"`
	Response string   `json:"response"`
	Row      int      `json:"row"` // in the batch
}

const createTable = `CREATE TABLE %s (run LowCardinality(String), step UInt32, group_id LowCardinality(String), prompt_text String, sample_idx UInt16,
 reward Nullable(Float64), response_length UInt32, accuracy_reward Float64, format_reward Nullable(Float64), response String, row Int32)
 ENGINE = MergeTree ORDER BY (run, step, group_id, sample_idx)`

const rowTypes = `run String, step UInt32, group_id String, prompt_text String, sample_idx UInt16, reward Nullable(Float64),
 response_length UInt32, accuracy_reward Float64, format_reward Nullable(Float64), response String, row Int32`

// madeRows returns the rows of a run in the order of step, group and sample: groups of 1 to 9 samples, rewards of
// every kind, some of them missing.
func madeRows(run string, steps, groups int) []row {
	random := rand.New(rand.NewPCG(uint64(len(run)), 7))
	var rows []row
	for step := 1; step <= steps; step++ {
		before := len(rows)
		for g := range groups {
			for i := range 1 + (g*7+step)%9 {
				x := madeReward(random, g)
				half := random.Float64()
				r := row{
					Run: run, Step: step, Group: fmt.Sprintf("g%03d", g), Prompt: fmt.Sprintf("what is %d · %d?", step, g), Sample: i, Reward: &x,
					Length: 20 + random.IntN(400), Accuracy: float64(random.IntN(2)), Format: &half, Response: fmt.Sprintf("it's \"%d\"\n\\ %s", i, strings.Repeat("x", i)),
				}
				if random.IntN(40) == 0 {
					r.Reward = nil
				}
				if random.IntN(3) == 0 {
					r.Format = nil
				}
				r.Row = len(rows) - before
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func madeReward(random *rand.Rand, group int) float64 {
	switch group % 6 {
	case 0:
		return float64(random.IntN(2))
	case 1:
		return float64(random.IntN(11)) / 10
	case 2:
		return 0.1
	case 3:
		return 1e6 + 1e-3*float64(random.IntN(2))
	case 4:
		return 0.1 + 1e-8*random.Float64()
	}
	return random.NormFloat64()
}

// jsonLines returns rows as a trainer's log.
func jsonLines(tb testing.TB, rows []row) string {
	tb.Helper()
	var b strings.Builder
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

// writeLog writes a log into a file.
func writeLog(tb testing.TB, log string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "log.jsonl")
	filetest.Write(tb, path, log)
	return path
}

// insert adds rows to a table of a server.
func insert(tb testing.TB, c *clickhousetest.Cluster, server int, table string, rows []row) {
	tb.Helper()
	for len(rows) > 0 {
		n := min(len(rows), 500)
		c.Exec(tb, server, "INSERT INTO %s SELECT * FROM format(JSONEachRow, '%s', %s)", table, rowTypes, quoteText(jsonLines(tb, rows[:n])))
		rows = rows[n:]
	}
}
