package logprobs

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"vantage/internal/testkit/filetest"
)

// A table has its rows under the same names as lines.
func TestTables(t *testing.T) {
	type row struct {
		Step    int32     `parquet:"step"`
		UID     string    `parquet:"uid"`
		Prompt  string    `parquet:"prompt"`
		Sampler []float32 `parquet:"rollout_log_probs,list"`
		Trainer []float64 `parquet:"old_log_probs,list"`
		Mask    []int32   `parquet:"response_mask,list"`
		Version []int64   `parquet:"policy_version,list"`
		A       float64   `parquet:"advantage"`
	}
	var table bytes.Buffer
	w := parquet.NewGenericWriter[row](&table)
	rows := []row{
		{7, "g", "?", []float32{-1, -0.1}, []float64{-1.5, math.Inf(-1)}, []int32{1, 1}, []int64{3, 5}, 0.5},
		{8, "h", "?", []float32{-1}, []float64{-1.5, -2}, []int32{1}, []int64{7}, -1},
		{9, "i", "?", nil, nil, nil, nil, math.NaN()},
	}
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = `rows.parquet:1 step 7 id "" group "g" r[-1 -0.1] o[-1.5 -Inf] n[] mask[true true] A 0.5 versions 3 5 lag 3
rows.parquet:2 step 8 id "" group "h" r[-1] o[-1.5 -2] n[] mask[true] A -1 versions 7 7 lag 0
rows.parquet:3 step 9 id "" group "i" r[] o[] n[] mask[] A NaN no versions`
	got, err := read(t, map[string]string{"rows.parquet": table.String(), "cut.parquet": table.String()[:table.Len()-9]})
	if err != nil || strings.Join(got, "\n") != want {
		t.Errorf("%v\n%s\nwant\n%s", err, strings.Join(got, "\n"), want)
	}
}

// Values of all kinds are read for what they mean, and what means nothing is not there.
func TestNames(t *testing.T) {
	for line, want := range map[string]string{
		`"rollout_logprobs": [-1], "old_logprobs": [-2], "policy_version": "3"`:                           `step 5 id "" group "" r[-1] o[-2] n[] mask[] A NaN versions 3 3 lag 1`,
		`"rollout_log_probs": [-1], "old_log_probs": null, "log_probs": [-2]`:                             `step 5 id "" group "" r[-1] o[-2] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": [-1], "old_log_probs": 7, "id": {}, "group": null`:                          `step 5 id "" group "" r[-1] o[] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": [], "old_log_probs": [], "response_mask": []`:                               `step 5 id "" group "" r[] o[] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": [[]], "old_log_probs": [[]]`:                                                `step 5 id "" group "" r[] o[] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": null, "old_log_probs": [-1]`:                                                `step 5 id "" group "" r[] o[-1] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": [NaN, "-inf", 1e999, true, {}, [1, 2]]`:                                     `step 5 id "" group "" r[NaN -Inf +Inf 1 NaN NaN] o[] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": [-1, -2], "response_mask": [0, 0], "advantages": [1, 1]`:                    `step 5 id "" group "" r[-1 -2] o[] n[] mask[false false] A NaN no versions`,
		`"rollout_log_probs": [-1], "policy_version": [2, 3, 4], "step": 5.0`:                             `step 5 id "" group "" r[-1] o[] n[] mask[] A NaN versions 2 4 lag 2`,
		`"rollout_log_probs": [-1], "policy_version": [4, 2]`:                                             `step 5 id "" group "" r[-1] o[] n[] mask[] A NaN versions 2 4 lag 2`,
		`"rollout_log_probs": [-1], "info": {"traces": [], "generation_logprobs": 1, "prev_logprobs": 2}`: `step 5 id "" group "" r[-1] o[] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": [-1], "policy_version": 9`:                                                  `step 5 id "" group "" r[-1] o[] n[] mask[] A NaN no versions span 0`,
		`"rollout_log_probs": [-1], "policy_version": 1e300, "step": -9e18`:                               `step 5 id "" group "" r[-1] o[] n[] mask[] A NaN no versions`,
		`"rollout_log_probs": [-1], "policy_version": [], "loss_mask": [true]`:                            `step 5 id "" group "" r[-1] o[] n[] mask[true] A NaN no versions`,
	} {
		dir := t.TempDir()
		filetest.Write(t, filepath.Join(dir, "step_5", "rows.jsonl"), "{"+line+"}\n")
		got, err := readAt(filepath.Join(dir, "step_5")) // the folder has the step
		if err != nil || strings.Join(got, "") != "rows.jsonl:1 "+want {
			t.Errorf("%s: %v\n%s\nwant\n%s", line, err, fmt.Sprint(got), want)
		}
	}
}

// Decimals are read as strconv reads them, whatever their length.
func TestDecimals(t *testing.T) {
	for _, text := range []string{
		"-0.20748500525951385", "0", "-0", "0.1", "-12.846959114074707", "123456789012345", "1234567890123456", "1e-7", "-1.5E+3", "1e400", "-1e400", "0.000000000000001",
		"5e-324", "9007199254740993", "0.3", "-1.1920928955078125e-07", "-5.960464477539063e-8", "1e-30", "1.4e-45", "3.4e-38", "1.17549435e-38", "-9.9999e-40",
		"0.00012345678806304932", "0.000000000012345678806304932", "12.5e-3", "0.12345678", "0.1234567", "1.234567890123456789", "18446744073709551616",
		"0.99999997019767761230", "-0.0", "0e-9", "1e-100", "123.00000000000000000000",
	} {
		want, _ := strconv.ParseFloat(text, 64)
		if got, n := decimal([]byte(text)); n != len(text) || got != float32(want) || math.Signbit(float64(got)) != math.Signbit(want) {
			t.Errorf("%s: %v, %d", text, got, n)
		}
	}
	random := rand.New(rand.NewPCG(1, 53))
	for i := range 40_000 {
		x := float64(math.Float32frombits(random.Uint32N(0x7f800000)))
		var text string
		switch i % 4 {
		case 0:
			text = strconv.FormatFloat(x, 'f', random.IntN(30), 64)
		case 1:
			text = strconv.FormatFloat(-random.ExpFloat64()*math.Pow(10, -float64(random.IntN(12))), 'g', 1+random.IntN(17), 64)
		case 2: // as Python writes a float32
			text = strconv.FormatFloat(float64(float32(-random.ExpFloat64()*math.Pow(10, -float64(random.IntN(12))))), 'g', -1, 64)
		default: // between two float32
			next := math.Nextafter32(float32(x), math.MaxFloat32)
			text = strconv.FormatFloat(x/2+float64(next)/2, 'g', 16+random.IntN(5), 64)
		}
		want, _ := strconv.ParseFloat(text, 64)
		for _, rest := range []string{"", ", -0.123456789", ",7", " ]"} {
			if got, n := decimal([]byte(text + rest)); n != len(text) || got != float32(want) {
				t.Fatalf("%s%s: %v of %d bytes, want %v", text, rest, got, n, float32(want))
			}
		}
	}
	for _, text := range []string{"", "-", ".", "NaN", "null", "0x1p-2", "1 2", "1_000", "[1", "--1", "1-1"} {
		if got, n := decimal([]byte(text)); n > 0 && n == len(text) {
			t.Errorf("%q is %v", text, got)
		}
	}
}
