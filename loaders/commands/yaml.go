package commands

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Limits of YAML: hostile text beyond them would cost the parser seconds, gigabytes or the
// stack. Configurations are far below.
const (
	maxYAMLLine  = 8 << 10
	maxYAMLDepth = 64 // of brackets, and of lists in one line
)

// checkYAMLBounds fails for binary data and for text beyond the limits.
func checkYAMLBounds(text []byte) error {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return errors.New("not a text file")
	}
	depth, n := 0, 0
	for line := range bytes.Lines(text) {
		if n++; len(line) > maxYAMLLine {
			return fmt.Errorf("line %d has more than %d bytes", n, maxYAMLLine)
		}
		lead := line[:len(line)-len(bytes.TrimLeft(line, " -?"))]
		if bytes.Count(lead, []byte("-"))+bytes.Count(lead, []byte("?")) > maxYAMLDepth {
			return fmt.Errorf("line %d begins more than %d lists", n, maxYAMLDepth)
		}
		for _, c := range line {
			switch c {
			case '{', '[':
				depth++
			case '}', ']':
				depth = max(0, depth-1)
			}
			if depth > maxYAMLDepth {
				return fmt.Errorf("line %d nests more than %d brackets", n, maxYAMLDepth)
			}
		}
	}
	return nil
}
