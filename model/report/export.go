package report

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strconv"

	"vantage/estimators"
	"vantage/model"
)

// Samples writes one JSON object per sample and line, steps ascending, in input
// order within each step:
//
//	{"step":1,"group":"a3…","index":0,"reward":0.5,"advantage_original":0.7071068,"kept":true,"advantage":0.7071068}
//
// index counts the samples of the step from 0. The reward is as logged (null if
// the log has none); advantages are the shortest decimals that give the same
// float back, of 32 bits where the framework computes in float32. NaN is the
// string "NaN". One step is held in memory at a time.
func Samples(ctx context.Context, w io.Writer, snap model.Snapshot, set model.Settings) error {
	entry, err := set.Entry()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for i := range snap.Steps {
		a, err := snap.Analyze(ctx, i, set)
		if err != nil {
			return err
		}
		if err := writeSamples(out, a, entry.Float); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeSamples(out *bufio.Writer, a *model.Analysis, float estimators.Float) error {
	at := make([]int, a.Rows)       // column of each row
	group := make([][]byte, a.Rows) // quoted name of each row's group
	for g := range a.Table {
		name, err := json.Marshal(a.Table[g].Name)
		if err != nil {
			return err
		}
		for i := a.Table[g].Start; i < a.Table[g].End; i++ {
			at[a.Order[i]], group[a.Order[i]] = i, name
		}
	}
	var line []byte
	for row, i := range at {
		line = appendSample(line[:0], a, row, i, group[row], int(float))
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func appendSample(line []byte, a *model.Analysis, row, i int, group []byte, bits int) []byte {
	line = append(line, `{"step":`...)
	line = strconv.AppendInt(line, a.Step, 10)
	line = append(line, `,"group":`...)
	line = append(line, group...)
	line = append(line, `,"index":`...)
	line = strconv.AppendInt(line, int64(row), 10)
	line = append(line, `,"reward":`...)
	if estimators.IsMissing(a.Logged[i]) {
		line = append(line, "null"...)
	} else {
		line = appendNumber(line, a.Logged[i], 64)
	}
	line = append(line, `,"advantage_original":`...)
	line = appendNumber(line, a.Original[i], bits)
	line = append(line, `,"kept":`...)
	line = strconv.AppendBool(line, a.Keep[i])
	line = append(line, `,"advantage":`...)
	line = appendNumber(line, a.Processed[i], bits)
	return append(line, '}', '\n')
}
