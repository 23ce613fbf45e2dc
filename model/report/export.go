package report

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strconv"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
)

// SamplesJSONL writes one JSON object per line and sample, steps ascending, in input order
// within each step:
//
//	{"step":1,"group":"a3…","index":0,"reward":0.5,"advantage_original":0.7071068,"kept":true,"advantage":0.7071068}
//
// index counts the samples of the step from 0. The reward is as logged, null if the log has
// none; "admitted" follows under a group filter, "loss_weight" under a loss, "rollout" follows, from 0 within the group, in steps with rollouts of several rows, and
// "refused":true where the trainer's own code would raise an error for the group.
// Advantages are the shortest decimals that parse to the same float, of 32 bits for a
// framework that computes in float32. NaN is the string "NaN". One step is held in memory
// at a time.
func SamplesJSONL(ctx context.Context, w io.Writer, snap model.Snapshot, set model.Settings, where figures.Query, refusals *Refusals) error {
	entry, err := set.FindEstimator()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var line, name []byte
	err = eachSample(ctx, snap, set, where, refusals, func(s Sample) error {
		if name, err = json.Marshal(s.Group.Name); err != nil {
			return err
		}
		line = appendSample(line[:0], s, name, int(entry.Float))
		_, err := out.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// Sample locates one sample of an analysed step.
type Sample struct {
	Analysis *analysis.Analysis
	Group    *analysis.Group
	Row      int // in the step, in input order
	Index    int // in the columns of Analysis

	Refused bool // the trainer's own code would raise an error for the group
}

// eachSample calls visit with every sample that the query matches, steps ascending, in input
// order within each. It holds one step in memory at a
// time, and counts in refusals, which may be nil.
func eachSample(ctx context.Context, snap model.Snapshot, set model.Settings, where figures.Query, refusals *Refusals, visit func(Sample) error) error {
	return analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		refusals.Add(a)
		index, group, selected := make([]int, a.Rows), make([]*analysis.Group, a.Rows), make([]bool, a.Rows)
		table := a.Table
		refused := refusedGroups(a)
		for g := range table {
			for c := table[g].Start; c < table[g].End; c++ {
				index[a.InputRow[c]], group[a.InputRow[c]], selected[a.InputRow[c]] = c, &table[g], where.MatchesSample(a, g, c)
			}
		}
		for row, column := range index {
			if !selected[row] {
				continue
			}
			refusals.addWritten()
			if err := visit(Sample{a, group[row], row, column, refused[group[row]]}); err != nil {
				return err
			}
		}
		return nil
	})
}

func appendSample(line []byte, s Sample, group []byte, bits int) []byte {
	a, i := s.Analysis, s.Index
	line = append(line, `{"step":`...)
	line = strconv.AppendInt(line, a.Step, 10)
	line = append(line, `,"group":`...)
	line = append(line, group...)
	line = append(line, `,"index":`...)
	line = strconv.AppendInt(line, int64(s.Row), 10)
	line = append(line, `,"reward":`...)
	if estimators.IsMissing(a.LoggedRewards[i]) {
		line = append(line, "null"...)
	} else {
		line = appendNumber(line, a.LoggedRewards[i], 64)
	}
	line = append(line, `,"advantage_original":`...)
	line = appendNumber(line, a.Original[i], bits)
	line = append(line, `,"kept":`...)
	line = strconv.AppendBool(line, a.Keep[i])
	line = append(line, `,"advantage":`...)
	line = appendNumber(line, a.Processed[i], bits)
	if rollout, _, ok := a.RolloutOf(s.Group, i); ok {
		line = append(line, `,"rollout":`...)
		line = strconv.AppendInt(line, int64(rollout), 10)
	}
	if a.Settings.GroupFilter != "" {
		line = append(line, `,"admitted":`...)
		line = strconv.AppendBool(line, a.Trains(i))
	}
	if a.LossWeights != nil {
		line = append(line, `,"loss_weight":`...)
		line = appendNumber(line, a.LossWeights[i], 32)
	}
	if s.Refused {
		line = append(line, `,"refused":true`...)
	}
	return append(line, '}', '\n')
}
