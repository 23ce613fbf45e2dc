package runs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vantage/model"
)

// Whatever is known of files, each row belongs to exactly one attempt.
func TestRowsBelongToOneAttempt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			file         int32
			offset, step int64
		}
		var rows []row
		var files []File
		for i := range rapid.Int32Range(1, 12).Draw(t, "files") {
			f := File{
				Index: i, Path: fmt.Sprint(i, ".jsonl"), Order: &Order{}, Written: time.Unix(rapid.Int64Range(0, 40).Draw(t, "written"), 0),
				Gone: rapid.IntRange(0, 3).Draw(t, "gone") == 0, Rewritten: rapid.Bool().Draw(t, "rewritten"), Replaced: rapid.IntRange(0, 1).Draw(t, "replaced"),
			}
			for offset, step := range rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 12).Draw(t, "steps") {
				f.Order.Add(step, int64(10*offset), 4)
				rows = append(rows, row{i, int64(10 * offset), step})
			}
			files = append(files, f)
		}
		v := divide(files, rapid.Bool().Draw(t, "forced"))
		for _, r := range rows {
			owners := 0
			for i := range v.attempts {
				if covers(v.attempts[i].ranges(), r.file, r.offset, r.step) {
					owners++
				}
			}
			if owners != 1 {
				t.Fatalf("row %+v belongs to %d of %d attempts", r, owners, len(v.attempts))
			}
		}
		newest := &v.attempts[len(v.attempts)-1]
		for _, r := range rows {
			if covers(newest.ranges(), r.file, r.offset, r.step) && !covers(newest.abandonedRanges(), r.file, r.offset, r.step) {
				return
			}
		}
		t.Fatal("nothing is left of the newest attempt")
	})
}

func covers(ranges []model.RowRange, file int32, offset, step int64) bool {
	for _, r := range ranges {
		if r.File == file && offset >= r.From && offset < r.To && step >= r.Step {
			return true
		}
	}
	return false
}

// A file whose steps go back all the time is in one attempt, and takes no more memory.
func TestUnorderedStepsAreOneAttempt(t *testing.T) {
	var o Order
	for i := range int64(10_000) {
		o.Add(i*7919%101, i, 8)
	}
	if parts := o.parts(); len(parts) != 1 || o.passes != nil || parts[0].first != 0 || parts[0].last != 100 {
		t.Errorf("%+v", parts)
	}
}

// Rows of a folder that was replaced stay while the new one is empty.
func TestReplacedFolder(t *testing.T) {
	file := func(index int32, replaced int, step int64) File {
		f := File{Index: index, Order: &Order{}, Replaced: replaced, Written: time.Unix(int64(index), 0)}
		if step > 0 {
			f.Order.Add(step, 0, 4)
		}
		return f
	}
	if a := LeftOut(slices.Values([]File{file(0, 0, 5), file(1, 1, 0)}), 0); a.Count != 0 || len(a.LeftOut) > 0 {
		t.Errorf("%+v while nothing is in the new folder", a)
	}
	if a := LeftOut(slices.Values([]File{file(0, 0, 5), file(1, 1, 6)}), 0); a.Count != 2 || len(a.LeftOut) != 1 || a.LeftOut[0].Cause != model.FolderReplaced {
		t.Errorf("%+v", a)
	}
}
