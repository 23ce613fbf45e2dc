// Command floor does a part of reading with nothing else around it, and prints nothing. The first two are the
// least that a reader of long texts can do without mapping files into memory, on all processors:
//
//	floor copy DIR    copies the bytes of the files to buffers, as cat does
//	floor count DIR   and counts the characters of texts there, as the program has to
//	floor zstd FILE   decompresses a file with the program's library, on one processor
//
// A program that reads logs into memory cannot be faster than the first two.
package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"vantage/loaders/compressed"
	"vantage/loaders/jsonscan"
)

// strideBytes is how many bytes a goroutine takes at once, as many as a worker of package loaders.
const strideBytes = 512 << 10

func main() {
	if os.Args[1] == "zstd" {
		text := must(compressed.NewReader(compressed.Zstd, must(os.Open(os.Args[2]))))
		_ = must(io.CopyBuffer(struct{ io.Writer }{io.Discard}, text, make([]byte, 256<<10)))
		return
	}
	for _, path := range must(filepath.Glob(filepath.Join(os.Args[2], "*"))) {
		read(must(os.Open(path)), os.Args[1] == "count")
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// read reads a file with as many goroutines as there are processors.
func read(file *os.File, count bool) {
	var next atomic.Int64
	var running sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		running.Go(func() {
			buf := make([]byte, strideBytes)
			for {
				n, err := file.ReadAt(buf, next.Add(strideBytes)-strideBytes)
				if count {
					countTexts(buf[:n])
				}
				if errors.Is(err, io.EOF) {
					return
				}
				if err != nil {
					panic(err)
				}
			}
		})
	}
	running.Wait()
	_ = file.Close()
}

// countTexts counts the characters from each quote or newline to the next.
func countTexts(p []byte) {
	for len(p) > 0 {
		c, _ := jsonscan.MeasureString(p)
		p = p[min(c.Bytes+1, len(p)):]
	}
}
