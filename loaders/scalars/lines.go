package scalars

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
	"vantage/model/scalars"
)

// stepNames are where a row has its step, the surer first: W&B counts its own _step, whatever the trainer counts.
var stepNames = []string{
	"train/global_step", "trainer/global_step", "training/global_step", "step", "global_step", "global_step/max_steps", "current_steps", "rollout/step",
	"train/step", "eval/step", "iteration", "_step",
}

// row is what was logged at once.
type row struct {
	step   int64
	rank   int // 1 + index of the name of the step, 0 if it has none
	points []point
}

type point struct {
	name  string
	value float64
}

// add takes a figure. What is no number is left out, as null is; NaN and infinity count, also as texts.
func (r *row) add(name string, v jsonscan.Value) {
	if i := slices.Index(stepNames, name); i >= 0 {
		if step, ok := stepOf(v); ok && (r.rank == 0 || i+1 < r.rank) {
			r.step, r.rank = step, i+1
		}
		return
	}
	x, ok := 0.0, false
	switch v.Kind {
	case jsonscan.Number, jsonscan.ComputedNumber:
		x, ok = v.ToFloat()
	case jsonscan.String:
		x, ok = v.ToFloat()
		ok = ok && (math.IsNaN(x) || math.IsInf(x, 0))
	default:
	}
	if ok && len(r.points) < maxRow {
		r.points = append(r.points, point{name, x})
	}
}

const maxRow = 4096

// stepOf reads a step: 7, or "7/438".
func stepOf(v jsonscan.Value) (int64, bool) {
	if step, ok := v.ToInt(); ok {
		return step, true
	}
	done, _, _ := strings.Cut(string(v.Text()), "/")
	step, err := strconv.ParseInt(done, 10, 64)
	return step, err == nil
}

// addObject takes the figures of a JSON object, nested ones as in {"reward": {"mean": 1}} by their path. verl nests all of them in data.
func (r *row) addObject(record []byte) {
	formats.EachMetric(record, func(name string, v jsonscan.Value) { r.add(strings.TrimPrefix(name, "data/"), v) })
}

func (r *row) log(log *scalars.Log) {
	for _, p := range r.points {
		if r.rank > 0 {
			log.Add(r.step, p.name, p.value)
		}
	}
}

const maxLine = 4 << 20

// readLines reads JSON lines, a row each: verl's file logger, metrics.jsonl of tinker-cookbook and prime-rl, logging.jsonl of ms-swift,
// experiment_log.jsonl of EasyR1, trainer_log.jsonl of LLaMA-Factory. Lines that are no objects are passed over, and so is a last one that
// is still being written.
func readLines(log *scalars.Log, file io.Reader, _ bool) error {
	in := bufio.NewReaderSize(file, 1<<16)
	for {
		line, err := readLine(in)
		if jsonscan.ScanObject(line, nil) == nil {
			var r row
			r.addObject(line)
			r.log(log)
		}
		if err != nil {
			return fileio.IgnoreEnd(err)
		}
	}
}

// readLine returns the next line, nil for one that is too long.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if line = append(line, part...); len(line) > maxLine {
			line = []byte{} // what follows is no object either
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}

// readState reads a trainer_state.json of Hugging Face's trainers. One without its beginning is read from the second entry on.
func readState(log *scalars.Log, file io.Reader, cut bool) error {
	text, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	const begin = `"log_history":[`
	if at := bytes.Index(text[min(len(begin), len(text)):], []byte("},")); cut && at >= 0 {
		text = text[at+len("},"):] // begin is put before the entry
		copy(text, begin)
	}
	EachLogged(text, func(entry []byte) {
		var r row
		r.addObject(entry)
		r.log(log)
	})
	return nil
}

// EachLogged visits the entries of log_history in the text of a trainer_state.json: what was logged at once, as {"loss": …, "step": 4}.
// They are read one by one, since the text may be cut; the last one may be a part.
func EachLogged(text []byte, visit func(entry []byte)) {
	_, history, _ := bytes.Cut(text, []byte(`"log_history"`))
	entries := jsonscan.Scanner{Data: history}
	for _, want := range []byte(":[") {
		if entries.SkipSpace(); entries.Peek() != want {
			return
		}
		entries.Pos++
	}
	for entries.SkipSpace(); entries.Peek() == '{'; entries.SkipSpace() {
		from := entries.Pos
		if _, err := entries.Value(); err != nil {
			visit(history[from:])
			return
		}
		visit(history[from:entries.Pos])
		if entries.SkipSpace(); entries.Peek() == ',' {
			entries.Pos++
		}
	}
}
