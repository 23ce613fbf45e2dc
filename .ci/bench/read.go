// Command read reads a log into a store as the program does, and does nothing else.
//
//	read PATH...           samples
//	read --log-probs PATH  log-probs of their tokens, and the numbers of each sample
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"vantage/estimators/offpolicy"
	"vantage/loaders"
	"vantage/loaders/fileio"
	"vantage/loaders/logprobs"
	"vantage/model"
)

func main() {
	if os.Args[1] == "--log-probs" {
		readLogProbs(os.Args[2])
		return
	}
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

func readLogProbs(path string) {
	debug.SetGCPercent(400) // as the program has it while little is alive
	tokens := 0
	err := logprobs.Reduce(&fileio.Disk{}, path, func(s logprobs.Sample) func(int64) error {
		figures := offpolicy.FiguresOf(s.Row)
		return func(int64) error {
			tokens += figures.Tokens
			return nil
		}
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(tokens)
}
