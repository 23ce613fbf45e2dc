package tui

import (
	"context"

	"vantage/model"
)

// Source is where samples come from: main passes one in, so the screen knows nothing of
// files. Next blocks until something is new and returns io.EOF when nothing more comes.
type Source interface {
	Next(ctx context.Context) (*model.Chunk, error)
}

// TextReader is a Source that can read the text of a sample again. The samples of one
// that cannot are shown without texts.
type TextReader interface {
	Text(ctx context.Context, at model.Place) (model.Text, error)
}
