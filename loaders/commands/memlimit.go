package commands

import (
	"bufio"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// The node trains: the program asks for no more than a quarter of what it can spare,
// and collects earlier than Go does by itself.
const (
	memoryDivisor  = 4
	minMemoryLimit = 256 << 20
	gcPercent      = 50
)

// LimitMemory bounds the program's memory by what the node has left, unless the
// person has said so by GOMEMLIMIT or GOGC. The bound is soft: beyond it the program is
// slower, not dead.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	if free := availableMemory(); free > 0 {
		debug.SetMemoryLimit(max(minMemoryLimit, free/memoryDivisor))
	}
}

// availableMemory is how many bytes the kernel, or the container, would still give; 0 if that
// cannot be told.
func availableMemory() int64 {
	h, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = h.Close() }()
	free := int64(0)
	for lines := bufio.NewScanner(h); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(rest, "kB")), 10, 64)
			free = kilobytes << 10
		}
	}
	limit, used := readNumber("/sys/fs/cgroup/memory.max"), readNumber("/sys/fs/cgroup/memory.current")
	if limit > used && (free == 0 || limit-used < free) {
		return limit - used
	}
	return free
}

// readNumber is what a file of the kernel holds, 0 if that is none ("max").
func readNumber(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
