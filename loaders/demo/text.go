package demo

import (
	"context"
	"encoding/json"
	"fmt"

	"vantage/model"
)

// Text makes the row at a place again and returns what it says. It may be called
// while Next runs.
func (s *Source) Text(ctx context.Context, at model.Place) (model.Text, error) {
	if err := ctx.Err(); err != nil {
		return model.Text{}, err
	}
	offset := int64(0)
	for _, line := range s.made(int(at.File) + 1) {
		if offset == at.Offset {
			var row struct {
				Input, Output, Gts string
			}
			if err := json.Unmarshal(line, &row); err != nil && row.Output == "" {
				return model.Text{}, fmt.Errorf("the made row at byte %d of step %d: %w", at.Offset, at.File+1, err)
			}
			return model.Text{Prompt: row.Input, Response: row.Output, Truth: row.Gts}, nil
		}
		offset += int64(len(line))
	}
	return model.Text{}, fmt.Errorf("the made step %d has no row at byte %d", at.File+1, at.Offset)
}
