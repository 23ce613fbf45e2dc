package loaders

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"vantage/model"
)

// plainRow is a row as another reader reads it.
type plainRow struct {
	group  string
	reward float64
	length int // of the response, in characters; -1 if there is none
	step   int64
}

// decodeAll reads a log in memory.
func decodeAll(name string, log []byte) (records []model.Record, problems []model.Problem) {
	for _, c := range Decode(name, log) {
		records, problems = append(records, c.Records...), append(problems, c.Problems...)
	}
	return records, problems
}

func compareRows(t *testing.T, log string, want []plainRow, records []model.Record, problems []model.Problem) {
	t.Helper()
	if len(records) != len(want) {
		t.Fatalf("%q: %d rows, want %d; %v", log, len(records), len(want), problems)
	}
	for i, w := range want {
		r := records[i]
		if got := (plainRow{r.Group, r.Reward, int(r.Length), r.Step}); got.group != w.group || got.length != w.length || got.step != w.step ||
			got.reward != w.reward && (got.reward == got.reward || w.reward == w.reward) {
			t.Fatalf("%q, row %d: %+v, want %+v", log, i, got, w)
		}
	}
}

// CSV has the rows and cells that encoding/csv reads in it. What differs on purpose is left out: a
// quote that is never closed or stands inside a cell, for which encoding/csv gives up; a NUL, with
// which a row is refused; \r\n inside quotes, which encoding/csv shortens; and what is no UTF-8, whose
// characters each reader counts in its own way.
func FuzzCSVRows(f *testing.F) {
	for _, rows := range []string{
		"g,1,r,2\n", "\"g,\"\"1\"\"\",-0.5,\"two\nlines\",3\r\nh,1e3,,2\n\ni,nan,é,1", "g,True,x,1\ng,False,x\n,1,x,1\n", " g ,0x1p-2,x,2\n\t,-0,\",\",1\n",
	} {
		f.Add(rows)
	}
	f.Fuzz(func(t *testing.T, rows string) {
		returns := strings.Count(rows, "\r")
		if strings.Contains(rows, "\x00") || !utf8.ValidString(rows) || returns != strings.Count(rows, "\r\n") || returns > 0 && strings.Contains(rows, `"`) {
			return
		}
		want, ok := readCSV(rows)
		if !ok {
			return
		}
		log := "group_id,reward,response,step\nfirst,1,r,1\n" + rows
		records, problems := decodeAll("a.csv", []byte(log))
		compareRows(t, log, append([]plainRow{{"first", 1, 1, 1}}, want...), records, problems)
	})
}

// readCSV reads rows with encoding/csv. A row with another number of cells, or without a group, is none.
func readCSV(rows string) (all []plainRow, ok bool) {
	r := csv.NewReader(strings.NewReader(rows))
	r.FieldsPerRecord = -1
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, true
		}
		if err != nil {
			return nil, false
		}
		if len(cells) != 4 || cells[0] == "" {
			continue
		}
		reward, isNumber := csvNumber(cells[1])
		step, stepErr := strconv.ParseInt(cells[3], 10, 32)
		if !isNumber || stepErr != nil || strings.HasPrefix(cells[2], "[{") {
			return nil, false // steps that are none take the step of the file; a conversation is measured in its messages
		}
		row := plainRow{cells[0], reward, utf8.RuneCountInString(cells[2]), step}
		if cells[2] == "" {
			row.length = -1
		}
		all = append(all, row)
	}
}

// csvNumber is the number that a cell is for Python and pandas.
func csvNumber(cell string) (float64, bool) {
	switch cell {
	case "True", "true":
		return 1, true
	case "False", "false":
		return 0, true
	}
	x, err := strconv.ParseFloat(cell, 64)
	if errors.Is(err, strconv.ErrRange) {
		return x, true
	}
	return x, err == nil
}

// JSON gives the rows that encoding/json reads in it, in each layout: lines, a list, a list of many
// lines. Rows that encoding/json refuses are left out, since Python writes more than JSON has, and so is
// what is no UTF-8.
func FuzzJSONRows(f *testing.F) {
	f.Add(`"g"`, "1", `"r"`, "2", `null`)
	f.Add(`"\u0067\n"`, "-0.5e1", `"é\ud83d\ude00\ud800"`, "0", `{"a": [1, {"reward": 2}], "": "}"}`)
	f.Add("\"\x7f\"", "1E400", `"\\\""`, "-1", `[[], {}, "]", 1.5]`)
	f.Add(` "g" `, " 0.10 ", "\t\"\"", " 7", `"group_id"`)
	f.Fuzz(func(t *testing.T, group, reward, response, step, other string) {
		row := `{"group_id":` + group + `,"reward":` + reward + `,"response":` + response + `,"step":` + step + `,"zzz":` + other + `}`
		want, ok := readJSON(row)
		if !ok || !utf8.ValidString(row) {
			return
		}
		first := `{"group_id":"first","reward":1,"response":"r","step":1,"zzz":0}`
		all := append([]plainRow{{"first", 1, 1, 1}}, want, want)
		var list bytes.Buffer
		if json.Indent(&list, []byte("["+first+","+row+","+row+"]"), "", "  ") != nil {
			return
		}
		logs := map[string]string{"a.json": "[" + first + "," + row + ",\n" + row + "]", "b.json": list.String()}
		if !strings.ContainsAny(row, "\n") {
			logs["a.jsonl"], logs["b.jsonl"] = first+"\n"+row+"\n"+row, first+"\r\n"+row+"\r\n\r\n"+row+"\r\n"
		}
		for name, log := range logs {
			records, problems := decodeAll(name, []byte(log))
			compareRows(t, name+": "+log, all, records, problems)
		}
	})
}

// readJSON reads a row with encoding/json. It is false if a field is of another type than a trainer
// gives it.
func readJSON(row string) (plainRow, bool) {
	var fields map[string]any
	d := json.NewDecoder(strings.NewReader(row))
	d.UseNumber()
	if !json.Valid([]byte(row)) || d.Decode(&fields) != nil || len(fields) != 5 {
		return plainRow{}, false
	}
	group, isText := fields["group_id"].(string)
	response, isText2 := fields["response"].(string)
	number, isNumber := fields["reward"].(json.Number)
	stepNumber, isNumber2 := fields["step"].(json.Number)
	if !isText || !isText2 || !isNumber || !isNumber2 || group == "" || strings.HasPrefix(response, "[{") {
		return plainRow{}, false
	}
	reward, err := strconv.ParseFloat(string(number), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return plainRow{}, false
	}
	step, err := strconv.ParseInt(string(stepNumber), 10, 32)
	return plainRow{group, reward, utf8.RuneCountInString(response), step}, err == nil && !math.IsNaN(reward)
}
