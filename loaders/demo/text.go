package demo

import (
	"context"
	"fmt"

	"vantage/model"
)

// Text returns the text of the row at a place, by making its step again. It may run
// concurrently with Next.
func (s *Source) Text(ctx context.Context, at model.Place) (model.Text, error) {
	if err := ctx.Err(); err != nil {
		return model.Text{}, err
	}
	number := int(at.File) + 1
	offset := int64(0)
	for _, r := range s.stepRows(number) {
		if offset == at.Offset {
			return r.text, nil
		}
		offset += int64(len(r.jsonLine(number)))
	}
	return model.Text{}, fmt.Errorf("step %d of the synthetic run has no row at byte %d", number, at.Offset)
}
