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
	memoryShare = 4
	leastMemory = 256 << 20
	gcPercent   = 50
)

// SpareMemory bounds the program's memory by what the node has left, unless the
// person has said so by GOMEMLIMIT or GOGC. The bound is soft: beyond it the program is
// slower, not dead.
func SpareMemory() {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	if free := available(); free > 0 {
		debug.SetMemoryLimit(max(leastMemory, free/memoryShare))
	}
}

// available is how many bytes the kernel, or the container, would still give; 0 if that
// cannot be told.
func available() int64 {
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
	limit, used := number("/sys/fs/cgroup/memory.max"), number("/sys/fs/cgroup/memory.current")
	if limit > used && (free == 0 || limit-used < free) {
		return limit - used
	}
	return free
}

// number is what a file of the kernel holds, 0 if that is none ("max").
func number(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
