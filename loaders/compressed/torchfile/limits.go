package torchfile

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrRefused starts the reason why a file is not read.
var ErrRefused = errors.New("not read")

var errNoTorch = fmt.Errorf("%w: it is a zip file, but not of torch.save: unpack it", ErrRefused)

// The bounds of what is kept of a pickle. A rollout of 10,000 samples has less than 500,000 values that are remembered.
const (
	maxStack = 1 << 20  // values between two marks, and marks
	maxMemo  = 1 << 23  // values that are remembered
	maxWork  = 1 << 26  // values that are written: one that stands in several places is written as often
	maxText  = 64 << 20 // bytes of a text
	maxName  = 1 << 10  // bytes of a class or of a number in text
	maxDepth = 64       // dicts and lists in one another
)

// maxTexts is how many bytes of text are kept: a quarter of what the program may take, and 1 GB at most.
func maxTexts() int64 { return min(max(64<<20, debug.SetMemoryLimit(-1)/4), 1<<30) }

// maxKept is how many values lists and dicts have together: 16 million, and fewer where memory is scarce, as an empty dict takes 64 bytes
// and one in the file.
func maxKept() int { return int(min(max(1<<20, debug.SetMemoryLimit(-1)/256), 1<<24)) }

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

func tooMuch(what string) error {
	return refused("it holds more %s than any rollout of slime or miles: it is not theirs, or damaged", what)
}
