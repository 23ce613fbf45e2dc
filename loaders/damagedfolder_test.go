package loaders

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/parquettest"
)

// damagedRows is how many rows each file of logsToDamage has.
const damagedRows = 40

// logsToDamage are a log in each framing, packing and codec, by file name.
func logsToDamage(t *testing.T) map[string][]byte {
	t.Helper()
	var lines, table, list strings.Builder
	table.WriteString("step,group_id,response,reward\n")
	var rows []trlRow
	for i := range damagedRows {
		text := fmt.Sprintf("answer %d ", i*7919) // no two rows are equal
		fmt.Fprintf(&lines, `{"step":1,"group_id":"g%d","response":"%s","reward":%d}`+"\n", i/4, text, i%2)
		fmt.Fprintf(&table, "1,g%d,\"%s\",%d\n", i/4, text, i%2)
		fmt.Fprintf(&list, `,{"step":1,"group_id":"g%d","response":"%s","reward":%d}`, i/4, text, i%2)
		rows = append(rows, trlRow{1, fmt.Sprint("q", i/4), text, float64(i % 2), 0, 0})
	}
	logs := map[string][]byte{"a.jsonl": []byte(lines.String()), "a.csv": []byte(table.String()), "samples.json": []byte("[" + list.String()[1:] + "]")}
	for name, log := range map[string][]byte{"a.jsonl": logs["a.jsonl"], "a.csv": logs["a.csv"], "snappy.parquet": trlTable(t, rows)} {
		logs[name+".gz"], logs[name+".zst"] = []byte(gzipped(t, string(log))), []byte(zstdCompressed(t, string(log)))
	}
	for _, codec := range parquettest.Codecs() {
		var b bytes.Buffer
		if err := parquet.Write(&b, rows, parquet.Compression(codec)); err != nil {
			t.Fatal(err)
		}
		logs[strings.ToLower(codec.String())+".parquet"] = b.Bytes()
	}
	return logs
}

// damages are what happens to a file, each with a random place.
var damages = map[string]func(file []byte, at int) []byte{
	"a bit":     func(file []byte, at int) []byte { file[at] ^= 1 << (at % 8); return file },
	"a cut":     func(file []byte, at int) []byte { return file[:at] },
	"a claim":   func(file []byte, at int) []byte { copy(file[at:], "\xff\xff\xff\x7f"); return file },
	"a varint":  func(file []byte, at int) []byte { copy(file[at:], "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"); return file },
	"zeros":     func(file []byte, at int) []byte { clear(file[at:min(at+512, len(file))]); return file },
	"a swap":    func(file []byte, at int) []byte { return append(file[at:len(file):len(file)], file[:at]...) },
	"a repeat":  func(file []byte, at int) []byte { return append(file, file[:at]...) },
	"no middle": func(file []byte, at int) []byte { return append(file[:at/2], file[at:]...) },
}

// Damage to a file is that file's problem: a sentence names it where rows are missing, the others of the
// folder are read, and it costs little memory and time.
func TestDamagedFileInAFolder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, log := range logsToDamage(t) {
		for what, damage := range damages {
			for range 12 {
				checkDamaged(t, name, what, damage(bytes.Clone(log), random.IntN(len(log))))
			}
		}
	}
}

// checkDamaged reads a folder with a damaged file and a whole one.
func checkDamaged(t *testing.T, name, what string, data []byte) {
	t.Helper()
	w := trainer{t, t.TempDir()}
	w.add("whole/b.jsonl", strings.Repeat(row(1, 7), 3))
	if err := os.WriteFile(w.path(name), data, 0o600); err != nil {
		t.Fatal(err)
	}
	before, start := allocatedBytes(), time.Now()
	got := readAll(t, w.dir)
	grown, took := allocatedBytes()-before, time.Since(start)
	if grown > 96<<20 || took > 10*time.Second {
		t.Errorf("%s, %s: %d bytes allocated for %d in %v", name, what, grown, len(data), took)
	}
	whole := 0
	for _, r := range got.Records {
		if r.Reward == 7 {
			whole++
		}
	}
	if whole != 3 {
		t.Errorf("%s, %s: %d rows of the file beside it", name, what, whole)
	}
	if read := len(got.Records) - whole; read < damagedRows && !strings.Contains(fmt.Sprint(got.Problems, got.Notes), name) && !endsALine(name, data) {
		t.Errorf("%s, %s: %d rows and no word of it; %q", name, what, read, data)
	}
}

// endsALine reports whether the rows after a cut are not missed.
func endsALine(name string, data []byte) bool {
	return len(data) == 0 || (name == "a.jsonl" || name == "a.csv") && data[len(data)-1] == '\n'
}

func allocatedBytes() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
