// Package formatstest reads the made logs of loaders/formats/testdata for the tests of loaders.
package formatstest

import (
	"cmp"
	"encoding/csv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vantage/model"
)

// Log is a small log as a trainer would write it, and what a person would read in it.
type Log struct {
	Format     string // name of the folder
	Name       string // of the file, relative to the folder: trainers put steps and groups there
	Text       string
	Want       []model.Record // as Samples returns them
	Components []string
}

// wantFile holds the samples of a log: columns step, group, prompt, reward, advantage and length, and
// one for each reward component. An empty cell is NaN.
const wantFile = "want.csv"

// Logs returns the logs of a folder testdata, one of each format.
func Logs(tb testing.TB, testdata string) []Log {
	tb.Helper()
	folders, err := os.ReadDir(testdata)
	if err != nil {
		tb.Fatal(err)
	}
	var logs []Log
	for _, folder := range folders {
		if folder.Name() == "fuzz" {
			continue
		}
		logs = append(logs, read(tb, filepath.Join(testdata, folder.Name())))
	}
	return logs
}

func read(tb testing.TB, folder string) Log {
	tb.Helper()
	log := Log{Format: filepath.Base(folder)}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == wantFile {
			return err
		}
		if log.Name != "" {
			tb.Errorf("%s holds two logs", folder)
		}
		text, err := os.ReadFile(path)
		log.Name, log.Text = filepath.ToSlash(path[len(folder)+1:]), string(text)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	log.readWant(tb, filepath.Join(folder, wantFile))
	return log
}

func (log *Log) readWant(tb testing.TB, path string) {
	tb.Helper()
	h, err := os.Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	rows, err := csv.NewReader(h).ReadAll()
	columns := []string{"step", "group", "prompt", "reward", "advantage", "length"}
	if err != nil || len(rows) == 0 || len(rows[0]) < len(columns) || !slices.Equal(rows[0][:len(columns)], columns) {
		tb.Fatalf("%s: %v; its columns must be %q, and the components", path, err, columns)
	}
	number := func(cell string) float64 {
		x, err := strconv.ParseFloat(cmp.Or(cell, "NaN"), 64)
		if err != nil {
			tb.Fatalf("%s: %v", path, err)
		}
		return x
	}
	log.Components = rows[0][len(columns):]
	for _, row := range rows[1:] {
		r := model.Record{
			Step: int64(number(row[0])), Group: row[1], Preview: row[2], Reward: number(row[3]), Advantage: number(row[4]),
			Length: int32(number(row[5])),
		}
		for _, cell := range row[len(columns):] {
			r.Components = append(r.Components, number(cell))
		}
		log.Want = append(log.Want, r)
	}
}

// Samples returns records with only the fields that Log.Want has.
func Samples(records []model.Record) []model.Record {
	var samples []model.Record
	for _, r := range records {
		samples = append(samples, model.Record{
			Step: r.Step, Group: r.Group, Preview: r.Preview, Reward: r.Reward, Advantage: r.Advantage, Length: r.Length,
			Components: r.Components,
		})
	}
	return samples
}

// Diff compares the samples of a log with those it should have, "" if they are the same. NaN equals
// NaN, and a component that no sample before had.
func Diff(want, got []model.Record) string {
	for i := range min(len(want), len(got)) {
		for len(got[i].Components) < len(want[i].Components) {
			got[i].Components = append(got[i].Components, math.NaN())
		}
	}
	return gocmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-12))
}
