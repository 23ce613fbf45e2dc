package demo

import (
	"context"
	"fmt"

	"vantage/model"
)

// Text makes the row at a place again and returns what it says. It may be called
// while Next runs: a step depends on the seed and its number alone.
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
	return model.Text{}, fmt.Errorf("the made step %d has no row at byte %d", number, at.Offset)
}
