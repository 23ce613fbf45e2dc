package loaders

// keysOf are the keys of a record and what their values are; nil if it is no object.
func keysOf(record []byte) map[string]kind {
	keys := map[string]kind{}
	if scanObject(record, func(k, v value) { keys[string(k.raw)] = v.kind }) != nil {
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

// shaped is the decoder of a table of names and a shape.
func shaped(f *fields, s shape) func(string) Decoder {
	return func(name string) Decoder {
		r := newRows(f, name)
		r.shape = s
		return r
	}
}
