package tui

import (
	"context"

	"vantage/model"
)

// Source is where samples come from. Next blocks until there is something new
// and returns io.EOF when nothing more will come; whoever started the program
// hands one in, so the screen does not know about files.
type Source interface {
	Next(ctx context.Context) (*model.Chunk, error)
}

// TextReader is a source that can show the text of a sample again. One that cannot
// is shown without texts.
type TextReader interface {
	Text(ctx context.Context, at model.Place) (model.Text, error)
}
