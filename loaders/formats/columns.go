package formats

import "vantage/loaders/decode"

// WithColumns returns formats that look for the columns that a person named before any other.
func WithColumns(formats []Format, c decode.Columns) []Format {
	named := c.ByRole()
	if len(named)+len(c.Rewards) == 0 {
		return formats
	}
	for i := range formats {
		newDecoder, sniff, generic := formats[i].NewDecoder, formats[i].Sniff, formats[i].IsGeneric()
		formats[i].NewDecoder = func(name string) decode.Decoder {
			d := newDecoder(name)
			if r, ok := d.(interface{ Row() *decode.RowDecoder }); ok {
				r.Row().Fields = r.Row().Fields.WithOverrides(named)
				r.Row().Components.Requested = c.Rewards
			}
			return d
		}
		formats[i].Sniff = func(name string, first []byte) int {
			score := sniff(name, first)
			if generic && score == 0 && c.In(first) {
				return 1
			}
			return score
		}
	}
	return formats
}
