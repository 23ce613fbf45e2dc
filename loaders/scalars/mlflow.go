package scalars

import (
	"bytes"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// MLflow keeps the averages of a run in mlruns/EXPERIMENT/RUN/metrics, a file for each, with a line "timestamp value step" for each point.
// mlflow/mlflow mlflow/store/tracking/file_store.py, _get_metric_from_line.

// metricsOf returns the folder of the metrics of a run that a file is in, and the name of its metric; ok is false if it is in none.
func metricsOf(file string) (folder, name string, ok bool) {
	const within = "/metrics/"
	at := strings.LastIndex("/"+filepath.ToSlash(file), within)
	if at < 0 || path.Ext(file) != "" && !strings.Contains(path.Ext(file), "_") {
		return "", path.Base(filepath.ToSlash(file)), false
	}
	return file[:at+len(within)-2], file[at+len(within)-1:], true
}

// readMetric reads the points of a metric. A part of a line, where the file is cut, is none.
func readMetric(t *table, in *input) error {
	_, name, _ := metricsOf(in.name)
	return eachLine(in.text, func(line []byte) {
		if step, x, ok := metricPoint(line); ok {
			t.add(row{steps: []stepAt{{"step", step}}, points: []point{{name, x}}})
		}
	})
}

// isMetric reports whether a text has the points of a metric.
func isMetric(in *input) bool {
	n := 0
	for line := range in.wholeLines() {
		if _, _, ok := metricPoint(line); !ok {
			return false
		}
		n++
	}
	return n > 0
}

// metricPoint reads a line of milliseconds, a value and a step.
func metricPoint(line []byte) (step int64, x float64, ok bool) {
	const year2001 = 1_000_000_000_000
	fields := bytes.Fields(line)
	if len(fields) != 3 {
		return 0, 0, false
	}
	ms, err := strconv.ParseInt(string(fields[0]), 10, 64)
	x, errOfValue := strconv.ParseFloat(string(fields[1]), 64)
	step, errOfStep := strconv.ParseInt(string(fields[2]), 10, 64)
	return step, x, err == nil && errOfValue == nil && errOfStep == nil && ms >= year2001
}
