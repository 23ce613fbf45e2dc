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

// Find returns the format of that name.
func Find(name string) (*Format, error) {
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
func detect(formats []Format, name string, how Framing, first []byte) *Format {
	var best *Format
	score := 0
	for i := range formats {
		if formats[i].Framing != how {
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

// Refusal says what a row is, and what it lacks, that no format wants.
func Refusal(line []byte) string {
	if ScanObject(line, nil) != nil {
		return "no reward under a usual name in what it begins with: " + Quote(bytes.TrimSpace(line)) + "; --reward NAME names the column that is"
	}
	if IsMetrics(line) {
		return MetricsRefusal(line)
	}
	var keys []string
	wrong := ""
	more := 0
	names := NewFields(Synonyms())
	_ = ScanObject(line, func(key, v Value) {
		if p, ok := names.Lookup(key.Raw); ok && p.Role == RoleReward && (v.Kind == Array || v.Kind == Object) {
			wrong = "; " + Quote(key.Text()) + " holds more than one number"
		}
		if len(keys) == maxKeys {
			more++
			return
		}
		keys = append(keys, Quote(key.Text()))
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
