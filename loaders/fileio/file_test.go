package fileio

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// A file of the limit is held in memory, one byte more is too much.
func TestReadAtMost(t *testing.T) {
	m, err := readAtMost(strings.NewReader("1234"), 4)
	if text, _ := io.ReadAll(m); err != nil || string(text) != "1234" || m.Size() != 4 {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := readAtMost(strings.NewReader("12345"), 4); !errors.Is(err, ErrTooLarge) || !errors.Is(err, ErrNotRead) {
		t.Error(err)
	}
}
