package tui

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// The exported table is that on the screen: its groups, samples or steps, filtered and sorted
// as they are there.
func TestExportShownWritesTheTableOnScreen(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(12), 120, 36, filterSettings(), func(d *driver) {
		files := &memoryFiles{}
		d.app.outside.files = files
		export := func(form string) [][]string {
			t.Helper()
			d.press(":")
			d.typeText("export shown " + form)
			d.press("enter")
			if files.name != "shown."+form {
				t.Fatalf("%q: %q", files.name, d.app.overlays.notice)
			}
			if form != "csv" {
				return nil
			}
			rows, err := csv.NewReader(strings.NewReader(files.data)).ReadAll() // all rows have the columns of the head
			if err != nil {
				t.Fatal(err)
			}
			return rows[1:]
		}
		d.press("/")
		d.typeText("fate:alive")
		d.press("enter", "o", "o", "o", "o")
		rows := export("csv")
		if len(rows) != len(d.app.env.Result.Rows) {
			t.Errorf("%d rows of %d groups", len(rows), len(d.app.env.Result.Rows))
		}
		for i, row := range rows {
			if g := d.app.env.Result.Analysis.Table[d.app.env.Result.Rows[i]]; row[2] != g.Name || row[1] != "alive" {
				t.Errorf("row %d is of %s, on the screen is %s", i, row[2], g.Name)
			}
		}
		export("md")
		if !strings.HasPrefix(files.data, fmt.Sprintf("## groups of step 12 \\[%d/24] · fate:alive\n", len(rows))) {
			t.Errorf("%.80q", files.data)
		}
		export("jsonl")
		first := struct {
			Group string
			Step  int
		}{}
		if err := json.Unmarshal([]byte(strings.SplitN(files.data, "\n", 2)[0]), &first); err != nil || first.Group != rows[0][2] || first.Step != 12 {
			t.Errorf("%v %+v", err, first)
		}
		d.press("enter")
		if rows := export("csv"); len(rows) != 8 || rows[0][2] != "1" {
			t.Errorf("samples: %v", rows)
		}
		d.press("esc", "3", "3")
		if rows := export("csv"); len(rows) != 12 || rows[11][0] != "12" {
			t.Errorf("steps: %v", rows)
		}
		d.press("S")
		if rows := export("csv"); len(rows) != 21*21 || rows[0][2] != "true" {
			t.Errorf("cells: %d", len(rows))
		}
		d.press("esc", "esc", "5")
		if rows := export("csv"); len(rows) < 40 || rows[0][0] != "critic/score/mean" {
			t.Errorf("metrics: %v", rows[0])
		}
		d.press("!", ":")
		d.typeText("export shown csv")
		d.press("enter")
		if !strings.Contains(d.app.overlays.notice, "the table is empty") {
			t.Errorf("%q", d.app.overlays.notice)
		}
	})
}
