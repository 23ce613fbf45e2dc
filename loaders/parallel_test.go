package loaders

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"vantage/model"
)

// largeLog returns rows of all sizes, some broken, some with fields that no row had before.
func largeLog(tb testing.TB, seed uint64) string {
	tb.Helper()
	data, err := os.ReadFile("decode/fast/testdata/unusual_rows.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	rows := strings.SplitAfter(string(data), "\n")
	rows = rows[:len(rows)-1]
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for n := 0; b.Len() < 14<<20; n++ {
		size := random.IntN(2000)
		switch random.IntN(4000) {
		case 0:
			size = 2 << 20 // longer than a stride
		case 1:
			b.WriteString("{\"prompt\": \"torn\n\n")
			continue
		case 2:
			b.WriteString("{\"prompt\": \"zero\x00\"}\n")
			continue
		case 3, 4, 5, 6, 7, 8:
			b.WriteString(rows[n%len(rows)])
			continue
		case 9:
			fmt.Fprintf(&b, `{"prompt": "q%d", "reward": 1, "style%d_reward": 0.5}`+"\n", n, n%3)
			continue
		}
		fmt.Fprintf(&b, `{"step": %d, "group_id": "g%d", "prompt": "question \"%d\"", "response": "%s", "reward": %.3f, "answer": "é%d"}`+"\n",
			n/500, n/8, n/8, strings.Repeat("word ünd ", size/10), random.Float64(), n/8)
	}
	return b.String()
}

// largeTable returns a CSV table with texts of several lines, some broken rows, and quotes where none
// should be.
func largeTable(tb testing.TB, seed uint64) string {
	tb.Helper()
	random := rand.New(rand.NewPCG(seed, 2))
	var b strings.Builder
	b.WriteString("step,group_id,prompt,response,reward,format_reward,advantage,note\r\n")
	for n := 0; b.Len() < 14<<20; n++ {
		text := strings.Repeat("line \"\"one\"\"\nline, ünd\n", random.IntN(80))
		reward, last := fmt.Sprint(random.Float64()), []string{"", "x", `"a ""b"""`, "1.5"}[random.IntN(4)]
		switch random.IntN(3000) {
		case 0:
			text = strings.Repeat("longer than a stride\n", 100_000)
		case 1:
			b.WriteString("too,few\n\n")
			continue
		case 2:
			text = "a NUL \x00"
		case 3:
			last = `5" or 6" pipes`
		case 4:
			reward = []string{"", "True", "nan", `"0.5"`, "1e-3", "0x1p-2", "-0.0"}[n%7]
		case 5:
			text = `[{""role"": ""assistant"", ""content"": ""a conversation""}]`
		case 6:
			if seed == 2 {
				last = `a quote " without another`
			}
		}
		advantage := []string{"", "0.25", "-1"}[random.IntN(3)]
		fmt.Fprintf(&b, "%d,g%d,\"question \"\"%d\"\"\",\"%s\",%s,%d,%s,%s\r\n", n/500, n/8, n/8, text, reward, n%2, advantage, last)
	}
	return b.String()
}

// withoutEmptyComponents returns r without components if none has a value: a block has no rows without them.
func withoutEmptyComponents(r model.Record) model.Record {
	if !slices.ContainsFunc(r.Components, func(x float64) bool { return x == x }) {
		r.Components = nil
	}
	return r
}

// Several workers give the same samples and problems in the same order as one, wherever the log ends.
func TestWorkersReadLikeOne(t *testing.T) {
	t.Parallel()
	for n := range uint64(6) {
		path, log := t.TempDir()+"/large.jsonl", largeLog
		if n%2 == 1 {
			path, log = t.TempDir()+"/large.csv", largeTable
		}
		text := log(t, n/2)
		if err := os.WriteFile(path, []byte(text[:len(text)-37*int(n)]), 0o600); err != nil {
			t.Fatal(err)
		}
		var got [2]collected
		for i, serial := range []bool{true, false} {
			s, err := Open([]string{path}, Options{serial: serial})
			if err != nil {
				t.Fatal(err)
			}
			got[i] = drain(t, s)
			_ = s.Close()
		}
		compareCollected(t, got[0], got[1])
	}
}
