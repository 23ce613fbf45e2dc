package commands

import (
	"path/filepath"
	"testing"

	"vantage/internal/testkit/filetest"
)

// The least of what the system, the groups and the process's own limit leave is available.
func TestAvailableMemory(t *testing.T) {
	t.Parallel()
	const gb = 1 << 30
	system := map[string]string{"proc/meminfo": "MemTotal: 16777216 kB\nMemAvailable:    8388608 kB\n"}
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"the system": {nil, 8 * gb},
		"version 2, whose file pages are given back": {map[string]string{
			"proc/self/cgroup":             "0::/\n",
			"sys/fs/cgroup/memory.max":     "4294967296\n",
			"sys/fs/cgroup/memory.current": "3221225472\n",
			"sys/fs/cgroup/memory.stat":    "anon 1\ninactive_file 2147483648\n",
		}, 3 * gb},
		"version 2 without a limit": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}, 8 * gb},
		"version 2, a group above": {map[string]string{
			"proc/self/cgroup":                             "0::/job/step\n",
			"sys/fs/cgroup/job/step/memory.max":            "max\n",
			"sys/fs/cgroup/job/memory.max":                 "2147483648\n",
			"sys/fs/cgroup/job/memory.current":             "1073741824\n",
			"sys/fs/cgroup/elsewhere/memory.limit_in_byte": "1\n",
		}, gb},
		"version 1": {map[string]string{
			"proc/self/cgroup": "4:cpu,cpuacct:/\n2:memory:/slurm/job\n",
			"sys/fs/cgroup/memory/slurm/job/memory.limit_in_bytes": "3221225472\n",
			"sys/fs/cgroup/memory/slurm/job/memory.usage_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":           "9223372036854771712\n",
		}, 2 * gb},
		"version 1 in a container, which sees its group as the top": {map[string]string{
			"proc/self/cgroup":                           "2:memory:/docker/abc\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.usage_in_bytes": "0\n",
		}, gb},
		"ulimit -v": {map[string]string{
			"proc/self/limits": "Limit                     Soft Limit           Hard Limit           Units\nMax address space         6442450944           unlimited            bytes\n",
			"proc/self/status": "VmSize:\t 1048576 kB\n",
		}, 5*gb - 128<<20},
		"ulimit -v, hardly more than the program": {map[string]string{
			"proc/self/limits": "Max address space         1342177280           unlimited            bytes\n",
			"proc/self/status": "VmSize:\t 1258291 kB\n",
		}, 1},
		"no ulimit": {map[string]string{"proc/self/limits": "Max address space         unlimited            unlimited            bytes\n"}, 8 * gb},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for _, files := range []map[string]string{system, c.files} {
				for path, text := range files {
					path = filepath.Join(root, path)
					filetest.Write(t, path, text)
				}
			}
			if got := availableMemory(root); got != c.want {
				t.Errorf("%d bytes are available, want %d", got, c.want)
			}
		})
	}
	if got := availableMemory(t.TempDir()); got != 0 {
		t.Errorf("%d bytes are available where nothing tells", got)
	}
}

// A heap grows by 16 MB before it is collected, or by three tenths if that is more; a tiny one by four times, as Go sets 16 MB for that.
func TestSmallHeapsHaveRoom(t *testing.T) {
	for live, want := range map[uint64]int{0: 400, 1 << 20: 400, 4 << 20: 400, 16 << 20: 100, 32 << 20: 50, 64 << 20: 30, 4 << 30: 30} {
		if got := percentFor(live); got != want {
			t.Errorf("%d MB alive: %d %%, want %d %%", live>>20, got, want)
		}
	}
}
