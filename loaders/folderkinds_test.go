package loaders

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/internal/testkit/parquettest"
	"vantage/internal/testkit/repotest"
)

// folderKind is a kind of files that lie in one folder.
type folderKind struct {
	name  string
	file  func(i int) string                            // name of a file
	text  func(t *testing.T, i int, size string) string // a file of a size that folderRows has
	sizes string                                        // that there are
	grow  bool                                          // one file may become a larger one

	ofFormat  bool // a made log of a format, of which there are many
	evaluates bool // some rows are of an evaluation
}

// folderTexts are the texts of files that were made, by number and size.
type folderTexts map[string]string

func (all folderTexts) of(t *testing.T, k *folderKind, i int, size string) string {
	t.Helper()
	key := size + strconv.Itoa(i)
	if _, made := all[key]; !made {
		all[key] = k.text(t, i, size)
	}
	return all[key]
}

// folderRows are how many rows a file of a size has: a few; more bytes than are read at once, and than a Parquet file may have that
// is held in memory; enough for several workers, and for several chunks.
var folderRows = map[string]int{"s": 4, "m": 1200, "l": 9600}

// folderOrders are the sizes of the files of a folder, in their order. The first ones are always tried, but for made logs of formats: those
// take turns.
var folderOrders = []string{"sssms", "msms", "sls", "smm", "ms", "sssmss", "lsm", "smsl", "ll", "mmss"}

// orders are the orders for the nth kind: fewer, unless all are wanted. What the order of files changes is the same for all formats, so that
// each is tried in some orders, and each order with some formats.
func (k *folderKind) orders(n int) []string {
	orders := slices.DeleteFunc(slices.Clone(folderOrders), func(order string) bool { return strings.Trim(order, k.sizes) != "" })
	if len(orders) == 0 {
		return []string{"sss"}
	}
	most := repotest.Times(2, len(orders))
	if k.ofFormat {
		n %= len(orders)
		orders, most = slices.Concat(orders[n:], orders[:n]), repotest.Times(1, 3)
	}
	return orders[:min(most, len(orders))]
}

// numbered names files by their number from 1.
func numbered(pattern string) func(int) string {
	return func(i int) string { return fmt.Sprintf(pattern, i+1) }
}

// folderRow is a row of a file. Its text hardly compresses.
type folderRow struct {
	step                        int64
	prompt, completion, truth   string
	reward, accuracy, advantage float64
}

func folderRowsOf(i int, size string) []folderRow {
	random := rand.New(rand.NewPCG(uint64(i), 7))
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789."
	rows := make([]folderRow, folderRows[size])
	for k := range rows {
		text := make([]byte, 120+random.IntN(120))
		for at := range text {
			text[at] = letters[random.IntN(len(letters))]
		}
		rows[k] = folderRow{
			step: int64(i + 1), prompt: fmt.Sprintf("wie groß ist %d in \"%d\"?", k/4, i), completion: string(text) + "é\n",
			truth:  strconv.Itoa(k / 4),
			reward: float64(random.IntN(9)) / 8, accuracy: float64(random.IntN(2)), advantage: float64(random.IntN(9)-4) / 4,
		}
	}
	return rows
}

// jsonRow is a row with the fields that a file of that number has.
func jsonRow(i, k int, r *folderRow) string {
	fields := map[string]any{"step": r.step, "prompt": r.prompt, "response": r.completion, "reward": r.reward}
	switch i % 5 {
	case 1:
		fields["accuracy_reward"], fields["advantage"] = r.accuracy, r.advantage
	case 2: // in rows to come, after nulls
		fields["accuracy_reward"] = nil
		if k > 2 {
			fields["accuracy_reward"], fields["format_reward"] = r.accuracy, 1-r.accuracy
		}
	case 3:
		fields["ground_truth"], fields["length"], fields["group_id"] = r.truth, 3+k%5, fmt.Sprint("g", k/4)
	case 4: // the reward is that of its parts
		delete(fields, "reward")
		fields["accuracy_reward"] = r.accuracy
	}
	text, _ := json.Marshal(fields)
	return string(text)
}

func folderLines(vary bool) func(*testing.T, int, string) string {
	return func(_ *testing.T, i int, size string) string {
		var b strings.Builder
		for k, r := range folderRowsOf(i, size) {
			variant := 0
			if vary {
				variant = i
			}
			b.WriteString(jsonRow(variant, k, &r) + "\n")
		}
		return b.String()
	}
}

// folderEvaluations are lines of which some say that they are of an evaluation: in each second file, and there not at first.
func folderEvaluations(_ *testing.T, i int, size string) string {
	var b strings.Builder
	for k, r := range folderRowsOf(i, size) {
		split := "train"
		if i%2 == 0 && k > 2 && k%7 == 3 {
			split = "eval"
		}
		fmt.Fprintf(&b, `{"split":%q,"step":%d,"prompt":%q,"response":%q,"reward":%v}`+"\n", split, r.step, r.prompt, r.completion, r.reward)
	}
	return b.String()
}

// folderCSV is a table. The columns of every second one are in another order, with another separator, and some cells are quoted.
func folderCSV(_ *testing.T, i int, size string) string {
	separator := ","
	columns := []string{"step", "prompt", "response", "reward", "accuracy_reward"}
	if i%2 == 1 {
		columns, separator = []string{"reward", "format_reward", "accuracy_reward", "response", "prompt", "step"}, ";"
	}
	var b strings.Builder
	b.WriteString(strings.Join(columns, separator) + "\n")
	quoted := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	for k, r := range folderRowsOf(i, size) {
		cells := map[string]string{
			"step": fmt.Sprint(r.step), "prompt": quoted(r.prompt), "response": quoted(r.completion), "reward": fmt.Sprint(r.reward),
			"accuracy_reward": fmt.Sprint(r.accuracy), "format_reward": "",
		}
		if k%3 == 1 {
			cells["format_reward"], cells["response"] = "0.5", strings.TrimSpace(strings.ReplaceAll(r.completion, ";", ""))
		}
		for n, c := range columns {
			if n > 0 {
				b.WriteString(separator)
			}
			b.WriteString(cells[c])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func folderDocument(_ *testing.T, i int, size string) string {
	var rows []string
	for k, r := range folderRowsOf(i, size) {
		rows = append(rows, jsonRow(i, k, &r))
	}
	return "[\n" + strings.Join(rows, ",\n") + "\n]\n"
}

// packedLines are lines that are packed as one member for each size up to theirs, as they are when they grow.
func packedLines(pack func(*testing.T, string) string) func(*testing.T, int, string) string {
	return func(t *testing.T, i int, size string) string {
		t.Helper()
		packed, before := "", 0
		for _, s := range []string{"s", "m", "l"} {
			text := folderLines(true)(t, i, s)
			packed, before = packed+pack(t, text[before:]), len(text)
			if s == size {
				break
			}
		}
		return packed
	}
}

// The rows of tables with other columns, or the same ones in another order, of another type, or that may be null.
type (
	plainTRL struct {
		Step       int64   `parquet:"step"`
		Prompt     string  `parquet:"prompt,dict"`
		Completion string  `parquet:"completion"`
		Accuracy   float64 `parquet:"accuracy"`
		Reward     float64 `parquet:"format_reward"`
		Advantage  float64 `parquet:"advantage"`
	}
	turnedTRL struct {
		Advantage  float32 `parquet:"advantage"`
		Reward     float32 `parquet:"format_reward"`
		Accuracy   int32   `parquet:"accuracy"`
		Completion string  `parquet:"completion,dict"`
		Prompt     string  `parquet:"prompt"`
		Step       int32   `parquet:"step"`
	}
	optionalTRL struct {
		Step       int64    `parquet:"step"`
		Prompt     string   `parquet:"prompt,dict"`
		Completion string   `parquet:"completion"`
		Accuracy   *float64 `parquet:"accuracy,optional"`
		Reward     *float64 `parquet:"format_reward,optional"`
		Extra      *float64 `parquet:"extra_reward,optional"`
		Advantage  *float64 `parquet:"advantage,optional"`
	}
	usualTable struct {
		Step     int64   `parquet:"step"`
		Prompt   string  `parquet:"prompt,dict"`
		Response string  `parquet:"response"`
		Reward   float64 `parquet:"reward"`
		Accuracy float64 `parquet:"accuracy_reward"`
	}
	truthTable struct { // whose reward is the sum of its parts
		Accuracy float64 `parquet:"accuracy_reward"`
		Prompt   string  `parquet:"prompt,dict"`
		Truth    string  `parquet:"ground_truth"`
		Response string  `parquet:"response"`
		Step     int64   `parquet:"step"`
	}
	partsTable struct {
		Accuracy float64 `parquet:"accuracy_reward"`
		Prompt   string  `parquet:"prompt"`
		Response string  `parquet:"response"`
		Step     int64   `parquet:"step"`
	}
	groupTable struct {
		Step        int64     `parquet:"step"`
		Prompt      string    `parquet:"prompt"`
		Completions []string  `parquet:"completions,list"`
		Rewards     []float64 `parquet:"rewards,list"`
	}
)

func writeTable[T any](t *testing.T, rows []folderRow, row func(k int, r *folderRow) T, options ...parquet.WriterOption) string {
	t.Helper()
	all := make([]T, len(rows))
	for k := range rows {
		all[k] = row(k, &rows[k])
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, all, options...); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tableOptions are other ones for each file: the codec, the version and the size of pages, the rows of a group.
func tableOptions(i int) []parquet.WriterOption {
	codecs := parquettest.Codecs()
	options := []parquet.WriterOption{parquet.Compression(codecs[i%len(codecs)]), parquet.DataPageVersion(1 + i%2)}
	switch i % 3 {
	case 1:
		options = append(options, parquet.PageBufferSize(4<<10))
	case 2:
		options = append(options, parquet.MaxRowsPerRowGroup(500))
	}
	return options
}

func asPlainTRL(_ int, r *folderRow) plainTRL {
	return plainTRL{r.step, r.prompt, r.completion, r.accuracy, r.reward, r.advantage}
}

func asTurnedTRL(_ int, r *folderRow) turnedTRL {
	return turnedTRL{float32(r.advantage), float32(r.reward), int32(r.accuracy), r.completion, r.prompt, int32(r.step)}
}

// asOptionalTRL are rows whose components are all null in the first file, and null here and there in the others.
func asOptionalTRL(i int) func(int, *folderRow) optionalTRL {
	return func(k int, r *folderRow) optionalTRL {
		row := optionalTRL{r.step, r.prompt, r.completion, &r.accuracy, &r.reward, nil, &r.advantage}
		switch {
		case i == 0:
			row.Accuracy, row.Reward, row.Advantage = nil, nil, nil
		case k%4 == i%4:
			row.Accuracy, row.Extra = nil, &r.reward
		case k%4 == 2:
			row.Reward = nil
		}
		return row
	}
}

func asUsual(_ int, r *folderRow) usualTable {
	return usualTable{r.step, r.prompt, r.completion, r.reward, r.accuracy}
}

func asTruth(_ int, r *folderRow) truthTable {
	return truthTable{r.accuracy, r.prompt, r.truth, r.completion, r.step}
}

func asParts(_ int, r *folderRow) partsTable {
	return partsTable{r.accuracy, r.prompt, r.completion, r.step}
}

func asGroup(k int, r *folderRow) groupTable {
	return groupTable{r.step, r.prompt + fmt.Sprint(k), []string{r.completion, "no"}, []float64{r.reward, math.NaN()}}
}

func asChat(k int, r *folderRow) chatRow {
	completion := []chatTurn{turn("assistant", r.completion), turn("assistant", fmt.Sprint(k))}
	return chatRow{r.step, []chatTurn{turn("user", r.prompt)}, completion, r.accuracy, r.advantage}
}

func plainTables(t *testing.T, i int, size string) string {
	t.Helper()
	return writeTable(t, folderRowsOf(i, size), asPlainTRL, parquet.Compression(&parquet.Snappy))
}

// otherTables are tables of TRL of which none is as the one before.
func otherTables(t *testing.T, i int, size string) string {
	t.Helper()
	rows, options := folderRowsOf(i, size), tableOptions(i)
	switch i % 3 {
	case 1:
		return writeTable(t, rows, asTurnedTRL, options...)
	case 2:
		return writeTable(t, rows, asOptionalTRL(i), options...)
	}
	return writeTable(t, rows, asPlainTRL, options...)
}

func usualTables(t *testing.T, i int, size string) string {
	t.Helper()
	switch i % 4 {
	case 1:
		return writeTable(t, folderRowsOf(i, size), asParts, tableOptions(i)...)
	case 2:
		return writeTable(t, folderRowsOf(i, size), asTruth, tableOptions(i)...)
	}
	return writeTable(t, folderRowsOf(i, size), asUsual, tableOptions(i)...)
}

// folderKinds are logs of every format, and every way in which they are packed.
func folderKinds(t *testing.T) []folderKind {
	t.Helper()
	lines := folderLines(true)
	kinds := []folderKind{
		{name: "lines", file: numbered("rows_%03d.jsonl"), text: lines, sizes: "sml", grow: true},
		{name: "lines alike", file: numbered("rows_%03d.jsonl"), text: folderLines(false), sizes: "sml", grow: true},
		{name: "lines with evaluations", file: numbered("rows_%03d.jsonl"), text: folderEvaluations, sizes: "sml", grow: true, evaluates: true},
		{name: "CSV", file: numbered("rows_%03d.csv"), text: folderCSV, sizes: "sml", grow: true},
		{name: "documents", file: numbered("samples_%03d.json"), text: folderDocument, sizes: "sm"},
		{name: "gzip", file: numbered("rows_%03d.jsonl.gz"), text: packedLines(gzipped), sizes: "sml", grow: true},
		{name: "zstd", file: numbered("rows_%03d.jsonl.zst"), text: packedLines(zstdCompressed), sizes: "sml", grow: true},
		{name: "packed or not", file: func(i int) string {
			return fmt.Sprintf("rows_%03d.jsonl%s", i+1, []string{"", ".gz", ".zst"}[i%3])
		}, text: func(t *testing.T, i int, size string) string {
			t.Helper()
			text := lines(t, i, size)
			return []string{text, gzipped(t, text), zstdCompressed(t, text)}[i%3]
		}, sizes: "sml"},
		{name: "tables of TRL", file: numbered("completions_%05d.parquet"), text: plainTables, sizes: "sml"},
		{name: "tables of TRL by others", file: numbered("completions_%05d.parquet"), text: otherTables, sizes: "sm"},
		{name: "tables of TRL with nulls", file: numbered("completions_%05d.parquet"), text: func(t *testing.T, i int, size string) string {
			t.Helper()
			return writeTable(t, folderRowsOf(i, size), asOptionalTRL(i), tableOptions(i)...)
		}, sizes: "sm"},
		{name: "tables of TRL in other codecs", file: numbered("completions_%05d.parquet"), text: func(t *testing.T, i int, size string) string {
			t.Helper()
			return writeTable(t, folderRowsOf(i, size), asPlainTRL, tableOptions(i)...)
		}, sizes: "sm"},
		{name: "tables", file: numbered("rows_%05d.parquet"), text: usualTables, sizes: "sm", grow: true},
		{name: "tables of conversations", file: numbered("completions_%05d.parquet"), text: func(t *testing.T, i int, size string) string {
			t.Helper()
			return writeTable(t, folderRowsOf(i, size), asChat, tableOptions(i)...)
		}, sizes: "sm"},
		{name: "tables of groups", file: numbered("rows_%05d.parquet"), text: func(t *testing.T, i int, size string) string {
			t.Helper()
			return writeTable(t, folderRowsOf(i, size), asGroup, tableOptions(i)...)
		}, sizes: "sm", grow: true},
		{name: "packed tables", file: numbered("completions_%05d.parquet.gz"), text: func(t *testing.T, i int, size string) string {
			t.Helper()
			return gzipped(t, plainTables(t, i, size))
		}, sizes: "sm"},
		{name: "rollouts of slime", file: numbered("rollout_data/%d.pt"), text: func(t *testing.T, i int, _ string) string {
			t.Helper()
			return string(filetest.Read(t, fmt.Sprintf("compressed/torchfile/testdata/protocol%d.pt", []int{2, 5}[i%2])))
		}, sizes: "s"},
	}
	for _, log := range formatstest.Logs(t, "formats/testdata") {
		kinds = append(kinds, kindOfLog(&log))
	}
	return kinds
}

var lastNumber = regexp.MustCompile(`\d+(\D*)$`)

// kindOfLog are files like a log of a format: with the rows of that once or many times, or with room between the first two bytes of
// a document. Their texts differ, so that no file repeats another.
func kindOfLog(log *formatstest.Log) folderKind {
	ext := path.Ext(log.Name)
	isDocument := ext == ".json"
	file := func(i int) string {
		if lastNumber.MatchString(log.Name) {
			return lastNumber.ReplaceAllString(log.Name, strconv.Itoa(i+2)+"$1")
		}
		return strings.TrimSuffix(log.Name, ext) + fmt.Sprintf("_%d", i) + ext
	}
	text := func(_ *testing.T, i int, size string) string {
		n := strconv.Itoa(i)
		text := strings.NewReplacer(`"p"`, `"p`+n+`"`, "what is", "what "+n+" is", "abc", "abc"+n).Replace(log.Text)
		const room = 300 << 10
		switch {
		case size == "s":
			return text
		case isDocument:
			return text[:1] + strings.Repeat(" \n", room/2) + text[1:]
		}
		header := ""
		if ext == ".csv" || ext == ".tsv" {
			at := strings.IndexByte(text, '\n') + 1
			header, text = text[:at], text[at:]
		}
		return header + strings.Repeat(text, 1+room/len(text))
	}
	return folderKind{name: log.Format, file: file, text: text, sizes: "sm", ofFormat: true}
}
