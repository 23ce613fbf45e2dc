package commands

import (
	"bufio"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// The node is training: take at most a quarter of its available memory, and collect earlier
// than Go's default.
const (
	memoryDivisor  = 4
	minMemoryLimit = 256 << 20
	gcPercent      = 50
)

// LimitMemory sets a memory limit from the available memory, unless GOMEMLIMIT or GOGC is
// set. The limit is soft: beyond it the program gets slower.
func LimitMemory() {
	if os.Getenv("GOMEMLIMIT") != "" || os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	if free := availableMemory(); free > 0 {
		debug.SetMemoryLimit(max(minMemoryLimit, free/memoryDivisor))
	}
}

// availableMemory returns how many bytes the system or the container has left, 0 if unknown.
func availableMemory() int64 {
	h, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer func() { _ = h.Close() }()
	free := int64(0)
	for lines := bufio.NewScanner(h); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
			free = kilobytes << 10
		}
	}
	limit, used := readNumber("/sys/fs/cgroup/memory.max"), readNumber("/sys/fs/cgroup/memory.current")
	if limit > used && (free == 0 || limit-used < free) {
		return limit - used
	}
	return free
}

// readNumber returns the number in a file of the kernel, 0 if it holds none ("max").
func readNumber(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}
