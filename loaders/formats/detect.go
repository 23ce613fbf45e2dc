package formats

import (
	"bytes"
	"slices"

	"vantage/loaders/decode"
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

// hasKeys returns a Sniff for records that have every key.
func hasKeys(keys ...string) func(*First) bool {
	return func(first *First) bool {
		have := first.Keys()
		for _, k := range keys {
			if have[k] == jsonscan.Absent {
				return false
			}
		}
		return true
	}
}

// hasReward reports whether one of the columns of a table is a reward or a component of one.
func hasReward(fields *decode.Fields, columns [][]byte) bool {
	return slices.ContainsFunc(columns, func(name []byte) bool {
		name = bytes.TrimSpace(name)
		p, ok := fields.Lookup(name)
		return ok && p.Role == decode.RoleReward || decode.IsComponentName(string(name))
	})
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
		if score := formats[i].score(first); score > bestScore {
			best, bestScore = &formats[i], score
		}
	}
	return best
}

// score returns how well a first record fits, 0 if it does not.
func (f *Format) score(first *First) int {
	switch {
	case f.Sniff(first):
		return f.Score
	case f.Origin == FromAnyone && f.columns.AppearIn(first.Record):
		return 1
	}
	return 0
}
