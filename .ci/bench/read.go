// Command read reads a log into a store as the program does, and nothing else: whole
// processes are measured, and a test binary sets up more than that.
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
	s, err := loaders.Open(os.Args[1:], loaders.Options{})
	if err != nil {
		panic(err)
	}
	store := model.NewStore()
	for {
		chunk, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			panic(err)
		}
		store.Append(chunk)
	}
}
