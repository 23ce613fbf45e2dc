package loaders

import (
	"strconv"

	"vantage/model"
)

// The bounds of what is shown of a sample.
const (
	maxText   = 1 << 20
	maxFields = 64
	maxField  = 400
)

// capture takes the text of one sample of a record down.
type capture struct {
	nth   int32
	at    int32
	found bool
	text  model.Text
	rest  []model.Field
}

// row gives the decoder of a row, whatever it is wrapped in.
func (r *rows) row() *rows { return r }

// begin forgets the fields of the sample before.
func (c *capture) begin() { c.rest = nil }

// field notes a value that plays no part in what is shown by itself.
func (c *capture) field(key []byte, v value) {
	if len(c.rest) < maxFields {
		c.rest = append(c.rest, model.Field{Name: string(key), Value: shownText(v, maxField)})
	}
}

// finish keeps the sample that is asked for.
func (c *capture) finish(r *rows) {
	if c.at == c.nth {
		c.found = true
		c.text = model.Text{
			Prompt:   shownText(r.picked[rolePrompt], maxText),
			Response: shownText(r.picked[roleResponse], maxText),
			Truth:    shownText(r.picked[roleTruth], maxText),
			Fields:   c.rest,
		}
	}
	c.at++
}

// shownText is a value as a person reads it, with a mark where it was cut.
func shownText(v value, limit int) string {
	var b []byte
	switch all := v.toMessages(); {
	case len(all) > 0:
		for i, m := range all {
			if i > 0 {
				b = append(b, "\n\n"...)
			}
			b = append(appendText(b, m.role.raw), ": "...)
			b = m.appendContent(b)
			if len(b) > limit {
				break
			}
		}
	case v.kind == real:
		b = strconv.AppendFloat(nil, v.x, 'g', -1, 64)
	default:
		b = appendValue(nil, v)
	}
	if len(b) > limit {
		return string(clip(b, limit)) + "…"
	}
	return string(b)
}
