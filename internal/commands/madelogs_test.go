package commands

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/loaders/formats"
)

// madeLogs returns a small log of each format, by its name: one file, or several where one says nothing.
func madeLogs(t *testing.T) map[string][]formatstest.Log {
	t.Helper()
	logs := map[string][]formatstest.Log{
		"trl":           {binaryLog(t, "testdata/trainers/trl-grpo-plain/log/completions/completions_00001.parquet", "completions/completions_00001.parquet")},
		"parquet":       {binaryLog(t, "../../loaders/parquet/testdata/delta_v2.parquet", "log.parquet")},
		"slime":         {binaryLog(t, "../../loaders/compressed/torchfile/testdata/protocol2.pt", "rollout_data/3.pt")},
		"art":           {artTable(t)},
		"group-parquet": {groupTable(t)},
	}
	for _, log := range formatstest.Logs(t, "../../loaders/formats/testdata") {
		logs[log.Format] = []formatstest.Log{log}
	}
	logs["trackio"] = []formatstest.Log{binaryLog(t, "../../loaders/trackio/testdata/completions.db", "PROJECT.db")} // the lines are of files in the database
	logs["trackio-traces"] = []formatstest.Log{binaryLog(t, "../../loaders/trackio/testdata/math.db", "PROJECT.db")}
	lone := logs["open-instruct"][0]
	lone.Text += lone.Text // an id of one row is no group
	logs["open-instruct"] = []formatstest.Log{lone}
	trial := logs["harbor"][0] // nor is a task of one trial
	trial.Name = strings.ReplaceAll(trial.Name, "__a1", "__a2")
	logs["harbor"] = append(logs["harbor"], trial)
	logs["csv"] = []formatstest.Log{{Name: "log.csv", Text: "prompt,reward\np,1\np,0\n"}} // the made one has tabs
	return logs
}

// artTable returns two trajectories in the columns that ART writes.
func artTable(t *testing.T) formatstest.Log {
	t.Helper()
	type message struct {
		Role    string `parquet:"role"`
		Content string `parquet:"content"`
	}
	type row struct {
		Group    int64     `parquet:"group_index"`
		Metadata *string   `parquet:"group_metadata,optional"`
		Reward   float64   `parquet:"reward"`
		Messages []message `parquet:"messages,list"`
	}
	ask := message{"user", "q"}
	return table(t, "trajectories/train/0007.parquet", []row{
		{Reward: 1, Messages: []message{ask, {"assistant", "a"}}},
		{Reward: 0, Messages: []message{ask, {"assistant", "b"}}},
	})
}

// groupTable returns a group in a row.
func groupTable(t *testing.T) formatstest.Log {
	t.Helper()
	type row struct {
		Step        int64     `parquet:"step"`
		Prompt      string    `parquet:"prompt"`
		Completions []string  `parquet:"completions,list"`
		Rewards     []float64 `parquet:"rewards,list"`
	}
	return table(t, "groups.parquet", []row{{Step: 1, Prompt: "q", Completions: []string{"a", "b"}, Rewards: []float64{1, 0}}})
}

// table returns rows as a Parquet file.
func table[Row any](t *testing.T, name string, rows []Row) formatstest.Log {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return formatstest.Log{Name: name, Text: b.String()}
}

// binaryLog returns a log that is no text, by the name that a trainer would give it.
func binaryLog(t *testing.T, path, name string) formatstest.Log {
	t.Helper()
	text := filetest.Read(t, path)
	return formatstest.Log{Name: name, Text: string(text)}
}

// putLogs writes made logs under the working directory, where the trainer writes them.
func putLogs(t *testing.T, f formats.Format, logs []formatstest.Log) {
	t.Helper()
	if len(logs) == 0 {
		t.Fatalf("no log of %s is made", f.Name)
	}
	for _, log := range logs {
		path, ok := placeOf(f.File, log.Name)
		if !ok {
			t.Fatalf("the made log is %s, which is not where the trainer writes it: %s", log.Name, f.File)
		}
		filetest.Write(t, path, log.Text)
	}
}

// placeholder is {step}, for what a trainer puts there, or {train,eval}, for one of these.
var placeholder = regexp.MustCompile(`\\\{[^}]*\\\}`)

// placeOf returns the whole path of a made log that lies at the end of a path with placeholders, and whether it can lie there.
func placeOf(file, name string) (string, bool) {
	parts, have := strings.Split(file, "/"), strings.Split(name, "/")
	above := len(parts) - len(have)
	if above < 0 {
		return "", false
	}
	for i, part := range parts {
		pattern := placeholder.ReplaceAllStringFunc(regexp.QuoteMeta(part), func(p string) string {
			if strings.Contains(p, ",") {
				return "(" + strings.ReplaceAll(p[2:len(p)-2], ",", "|") + ")"
			}
			return ".*"
		})
		if i < above {
			parts[i] = strings.NewReplacer(".*", "1").Replace(strings.ReplaceAll(pattern, `\`, ""))
		} else if ok, err := regexp.MatchString("^"+pattern+"$", have[i-above]); err != nil || !ok {
			return "", false
		} else {
			parts[i] = have[i-above]
		}
	}
	return filepath.FromSlash(strings.Join(parts, "/")), true
}
