package commands

import (
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

	"vantage/model/units"
)

// The node is training: take at most a quarter of its available memory, and collect earlier
// than Go's default. Reading stops before all of it is taken.
const (
	memoryDivisor  = 4
	minMemoryLimit = 256 << 20
	gcPercent      = 30
	firstPercent   = 400 // of a small heap, which is collected at 16 MB: at 30 that would be after each few rows with long lists
	littleRoom     = 16 << 20
)

// limitMemory sets a memory limit from the available memory, unless GOMEMLIMIT or GOGC is
// set. That limit is soft: beyond it the program gets slower. It returns the hard one, at which
// reading has to stop, 0 if it is unknown. The error says that there are too few addresses to begin.
func limitMemory() (hard int64, err error) {
	free, addresses := availableMemory("/"), addressSpace("/")
	if addresses != nil && addresses.left() < smallLog {
		return 0, addresses
	}
	if os.Getenv("GOMEMLIMIT") == "" && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(firstPercent)
		paceCollections(firstPercent)
		soft := max(minMemoryLimit, free/memoryDivisor)
		if addresses != nil {
			soft = min(soft, addresses.left())
		}
		if free > 0 {
			debug.SetMemoryLimit(soft)
		}
	}
	return free - free/8, nil // the rest is for what is not counted: stacks, code, the screen
}

// paceCollections sets after each collection at what growth of the heap the next one comes, in percent of what is alive.
func paceCollections(percent int) {
	next := func(percent int) {
		if wanted := percentFor(liveHeap()); wanted < percent*3/4 || wanted > percent*5/4 {
			percent = wanted
			debug.SetGCPercent(percent)
		}
		paceCollections(percent)
	}
	runtime.AddCleanup(new([64]byte), next, percent) // nothing holds it: the next collection finds it
}

// percentFor is by how much a heap grows before it is collected: by little room at least where few bytes are alive.
func percentFor(live uint64) int {
	return int(min(max(littleRoom*100/max(live, 1), gcPercent), firstPercent))
}

// liveHeap returns how many bytes the last collection found alive.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}

// availableMemory returns how many bytes this process can still get: the least that the system, each
// control group above the process (of version 1 or 2), and its own limit of addresses leave. It is 0 if
// nothing tells. The files of the kernel are read below root, which is "/" but in tests.
func availableMemory(root string) int64 {
	free := number(root, "proc/meminfo", "MemAvailable:") << 10
	limits := []int64{groupMemory(root)}
	if addresses := addressSpace(root); addresses != nil {
		limits = append(limits, max(1, addresses.left()))
	}
	for _, left := range limits {
		if left > 0 && (free == 0 || left < free) {
			free = left
		}
	}
	return free
}

// addresses are a limit on the addresses of the process, as an error: it is too low. Go's runtime takes them by the arena, at a place that
// chance decides, and ends the program with a dump if it gets none.
type addresses struct{ limit, taken int64 }

const (
	arena    = 64 << 20
	smallLog = 16 << 20
	enough   = 2_000_000 // KB, as ulimit counts: with less Go's runtime may end before the program begins
)

// left is how many bytes can be taken for a log.
func (a *addresses) left() int64 { return a.limit - a.taken - 2*arena }

func (a *addresses) Error() string {
	return fmt.Sprintf("the system limits this process to %s of addresses (ulimit -v), and %s are taken before a log is read: "+
		"allow more, as with `ulimit -v %d`",
		units.Bytes(a.limit), units.Bytes(a.taken), enough)
}

// addressSpace returns the limit on the addresses of the process, nil if there is none.
func addressSpace(root string) *addresses {
	for line := range lines(root, "proc/self/limits") {
		rest, ok := strings.CutPrefix(line, "Max address space")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return nil
		}
		if limit, err := strconv.ParseInt(fields[0], 10, 64); err == nil {
			return &addresses{limit: limit, taken: number(root, "proc/self/status", "VmSize:") << 10}
		}
	}
	return nil
}

// memoryController says where a version of control groups tells limit and use.
type memoryController struct {
	hierarchy               string // below root
	limit, usage, cacheName string // cacheName is in memory.stat: pages of files, which the kernel gives back
}

// groupMemory returns what the control groups of the process leave, 0 if they limit nothing.
func groupMemory(root string) int64 {
	v2 := memoryController{hierarchy: "sys/fs/cgroup", limit: "memory.max", usage: "memory.current", cacheName: "inactive_file"}
	v1 := memoryController{
		hierarchy: "sys/fs/cgroup/memory", limit: "memory.limit_in_bytes", usage: "memory.usage_in_bytes", cacheName: "total_inactive_file",
	}
	left := int64(math.MaxInt64)
	for line := range lines(root, "proc/self/cgroup") {
		id, rest, _ := strings.Cut(line, ":")
		controllers, path, _ := strings.Cut(rest, ":")
		switch {
		case id == "0" && controllers == "":
			left = min(left, v2.leastLeft(root, path))
		case strings.Contains(","+controllers+",", ",memory,"):
			left = min(left, v1.leastLeft(root, path))
		}
	}
	if left == math.MaxInt64 {
		return 0
	}
	return max(1, left)
}

// leastLeft returns the least that a group and those above it leave. In a container the path may not be
// visible: its own group is then the top of the hierarchy.
func (c memoryController) leastLeft(root, path string) int64 {
	left := int64(math.MaxInt64)
	for path = filepath.Clean("/" + path); ; path = filepath.Dir(path) {
		dir := filepath.Join(c.hierarchy, path)
		if limit := number(root, filepath.Join(dir, c.limit), ""); limit > 0 && limit < 1<<60 { // version 1 has a number for none
			used := number(root, filepath.Join(dir, c.usage), "") - number(root, filepath.Join(dir, "memory.stat"), c.cacheName+" ")
			left = min(left, limit-max(0, used))
		}
		if path == "/" {
			return left
		}
	}
}

// lines are the lines of a file of the kernel, an empty one if it cannot be read.
func lines(root, name string) iter.Seq[string] {
	text, _ := os.ReadFile(filepath.Join(root, name))
	return strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n")
}

// number returns the number behind a name that begins a line of a file of the kernel, with "" the last number of the file; 0 if
// it holds none ("max").
func number(root, file, name string) (n int64) {
	for line := range lines(root, file) {
		if value, ok := strings.CutPrefix(line, name); ok {
			n, _ = strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
		}
	}
	return n
}
