package cache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
)

// Disk keeps blocks in a directory. Several programs may use it at once: each block is a file that is complete when it
// has its name. A nil Disk keeps nothing.
type Disk struct {
	dir   string
	limit int64

	mu      sync.Mutex
	written int64 // since it was tidied
	tidied  bool
}

// NewDisk returns the cache in a directory, which the first block creates, and which takes at most limit bytes.
func NewDisk(dir string, limit int64) *Disk {
	if dir == "" || limit <= 0 {
		return nil
	}
	return &Disk{dir: dir, limit: limit}
}

const (
	extension  = ".block"
	partPrefix = ".part-"
	keepPart   = time.Hour // a temporary file that a killed program left
	usedAfter  = time.Hour // how exact the time of the last use is
)

// magic begins the file of a block. The hash of what the block is follows, then length and checksum of each page, then the
// pages that are there.
const magic = "vantage block 1\n"

const headerSize = len(magic) + sha256.Size + pagesPerBlock*8

// checksums are those that processors compute.
var checksums = crc32.MakeTable(crc32.Castagnoli)

func blockID(b *block) [sha256.Size]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64(b.file.id[:], uint64(b.number)))
}

func (d *Disk) path(id [sha256.Size]byte) string {
	name := hex.EncodeToString(id[:20])
	return filepath.Join(d.dir, name[:2], name+extension)
}

// load adds the pages of a block that are on the disk, and returns how many bytes they have. A page with another checksum is
// not there. The block is locked.
func (d *Disk) load(b *block) (added int64) {
	if d == nil || !b.file.keep {
		return 0
	}
	id := blockID(b)
	name := d.path(id)
	data, err := readFile(name)
	if err != nil || len(data) < headerSize || string(data[:len(magic)]) != magic || !bytes.Equal(data[len(magic):len(magic)+sha256.Size], id[:]) {
		return 0
	}
	table, rest := data[len(magic)+sha256.Size:headerSize], data[headerSize:]
	for i := range b.pages {
		n, sum := int64(binary.BigEndian.Uint32(table[8*i:])), binary.BigEndian.Uint32(table[8*i+4:])
		if n == 0 {
			continue
		}
		if n > int64(len(rest)) || n != b.pageBytes(int64(i)) {
			break
		}
		if page := rest[:n:n]; crc32.Checksum(page, checksums) == sum {
			b.pages[i] = page
			added += n
		}
		rest = rest[n:]
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > usedAfter {
		now := time.Now()
		_ = os.Chtimes(name, now, now)
	}
	return added
}

func readFile(name string) ([]byte, error) {
	h, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = h.Close() }()
	if info, err := h.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid
	}
	return io.ReadAll(io.LimitReader(h, int64(headerSize+blockSize)))
}

// save writes a block with the pages that are there. What goes wrong costs a request later, and nothing else. The block is
// locked.
func (d *Disk) save(b *block) {
	if d == nil || !b.file.keep {
		return
	}
	id := blockID(b)
	data := append(append(make([]byte, 0, headerSize+blockSize), magic...), id[:]...)
	for _, page := range b.pages {
		data = binary.BigEndian.AppendUint32(data, uint32(len(page)))
		data = binary.BigEndian.AppendUint32(data, crc32.Checksum(page, checksums))
	}
	for _, page := range b.pages {
		data = append(data, page...)
	}
	if int64(len(data)) > d.limit || d.write(d.path(id), data) != nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.written += int64(len(data)); !d.tidied || d.written >= d.limit/20 {
		d.written, d.tidied = 0, true
		d.tidy(time.Now(), d.limit-d.limit/20)
	}
}

// write writes a file under a temporary name first.
func (d *Disk) write(name string, data []byte) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	h, err := os.CreateTemp(dir, partPrefix+"*") // 0600
	if err != nil {
		return err
	}
	_, err = h.Write(data)
	if closeErr := h.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(h.Name(), name)
	}
	if err != nil {
		_ = os.Remove(h.Name())
	}
	return err
}

type storedBlock struct {
	path  string
	bytes int64
	used  time.Time
}

// tidy drops the blocks that were not used for the longest time until so many bytes are left, and forgotten temporary files.
func (d *Disk) tidy(now time.Time, limit int64) {
	blocks := storedBlocks(d.dir, now)
	var bytes int64
	for _, b := range blocks {
		bytes += b.bytes
	}
	sort.Slice(blocks, func(i, j int) bool { return blocks[i].used.Before(blocks[j].used) })
	for _, b := range blocks {
		if bytes <= limit {
			return
		}
		if os.Remove(b.path) == nil {
			bytes -= b.bytes
		}
	}
}

// storedBlocks returns the blocks in a directory, and removes temporary files that no program can still be writing.
func storedBlocks(dir string, now time.Time) (blocks []storedBlock) {
	folders, _ := os.ReadDir(dir)
	for _, folder := range folders {
		if !folder.IsDir() || len(folder.Name()) != 2 {
			continue
		}
		entries, _ := os.ReadDir(filepath.Join(dir, folder.Name()))
		for _, e := range entries {
			info, err := e.Info()
			name := filepath.Join(dir, folder.Name(), e.Name())
			switch {
			case err != nil || !info.Mode().IsRegular():
			case strings.HasSuffix(e.Name(), extension):
				blocks = append(blocks, storedBlock{name, info.Size(), info.ModTime()})
			case strings.HasPrefix(e.Name(), partPrefix) && now.Sub(info.ModTime()) > keepPart:
				_ = os.Remove(name)
			}
		}
	}
	return blocks
}

// Usage is what is kept in a directory.
type Usage struct {
	Blocks int
	Bytes  int64
}

// Measure returns what is kept in a directory.
func Measure(dir string) (u Usage) {
	for _, b := range storedBlocks(dir, time.Now()) {
		u.Blocks, u.Bytes = u.Blocks+1, u.Bytes+b.bytes
	}
	return u
}

// Clear removes what is kept in a directory, and nothing else that is there.
func Clear(dir string) (Usage, error) {
	var u Usage
	for _, b := range storedBlocks(dir, time.Now().Add(2*keepPart)) {
		if err := os.Remove(b.path); err != nil && !os.IsNotExist(err) {
			return u, err
		}
		_ = os.Remove(filepath.Dir(b.path)) // if it was the last
		u.Blocks, u.Bytes = u.Blocks+1, u.Bytes+b.bytes
	}
	_ = os.Remove(dir)
	return u, nil
}
