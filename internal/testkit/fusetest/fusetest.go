//go:build linux

// Package fusetest is a file system that stops answering when it is told to, as a disk of the network does on a bad day.
package fusetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Disk is a mounted folder of files. A call that it holds does not return before Release.
type Disk struct {
	Folder string // where it is mounted

	device *os.File // closed once nothing serves it any more
	fd     int      // of it
	mounts time.Time

	mu    sync.Mutex
	files []file
	holds func(Call) bool
	held  []request
}

type file struct {
	name     string // below the folder, with slashes
	data     []byte
	isFolder bool
}

// Call is a kind of call to the file system.
type Call uint32

// The calls that can be held, by their numbers in the protocol.
const (
	Lookup  Call = 1
	Stat    Call = 3
	Open    Call = 14
	Read    Call = 15
	OpenDir Call = 27
	ReadDir Call = 28

	statFS     Call = 17
	release    Call = 18
	flush      Call = 25
	initialize Call = 26
	releaseDir Call = 29
	access     Call = 34
	forget     Call = 2
	interrupt  Call = 36
	destroy    Call = 38
	forgetMany Call = 42
)

const (
	root      = 1   // the node of the folder; a file is two more than its index
	headSize  = 40  // of a request
	replySize = 16  // of the head of a reply
	noCache   = 0   // seconds for which the kernel may answer by itself
	directIO  = 1   // each read comes here
	blockSize = 512 // of what a file takes
)

// New mounts an empty folder until the test ends. It skips the test where that is impossible.
func New(t *testing.T) *Disk {
	t.Helper()
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no file system of our own here: %v", err)
	}
	d := &Disk{Folder: t.TempDir(), device: device, fd: int(device.Fd()), mounts: time.Now(), holds: func(Call) bool { return false }}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", d.fd, os.Getuid(), os.Getgid())
	if err := syscall.Mount("vantage-test", d.Folder, "fuse", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		_ = device.Close()
		t.Skipf("no file system of our own can be mounted here: %v", err)
	}
	go d.serve()
	t.Cleanup(func() {
		d.Release()
		_ = syscall.Unmount(d.Folder, syscall.MNT_DETACH)
	})
	return d
}

// Write puts a file into the folder, or other bytes into it, and makes the folders that its name leads through.
func (d *Disk) Write(name string, data []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, r := range name {
		if r == '/' && d.index(name[:i]) < 0 {
			d.files = append(d.files, file{name: name[:i], isFolder: true})
		}
	}
	if i := d.index(name); i >= 0 {
		d.files[i].data = data
		return
	}
	d.files = append(d.files, file{name: name, data: data})
}

func (d *Disk) index(name string) int {
	return slices.IndexFunc(d.files, func(f file) bool { return f.name == name })
}

// nameOf returns the name of a node, "." for the folder.
func (d *Disk) nameOf(node uint64) string {
	if node == root {
		return "."
	}
	return d.files[node-root-1].name
}

// Hold leaves calls of some kinds without an answer from now on; every call if none is named. It lasts for a minute at most, so that a test
// that fails ends.
func (d *Disk) Hold(calls ...Call) {
	time.AfterFunc(time.Minute, d.Release)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.holds = func(c Call) bool { return len(calls) == 0 || slices.Contains(calls, c) }
}

// Held returns how many calls wait.
func (d *Disk) Held() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.held)
}

// Release answers what waits, and holds nothing any more.
func (d *Disk) Release() {
	d.mu.Lock()
	held := d.held
	d.held, d.holds = nil, func(Call) bool { return false }
	d.mu.Unlock()
	for _, r := range held {
		d.answer(r)
	}
}

// canHang reports whether a call may be left without an answer: not such as want none, nor those for the end of a file, without which the
// kernel lets no process go, not even one that was killed.
func (c Call) canHang() bool {
	return !slices.Contains([]Call{initialize, forget, forgetMany, flush, release, releaseDir, destroy}, c)
}

// request is a call of the kernel.
type request struct {
	call   Call
	unique uint64
	node   uint64
	thread uint32 // that calls
	body   []byte
}

// serve answers the kernel until the folder is no longer mounted.
func (d *Disk) serve() {
	defer runtime.KeepAlive(d.device)
	buffer := make([]byte, 1<<20)
	for {
		n, err := syscall.Read(d.fd, buffer)
		switch {
		case err == syscall.EINTR || err == syscall.ENOENT:
			continue
		case err != nil || n < headSize:
			return
		}
		r := request{
			call: Call(binary.NativeEndian.Uint32(buffer[4:])), unique: binary.NativeEndian.Uint64(buffer[8:]),
			node: binary.NativeEndian.Uint64(buffer[16:]), thread: binary.NativeEndian.Uint32(buffer[32:]),
			body: bytes.Clone(buffer[headSize:n]),
		}
		if r.call == interrupt {
			go d.giveUp(binary.NativeEndian.Uint64(r.body))
			continue
		}
		d.mu.Lock()
		held := d.holds(r.call) && r.call.canHang()
		if held {
			d.held = append(d.held, r)
		}
		d.mu.Unlock()
		if !held {
			d.answer(r)
		}
	}
}

// giveUp answers a call that is held and whose caller got a signal, once that is killed: else the process would stay. No other signal ends
// the wait, as on a file server.
func (d *Disk) giveUp(unique uint64) {
	for waits := true; waits; time.Sleep(10 * time.Millisecond) {
		d.mu.Lock()
		i := slices.IndexFunc(d.held, func(r request) bool { return r.unique == unique })
		if waits = i >= 0; waits && d.held[i].isKilled() {
			d.held = slices.Delete(d.held, i, i+1)
			d.reply(unique, syscall.EINTR, nil)
		}
		d.mu.Unlock()
	}
}

// isKilled reports whether the caller is about to end.
func (r request) isKilled() bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.thread))
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		pending, _ := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
		if strings.HasSuffix(name, "Pnd") && pending>>(syscall.SIGKILL-1)&1 == 1 {
			return true
		}
	}
	return err != nil
}

// answer answers a call; some want none.
func (d *Disk) answer(r request) {
	var body []byte
	var failure syscall.Errno
	d.mu.Lock()
	switch r.call {
	case forget, forgetMany:
		d.mu.Unlock()
		return
	case initialize:
		body = binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, 7), 31) // the version of the protocol
		body = append(body, make([]byte, 56)...)
		binary.NativeEndian.PutUint32(body[20:], 1<<16) // bytes in a write
		binary.NativeEndian.PutUint32(body[24:], 1)     // times are exact to a nanosecond
	case Lookup:
		i := d.index(path.Join(d.nameOf(r.node), string(bytes.TrimRight(r.body, "\x00"))))
		if i < 0 {
			failure = syscall.ENOENT
			break
		}
		body = slices.Concat(numbers(uint64(i)+root+1, 0, noCache, noCache, 0), d.attributes(uint64(i)+root+1))
	case Stat:
		body = append(numbers(noCache, 0), d.attributes(r.node)...)
	case Open, OpenDir:
		body = append(numbers(0), 0, 0, 0, 0, 0, 0, 0, 0)
		if r.call == Open {
			binary.NativeEndian.PutUint32(body[8:], directIO)
		}
	case Read:
		data := d.files[r.node-root-1].data
		from := min(binary.NativeEndian.Uint64(r.body[8:]), uint64(len(data)))
		body = data[from:min(from+uint64(binary.NativeEndian.Uint32(r.body[16:])), uint64(len(data)))]
	case ReadDir:
		for i := binary.NativeEndian.Uint64(r.body[8:]); i < uint64(len(d.files)); i++ {
			f := d.files[i]
			if path.Dir(f.name) != d.nameOf(r.node) {
				continue
			}
			name, kind := path.Base(f.name), uint32(syscall.S_IFREG)
			if f.isFolder {
				kind = syscall.S_IFDIR
			}
			body = append(body, numbers(i+root+1, i+1)...)
			body = binary.NativeEndian.AppendUint32(body, uint32(len(name)))
			body = binary.NativeEndian.AppendUint32(body, kind>>12)
			body = append(append(body, name...), make([]byte, (8-len(name)%8)%8)...)
		}
	case statFS:
		body = make([]byte, 80)
	case release, releaseDir, flush, access, destroy:
	default:
		failure = syscall.ENOSYS
	}
	d.mu.Unlock()
	d.reply(r.unique, failure, body)
}

func (d *Disk) reply(unique uint64, failure syscall.Errno, body []byte) {
	out := binary.NativeEndian.AppendUint32(nil, uint32(replySize+len(body)))
	out = binary.NativeEndian.AppendUint32(out, uint32(-int32(failure)))
	out = append(binary.NativeEndian.AppendUint64(out, unique), body...)
	_, _ = syscall.Write(d.fd, out) // fails if the caller is gone
}

// attributes returns what stat says of a node.
func (d *Disk) attributes(node uint64) []byte {
	size, mode, links := 0, uint32(syscall.S_IFDIR|0o755), uint32(2)
	if node != root && !d.files[node-root-1].isFolder {
		size, mode, links = len(d.files[node-root-1].data), syscall.S_IFREG|0o644, 1
	}
	at := uint64(d.mounts.Unix())
	out := numbers(node, uint64(size), uint64(size+blockSize-1)/blockSize, at, at, at)
	for _, n := range []uint32{0, 0, 0, mode, links, uint32(os.Getuid()), uint32(os.Getgid()), 0, blockSize, 0} {
		out = binary.NativeEndian.AppendUint32(out, n)
	}
	return out
}

func numbers(all ...uint64) (out []byte) {
	for _, n := range all {
		out = binary.NativeEndian.AppendUint64(out, n)
	}
	return out
}
