// Package filetest reads and writes the files of tests. Whatever fails ends the test.
package filetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Read returns what a file holds.
func Read(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// JSON fills a value with what a file of JSON holds.
func JSON(tb testing.TB, path string, value any) {
	tb.Helper()
	if err := json.Unmarshal(Read(tb, path), value); err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
}

// Write puts a file at a path, or other bytes into it, and makes the folders above it.
func Write[T string | []byte](tb testing.TB, path string, data T) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		tb.Fatal(err)
	}
}
