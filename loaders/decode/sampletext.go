package decode

import (
	"strconv"

	"vantage/loaders/jsonscan"
	"vantage/model"
)

// The bounds of what is shown of a sample.
const (
	maxText   = 1 << 20
	maxFields = 64
	maxField  = 400
)

// TextCapture takes the text of one sample of a record down.
type TextCapture struct {
	Nth    int32
	index  int32
	Found  bool
	Text   model.Text
	fields []model.Field
}

// Row gives the decoder of a row, whatever it is wrapped in.
func (r *RowDecoder) Row() *RowDecoder { return r }

// begin forgets the fields of the sample before.
func (c *TextCapture) begin() { c.fields = nil }

// field notes a value that plays no part in what is shown by itself.
func (c *TextCapture) field(key []byte, v jsonscan.Value) {
	if len(c.fields) < maxFields {
		c.fields = append(c.fields, model.Field{Name: string(key), Value: shownText(v, maxField)})
	}
}

// finish keeps the sample that is asked for.
func (c *TextCapture) finish(r *RowDecoder) {
	if c.index == c.Nth {
		c.Found = true
		c.Text = model.Text{
			Prompt:   shownText(r.Values[RolePrompt], maxText),
			Response: shownText(r.Values[RoleResponse], maxText),
			Truth:    shownText(r.Values[RoleTruth], maxText),
			Fields:   c.fields,
		}
	}
	c.index++
}

// shownText is a value as a person reads it, with a mark where it was cut.
func shownText(v jsonscan.Value, limit int) string {
	var b []byte
	switch all := v.Messages(); {
	case len(all) > 0:
		for i, m := range all {
			if i > 0 {
				b = append(b, "\n\n"...)
			}
			b = append(jsonscan.AppendUnescaped(b, m.Role.Raw), ": "...)
			b = m.AppendContent(b)
			if len(b) > limit {
				break
			}
		}
	case v.Kind == jsonscan.Float:
		b = strconv.AppendFloat(nil, v.Float, 'g', -1, 64)
	default:
		b = appendValue(nil, v)
	}
	if len(b) > limit {
		return string(jsonscan.Clip(b, limit)) + "…"
	}
	return string(b)
}
