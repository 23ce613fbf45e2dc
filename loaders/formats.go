package loaders

import (
	"bytes"
	"fmt"
	"strings"
)

// Formats returns every format, the more particular ones first.
func Formats() []Format {
	return []Format{
		verl(),
		easyr1(),
		trl(),
		swift(),
		swiftRay(),
		nemo(),
		roll(),
		skyrl(),
		areal(),
		arealText(),
		prime(),
		primeHosted(),
		verifiers(),
		openInstruct(),
		tinker(),
		rllm(),
		tunix(),
		unstableBaselines(),
		wandbTable(),
		jsonl(),
		jsonDocument(),
		csv(),
		parquetFile(),
	}
}

// find returns the format of that name.
func find(name string) (*Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return &f, nil
		}
		names = append(names, f.Name)
	}
	return nil, &Error{Path: "--input-format " + name, What: "names no format", Do: "take one of " + strings.Join(names, ", ")}
}

// detect returns the format that the first record fits best, nil if none does;
// how is the way in which the file was cut into records.
func detect(formats []Format, name string, how cut, first []byte) *Format {
	var best *Format
	score := 0
	for i := range formats {
		if formats[i].Cut != how {
			continue
		}
		if s := formats[i].Sniff(name, first); s > score {
			best, score = &formats[i], s
		}
	}
	return best
}

// maxKeys bounds how many keys a refusal lists.
const maxKeys = 12

// refusal says what a row is, and what it lacks, that no format wants.
func refusal(line []byte) string {
	if scanObject(line, nil) != nil {
		return "no reward under a usual name in what it begins with: " + quote(bytes.TrimSpace(line)) + "; --reward NAME names the column that is"
	}
	if isMetrics(line) {
		return metricsOnly(line)
	}
	var keys []string
	wrong := ""
	more := 0
	names := newFields(usualNames())
	_ = scanObject(line, func(key, v value) {
		if p, ok := names.place(key.raw); ok && p.role == roleReward && (v.kind == list || v.kind == object) {
			wrong = "; " + quote(key.text()) + " holds more than one number"
		}
		if len(keys) == maxKeys {
			more++
			return
		}
		keys = append(keys, quote(key.text()))
	})
	found := strings.Join(keys, ", ")
	if more > 0 {
		found += fmt.Sprintf(" and %d more", more)
	}
	if found == "" {
		found = "none"
	}
	return "no reward field: the keys are " + found + wrong + "; needed is a number under reward, score or total_reward, or a name with --reward NAME"
}
