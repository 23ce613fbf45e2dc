package commands

import (
	"os"
	"runtime/debug"
)

// The node is training: take at most a quarter of its available memory, and collect earlier
// than Go's default. Reading stops before all of it is taken.
const (
	memoryDivisor  = 4
	minMemoryLimit = 256 << 20
	gcPercent      = 50
)

// LimitMemory sets a memory limit from the available memory, unless GOMEMLIMIT or GOGC is
// set. That limit is soft: beyond it the program gets slower. It returns the hard one, at which
// reading has to stop, 0 if it is unknown.
func LimitMemory() (hard int64) {
	free := availableMemory("/")
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
		if free > 0 {
			debug.SetMemoryLimit(max(minMemoryLimit, free/memoryDivisor))
		}
	}
	return free - free/8 // the rest is for what is not counted: stacks, code, the screen
}
