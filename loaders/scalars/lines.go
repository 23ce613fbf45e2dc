package scalars

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/jsonscan"
)

const maxLine = 4 << 20

// readLines reads JSON lines, a row each: verl's file logger, metrics.jsonl of tinker-cookbook and prime-rl, logging.jsonl of ms-swift,
// experiment_log.jsonl of EasyR1, trainer_log.jsonl of LLaMA-Factory. Lines that are no objects are passed over, and so is a last one that
// is still being written.
func readLines(t *table, in *input) error {
	return eachLine(in.text, func(line []byte) {
		if jsonscan.ScanObject(line, nil) == nil {
			t.addRecord(line)
		}
	})
}

// areRows reports whether a text begins with rows of averages, after at most two lines of settings.
func areRows(in *input) bool {
	var rows formats.Rows
	settings := 0
	for line := range in.wholeLines() {
		if jsonscan.ScanObject(line, nil) != nil {
			return false
		}
		var alone formats.Rows
		alone.Add(line)
		if isSettings := alone.Verdict() == formats.Samples && !alone.HaveReward(); isSettings && settings < 2 {
			settings++
			continue
		}
		if rows.Add(line); isSettled(&rows) {
			break
		}
	}
	return areAverages(&rows)
}

// areAverages reports whether rows are averages of steps that have an order. One row without a step may be settings.
func areAverages(rows *formats.Rows) bool { return rows.AreAverages() && rows.HaveOrder() }

func isSettled(rows *formats.Rows) bool { return rows.Verdict() != formats.Unsure && rows.HaveOrder() }

// eachLine visits the lines of a text, an empty one for one that is too long.
func eachLine(text io.Reader, visit func(line []byte)) error {
	in := bufio.NewReaderSize(text, 1<<16)
	for {
		line, err := readLine(in)
		visit(line)
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
func readState(t *table, in *input) error {
	text, err := io.ReadAll(in.text)
	if err != nil {
		return err
	}
	const begin = `"log_history":[`
	if at := bytes.Index(text[min(len(begin), len(text)):], []byte("},")); in.cut && at >= 0 {
		text = text[at+len("},"):] // begin is put before the entry
		copy(text, begin)
	}
	EachLogged(text, t.addRecord)
	return nil
}

// isState reports whether a text is that of a trainer_state.json. The last row of ms-swift's lines has a log_history too.
func isState(in *input) bool { return bytes.Contains(in.head, []byte(`"log_history"`)) && !areRows(in) }

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

// readDocument reads the rows of a JSON document: see [formats.DocumentRows].
func readDocument(t *table, in *input) error {
	text, err := io.ReadAll(in.text)
	if err != nil {
		return err
	}
	if in.cut { // a list without its beginning
		at := bytes.Index(text, []byte("},"))
		text = append([]byte{'['}, text[min(len(text), at+len("},")):]...)
	}
	for row := range formats.DocumentRows(text) {
		t.addRecord(row)
	}
	return nil
}

func isDocument(in *input) bool {
	text := bytes.TrimSpace(in.head)
	if !bytes.HasPrefix(text, []byte{'['}) && !bytes.HasPrefix(text, []byte{'{'}) {
		return false
	}
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	areLines := first[0] == '{' && bytes.HasPrefix(bytes.TrimSpace(rest), []byte{'{'})
	if areLines { // of which each has lists, as samples have of log-probs
		return false
	}
	var rows formats.Rows
	for row := range formats.DocumentRows(text) {
		if rows.Add(row); isSettled(&rows) {
			break
		}
	}
	return areAverages(&rows)
}
