package loaders

// jsonDocument is a file that is one JSON document: a list of samples, or an
// object that holds one.
func jsonDocument() Format {
	return Format{
		Name: "json", Doc: "A JSON document, or one on each line: a list of samples, or an object with samples, rollouts, results, rows or data.",
		Writes:     "json.dump of a list of objects with reward and prompt",
		Cut:        cut{whole: true},
		Positional: true,
		Sniff: func(name string, first []byte) int {
			r := newRows(newFields(usualNames()), name)
			found := 0
			if document(r, first, func() {
				if r.rewarded() {
					found++
				}
			}) != nil || found == 0 {
				return 0
			}
			return 20
		},
		Decode: shaped(with(nil), document),
	}
}
