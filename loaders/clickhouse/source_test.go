package clickhouse

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/internal/testkit/clickhousetest"
	"vantage/loaders"
	"vantage/loaders/decode"
	"vantage/model"
	"vantage/model/analysis"
)

// reading is a source of chunks.
type reading interface {
	Next(context.Context) (*model.Chunk, error)
}

// readAll reads a source to its end.
func readAll(source reading) (model.Snapshot, error) {
	store := model.NewStore()
	for {
		chunk, err := source.Next(context.Background())
		if err != nil {
			return store.Snapshot(), err
		}
		store.Append(chunk)
	}
}

func open(tb testing.TB, address string, o Options) *Source {
	tb.Helper()
	if o.Password == "" {
		o.Password = clickhousetest.Password
	}
	s, err := Open(address, o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// That a table comes over a network without encryption is said in the first chunk, before anything is sent.
func TestPlainIsNoted(t *testing.T) {
	for address, notes := range map[string]int{"clickhouse://u@nowhere.invalid/a/b?secure=0": 1, "clickhouse://u@nowhere.invalid/a/b": 0} {
		chunk, err := open(t, address, Options{}).Next(context.Background())
		if err != nil || len(chunk.Notes) != notes || notes == 1 && !strings.HasPrefix(chunk.Notes[0], "secure=0 sends the password and all rows to nowhere.invalid:9000 unencrypted") {
			t.Errorf("%s: %v, %v", address, chunk, err)
		}
	}
}

// readFile reads a log from a file.
func readFile(t *testing.T, log string, columns decode.Columns) model.Snapshot {
	t.Helper()
	s, err := loaders.Open([]string{writeLog(t, log)}, loaders.Options{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	snap, err := readAll(s)
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return snap
}

// readTable reads a table.
func readTable(t *testing.T, address string, o Options) model.Snapshot {
	t.Helper()
	snap, err := readAll(open(t, address, o))
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return snap
}

// sameBits reports whether two columns are equal to the last bit: NaN and what is missing are two NaNs.
func sameBits(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// compareRows fails unless two runs have the same rows in the same order.
func compareRows(t *testing.T, got, want model.Snapshot) {
	t.Helper()
	if len(got.Steps) != len(want.Steps) || got.Rows != want.Rows {
		t.Fatalf("%d steps with %d rows, want %d with %d", len(got.Steps), got.Rows, len(want.Steps), want.Rows)
	}
	if !slices.Equal(got.Run.ComponentNames, want.Run.ComponentNames) {
		t.Errorf("components %q, want %q", got.Run.ComponentNames, want.Run.ComponentNames)
	}
	for i, w := range want.Steps {
		g := got.Steps[i]
		if g.Number != w.Number || !sameBits(g.Rewards, w.Rewards) || !slices.Equal(g.Lengths, w.Lengths) || !sameBits(g.LoggedAdvantages, w.LoggedAdvantages) || !slices.Equal(g.Statuses, w.Statuses) {
			t.Errorf("step %d:\n%v %v\nwant step %d:\n%v %v", g.Number, g.Rewards, g.Lengths, w.Number, w.Rewards, w.Lengths)
		}
		for k := range w.Components {
			if !sameBits(g.Components[k], w.Components[k]) {
				t.Errorf("step %d, %s: %v, want %v", w.Number, want.Run.ComponentNames[k], g.Components[k], w.Components[k])
			}
		}
		for row := range w.Rewards {
			if gp, wp := g.PromptNumber(row), w.PromptNumber(row); (gp == 0) != (wp == 0) || gp > 0 && got.Prompt(gp) != want.Prompt(wp) {
				t.Errorf("step %d, row %d: another prompt", w.Number, row)
			}
		}
	}
}

// compareFigures fails unless all estimators give two runs the same advantages under all filters. It returns how
// many were compared.
func compareFigures(t *testing.T, got, want model.Snapshot) (compared int) {
	t.Helper()
	var sets []model.Settings
	for _, e := range estimators.All() {
		for _, scale := range e.Scales {
			set := model.DefaultSettings()
			set.Framework, set.Estimator, set.Scale = e.Framework, e.Name, scale
			sets = append(sets, set)
			if e.CanFilter {
				set.KeepPos, set.KeepNeg, set.Recompute = 0.5, 0.25, true
				sets = append(sets, set)
			}
		}
	}
	for _, f := range groupfilter.All() {
		set := model.DefaultSettings()
		set.GroupFilter = f.Framework + "/" + f.Name
		sets = append(sets, set)
	}
	for _, set := range sets {
		for i := range want.Steps {
			w, wantErr := analysis.Analyze(t.Context(), want, i, set)
			g, err := analysis.Analyze(t.Context(), got, i, set)
			name := fmt.Sprintf("%s %s %s %v %s, step %d", set.Framework, set.Estimator, set.Scale, set.KeepPos, set.GroupFilter, want.Steps[i].Number)
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("%s: %v, want %v", name, err, wantErr)
			}
			if err != nil || wantErr != nil {
				continue
			}
			compared++
			if !sameBits(g.Unfiltered, w.Unfiltered) || !sameBits(g.Processed, w.Processed) || !slices.Equal(g.Keep, w.Keep) || fmt.Sprint(g.Fates) != fmt.Sprint(w.Fates) {
				t.Errorf("%s:\n%v\nwant\n%v", name, g.Processed, w.Processed)
			}
			for k := range w.Table {
				if g.Table[k].Name != w.Table[k].Name {
					t.Errorf("%s: group %q, want %q", name, g.Table[k].Name, w.Table[k].Name)
				}
			}
		}
	}
	return compared
}

// A table gives the figures of a file of the same rows, to the last bit, for every estimator and every filter: on one
// server, on shards that each have whole groups, and on shards over which every group is split.
func TestFiguresOfTablesAndFiles(t *testing.T) {
	c := clickhousetest.Start(t, 3)
	rows := madeRows("a", 5, 30)
	for i := range 3 {
		c.Exec(t, i, "CREATE DATABASE rl")
		c.Exec(t, i, createTable, "rl.whole")
		c.Exec(t, i, createTable, "rl.split")
	}
	c.Exec(t, 0, createTable, "rl.one")
	insert(t, c, 0, "rl.one", rows)
	var shards [2][3][]row
	for i, r := range rows {
		byGroup := int(r.Group[len(r.Group)-1]) % 3
		shards[0][byGroup], shards[1][i%3] = append(shards[0][byGroup], r), append(shards[1][i%3], r)
	}
	for i := range 3 {
		insert(t, c, i, "rl.whole", shards[0][i])
		insert(t, c, i, "rl.split", shards[1][i])
	}
	c.Exec(t, 0, "CREATE TABLE rl.wholes AS rl.whole ENGINE = Distributed(shards, rl, whole)")
	c.Exec(t, 0, "CREATE TABLE rl.splits AS rl.split ENGINE = Distributed(shards, rl, split)")
	want := readFile(t, jsonLines(t, rows), decode.Columns{})
	for _, user := range []string{clickhousetest.Viewer, clickhousetest.Reader, clickhousetest.Writer} {
		for _, table := range []string{"rl/one", "rl/wholes", "rl/splits"} {
			for _, portion := range []int{0, 100} {
				got := readTable(t, c.Address(0, user, table, ""), Options{ChunkRows: portion})
				compareRows(t, got, want)
				if user == clickhousetest.Viewer && portion > 0 {
					t.Logf("%s in portions of %d rows: %d analyses are equal", table, portion, compareFigures(t, got, want))
				}
			}
		}
	}
}

// Columns that are named, sums of components, and prompts in place of ids give what a file with the same names gives.
func TestMappedColumns(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	rows := madeRows("a", 3, 12)
	c.Exec(t, 0, "CREATE DATABASE rl")
	c.Exec(t, 0, createTable, "rl.all")
	shuffled := slices.Clone(rows) // each step
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(rows), func(i, j int) {
		if a, b := &shuffled[i], &shuffled[j]; a.Step == b.Step {
			*a, *b = *b, *a
			a.Row, b.Row = b.Row, a.Row
		}
	})
	insert(t, c, 0, "rl.all", append(shuffled, madeRows("bc", 2, 3)...))
	for _, x := range []struct {
		name, columns string // of a view of the table
		query         string // of the address
		file          decode.Columns
	}{
		{"named", "* EXCEPT reward", "&reward=accuracy_reward", decode.Columns{}},
		{"sums", "* EXCEPT reward", "", decode.Columns{}},
		{"prompts", "* EXCEPT group_id", "&prompt=prompt_text&sample=row", decode.Columns{Prompt: "prompt_text"}},
		{"batch", "*", "&sample=row", decode.Columns{}},
		{"texts", "*", "&prompt=prompt_text", decode.Columns{Prompt: "prompt_text"}},
		{"kinds", "CAST(run AS String) AS run, toInt64(step) AS step, CAST(group_id AS Nullable(String)) AS group_id, prompt_text, sample_idx, reward, CAST(response_length AS Nullable(Int16)) AS response_length, CAST(accuracy_reward AS Decimal(9, 3)) AS accuracy_reward, format_reward, response", "", decode.Columns{}},
		{"statuses", "*, toBool(sample_idx = 1) AS is_truncated, if(sample_idx = 2, 'Length', 'stop') AS finish_reason", "", decode.Columns{}},
		{"clashing", "*, step AS vantage_s, reward AS s, reward AS t, reward AS g, reward AS n", "", decode.Columns{}},
	} {
		t.Run(x.name, func(t *testing.T) {
			c.Exec(t, 0, "CREATE VIEW rl.%s AS SELECT %s FROM rl.all", x.name, x.columns)
			log := jsonLines(t, rows)
			switch x.name {
			case "batch":
				log = jsonLines(t, shuffled)
			case "named", "sums":
				log = regexp.MustCompile(`"reward":[^,]*,`).ReplaceAllString(log, "")
			case "prompts":
				log = regexp.MustCompile(`"group_id":[^,]*,`).ReplaceAllString(jsonLines(t, shuffled), "")
			}
			if x.name == "statuses" {
				log = strings.NewReplacer(`"sample_idx":1,`, `"sample_idx":1,"is_truncated":true,`, `"sample_idx":2,`, `"sample_idx":2,"finish_reason":"Length",`).Replace(log)
			}
			if x.name == "named" {
				log = strings.ReplaceAll(log, `"accuracy_reward"`, `"reward"`)
			}
			want := readFile(t, log, x.file)
			got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/"+x.name, "run=a"+x.query), Options{})
			compareRows(t, got, want)
			if told := got.TellsStatuses(); told != (x.name == "statuses") {
				t.Errorf("it tells statuses: %v", told)
			}
			t.Log(got.Run.Provenance)
		})
	}
}

// The recommended statements make a table, and load a log of verl so that its figures are those of the file.
func TestRecommendedTable(t *testing.T) {
	c := clickhousetest.Start(t, 1)
	c.Exec(t, 0, "CREATE DATABASE rl")
	log := ""
	for i, r := range madeRows("a", 1, 20) {
		line, err := json.Marshal(map[string]any{"step": 17, "score": *cmp.Or(r.Reward, &r.Accuracy), "input": r.Prompt, "output": r.Response, "gts": r.Group, "acc": i})
		if err != nil {
			t.Fatal(err)
		}
		log += string(line) + "\n"
	}
	statements := strings.Split(RecommendedTable, ";\n")
	c.Exec(t, 0, "%s", statements[0])
	c.Exec(t, 0, "%s", strings.Replace(statements[1], "'CLUSTER'", "shards", 1))
	insert := regexp.MustCompile(`(?s)INSERT.*FORMAT`).FindString(statements[2])
	insert = regexp.MustCompile(`input\(('[^']*')\) FORMAT`).ReplaceAllString(insert, "format(JSONEachRow, $1, LOG)")
	c.Exec(t, 0, "%s", strings.Replace(insert, "LOG", quoteText(log), 1))
	want := readFile(t, log, decode.Columns{})
	got := readTable(t, c.Address(0, clickhousetest.Viewer, "rl/all", ""), Options{})
	if !sameBits(got.Steps[0].Rewards, want.Steps[0].Rewards) || got.Steps[0].Number != 17 {
		t.Errorf("%v, want %v", got.Steps[0].Rewards, want.Steps[0].Rewards)
	}
	g, err := analysis.Analyze(t.Context(), got, 0, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	w, err := analysis.Analyze(t.Context(), want, 0, model.DefaultSettings())
	if err != nil || !sameBits(g.Processed, w.Processed) || g.Groups != w.Groups {
		t.Errorf("%v, want %v, %v", g.Processed, w.Processed, err)
	}
}

// Only the steps of the address are read.
func TestSomeSteps(t *testing.T) {
	c := oneTable(t, madeRows("a", 9, 3))
	for query, want := range map[string]string{"steps=4": "[4]", "steps=4-6": "[4 5 6]", "steps=7-": "[7 8 9]", "last=2": "[8 9]", "steps=2-5&last=2": "[4 5]", "last=20&steps=8-": "[8 9]"} {
		var steps []int64
		for _, s := range readTable(t, c.Address(0, clickhousetest.Viewer, "rl/rollouts", query), Options{}).Steps {
			steps = append(steps, s.Number)
		}
		if fmt.Sprint(steps) != want {
			t.Errorf("%s: %v, want %s", query, steps, want)
		}
	}
}
