package formats

import (
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// First is the first record of a file. The Sniff of every format sees it.
type First struct {
	Name   string // of the file, relative to the opened path; "" of a stream
	Record []byte // complete; of a Parquet file the names of its columns, one a line

	keys    map[string]jsonscan.Kind
	scanned bool
}

// Keys returns the keys of the record and the kinds of their values, nil if it is no JSON object.
func (f *First) Keys() map[string]jsonscan.Kind {
	if !f.scanned {
		f.scanned = true
		keys := map[string]jsonscan.Kind{}
		if jsonscan.ScanObject(f.Record, func(k, v jsonscan.Value) { keys[string(k.Raw)] = v.Kind }) == nil {
			f.keys = keys
		}
	}
	return f.keys
}

// byKeys returns a Sniff with that score for records that have every key.
func byKeys(score int, keys ...string) func(*First) int {
	return func(first *First) int {
		have := first.Keys()
		for _, k := range keys {
			if _, ok := have[k]; !ok {
				return 0
			}
		}
		return score
	}
}

// DetectFraming returns how a file is cut into records, by its name and its first bytes: those of its
// first line if the name has no extension, else a few.
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

// Detect returns the format that fits the first record of a file best, nil if none does. It is one of
// formats, among those that cut records as the file was cut.
func Detect(formats []Format, name string, cut framing.Framing, record []byte) *Format {
	first := &First{Name: name, Record: record}
	var best *Format
	bestScore := 0
	for i := range formats {
		if formats[i].Framing != cut {
			continue
		}
		if score := formats[i].Sniff(first); score > bestScore {
			best, bestScore = &formats[i], score
		}
	}
	return best
}
