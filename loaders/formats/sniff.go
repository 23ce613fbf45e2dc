package formats

import (
	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
)

// keysOf are the keys of a record and what their values are; nil if it is no object.
func keysOf(record []byte) map[string]jsonscan.Kind {
	keys := map[string]jsonscan.Kind{}
	if jsonscan.ScanObject(record, func(k, v jsonscan.Value) { keys[string(k.Raw)] = v.Kind }) != nil {
		return nil
	}
	return keys
}

// byKeys is a sniff: sure if the record has every key.
func byKeys(score int, keys ...string) func(string, []byte) int {
	return func(_ string, first []byte) int {
		have := keysOf(first)
		for _, k := range keys {
			if _, ok := have[k]; !ok {
				return 0
			}
		}
		return score
	}
}

// withLayout is the decoder of a table of names and a shape.
func withLayout(f *decode.Fields, s decode.Layout) func(string) decode.Decoder {
	return func(name string) decode.Decoder {
		r := decode.NewRowDecoder(f, name)
		r.Layout = s
		return r
	}
}
