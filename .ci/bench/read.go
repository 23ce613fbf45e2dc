// Command read reads a log into a store as the program does, and does nothing else.
package main

import (
	"context"
	"errors"
	"io"
	"os"

	"vantage/loaders"
	"vantage/model"
)

func main() {
	source, err := loaders.Open(os.Args[1:], loaders.Options{})
	if err != nil {
		panic(err)
	}
	store := model.NewStore()
	for {
		chunk, err := source.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(err)
		}
		store.Append(chunk)
	}
}
