package decode

import (
	"strconv"

	"vantage/loaders/jsonscan"
	"vantage/model"
)

// Bounds of what is shown of a sample.
const (
	maxText       = 1 << 20 // bytes of prompt, response or truth
	maxFields     = 64
	maxFieldBytes = 400
)

// TextCapture keeps the text of one sample of a record while a RowDecoder decodes that.
type TextCapture struct {
	IndexInLine int32 // the sample, from 0
	Found       bool
	Text        model.Text // copied out of the record

	next   int32         // number of the next sample
	fields []model.Field // of the sample at hand
}

func (c *TextCapture) beginSample() { c.fields = nil }

// addField keeps a field that is not shown as a text of its own.
func (c *TextCapture) addField(name []byte, v jsonscan.Value) {
	if len(c.fields) < maxFields {
		c.fields = append(c.fields, model.Field{Name: string(name), Value: readable(v, maxFieldBytes)})
	}
}

func (c *TextCapture) endSample(r *RowDecoder) {
	if c.next == c.IndexInLine {
		c.Found = true
		c.Text = model.Text{
			Prompt:   readable(r.Values[RolePrompt], maxText),
			Response: readable(r.Values[RoleResponse], maxText),
			Truth:    readable(r.Values[RoleTruth], maxText),
			Fields:   c.fields,
		}
	}
	c.next++
}

// readable returns a value as a person reads it, cut to about limit bytes with a "…".
func readable(v jsonscan.Value, limit int) string {
	var b []byte
	switch messages := v.Messages(); {
	case len(messages) > 0:
		for i, m := range messages {
			if i > 0 {
				b = append(b, "\n\n"...)
			}
			b = append(jsonscan.AppendUnescaped(b, m.Role.Raw), ": "...)
			b = m.AppendContent(b)
			if len(b) > limit {
				break
			}
		}
	case v.Kind == jsonscan.ComputedNumber:
		b = strconv.AppendFloat(nil, v.Float, 'g', -1, 64)
	default:
		b = appendValue(nil, v)
	}
	if len(b) > limit {
		return string(jsonscan.Clip(b, limit)) + "…"
	}
	return string(b)
}
