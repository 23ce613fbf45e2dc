package formats

import (
	"bytes"
	"fmt"
	"strings"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// All returns every format, the more particular ones first.
func All() []Format {
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
func Find(name string) (Format, bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// DetectFraming returns how a file is cut into records, by its name and its first bytes.
func DetectFraming(formats []Format, name string, first []byte) framing.Framing {
	if len(formats) == 1 {
		return formats[0].Framing // a person named the format
	}
	var prefixes []string
	for i := range formats {
		if prefix := formats[i].Framing.RecordPrefix; prefix != "" {
			prefixes = append(prefixes, prefix)
		}
	}
	return framing.Detect(name, first, prefixes...)
}

// Detect returns the format that the first record fits best, nil if none does;
// how is the way in which the file was cut into records.
func Detect(formats []Format, name string, how framing.Framing, first []byte) *Format {
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

// MaxKeys bounds how many keys a refusal lists.
const MaxKeys = 12

// Refusal says what a row is, and what it lacks, that no format wants.
func Refusal(line []byte) string {
	if jsonscan.ScanObject(line, nil) != nil {
		return "no reward under a usual name in what it begins with: " + jsonscan.Quote(bytes.TrimSpace(line)) + "; --reward NAME names the column that is"
	}
	if IsMetrics(line) {
		return decode.MetricsRefusal(line)
	}
	var keys []string
	wrong := ""
	more := 0
	names := decode.OnlyNames(decode.Synonyms())
	_ = jsonscan.ScanObject(line, func(key, v jsonscan.Value) {
		if p, ok := names.Lookup(key.Raw); ok && p.Role == decode.RoleReward && (v.Kind == jsonscan.Array || v.Kind == jsonscan.Object) {
			wrong = "; " + jsonscan.Quote(key.Text()) + " holds more than one number"
		}
		if len(keys) == MaxKeys {
			more++
			return
		}
		keys = append(keys, jsonscan.Quote(key.Text()))
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

// HoldsAnswer reports whether a row has a field of its own for what a model answered.
func HoldsAnswer(row []byte) (yes bool) {
	names := decode.OnlyNames(decode.Synonyms())
	_ = jsonscan.ScanObject(row, func(key, v jsonscan.Value) {
		p, ok := names.Lookup(key.Raw)
		yes = yes || ok && p.Role == decode.RoleResponse && decode.CanPlay(p.Role, v)
	})
	return yes
}
