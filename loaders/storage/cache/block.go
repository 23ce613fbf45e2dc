package cache

import (
	"bytes"
	"cmp"
	"container/list"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vantage/loaders/fileio"
	"vantage/model/fault"
)

const maxMemory = 32 << 20

// memory holds the blocks that were used last.
type memory struct {
	mu     sync.Mutex
	blocks map[blockKey]*block
	order  list.List // of blocks, the one used last at the front
	bytes  int64
}

type blockKey struct {
	file   *content
	number int64
}

// block returns a block of a file, which may have no pages yet.
func (m *memory) block(c *content, number int64) *block {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := blockKey{c, number}
	if b := m.blocks[key]; b != nil {
		m.order.MoveToFront(b.element)
		return b
	}
	b := &block{file: c, number: number}
	b.element = m.order.PushFront(b)
	m.blocks[key] = b
	return b
}

// add counts bytes that came to a block, and drops those that were not used for the longest time if there are too many.
func (m *memory) add(b *block, bytes int64) {
	if bytes == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blocks[blockKey{b.file, b.number}] != b {
		return // it was dropped meanwhile
	}
	b.bytes += bytes
	m.bytes += bytes
	for m.bytes > maxMemory && m.order.Len() > 1 {
		m.drop(m.order.Back().Value.(*block))
	}
}

// drop forgets a block. Who reads it goes on with it.
func (m *memory) drop(b *block) {
	m.order.Remove(b.element)
	delete(m.blocks, blockKey{b.file, b.number})
	m.bytes -= b.bytes
}

func (m *memory) forget(c *content) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number := int64(0); number*blockSize < c.size; number++ {
		if b := m.blocks[blockKey{c, number}]; b != nil {
			m.drop(b)
		}
	}
}

const (
	pageSize      = 64 << 10
	blockSize     = 1 << 20
	pagesPerBlock = blockSize / pageSize
)

// block is a megabyte of a file, or the rest of it.
type block struct {
	file    *content
	number  int64
	element *list.Element // in memory.order
	bytes   int64         // as memory counts them
	ahead   atomic.Bool   // somebody fetches the whole of it, or has

	mu     sync.Mutex
	pages  [pagesPerBlock][]byte // nil for those that are not there
	loaded bool                  // the disk was asked
}

func (b *block) size() int64 { return min(blockSize, b.file.size-b.number*blockSize) }

func (b *block) pageBytes(page int64) int64 { return min(pageSize, b.size()-page*pageSize) }

type span struct{ from, to int64 }

// fill makes sure that the pages of some ranges are there, and returns how many bytes are there now that were not. If one of them
// is not, all of the wider ranges is fetched that is not there.
func (b *block) fill(source io.ReaderAt, disk *Disk, needed, wider []span) (added int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.loaded {
		b.loaded = true
		added = disk.load(b)
	}
	if !slices.ContainsFunc(needed, b.lacks) {
		return added, nil
	}
	n, err := b.fetch(source, wider)
	if err == nil {
		disk.save(b)
	}
	return added + n, err
}

func (b *block) lacks(s span) bool {
	for i := s.from / pageSize; i*pageSize < s.to; i++ {
		if b.pages[i] == nil {
			return true
		}
	}
	return false
}

// fetch asks for the pages of some ranges that are not there, at the same time, those that follow each other together.
func (b *block) fetch(source io.ReaderAt, spans []span) (added int64, err error) {
	var missing [pagesPerBlock + 1]bool
	for _, s := range spans {
		for i := s.from / pageSize; i*pageSize < s.to; i++ {
			missing[i] = b.pages[i] == nil
		}
	}
	var all fault.Group
	var errs [pagesPerBlock]error
	for from, end := 0, 0; from < pagesPerBlock; from = end + 1 {
		for end = from; missing[end]; end++ {
		}
		if end > from {
			all.Go(func() { errs[from] = b.fetchPages(source, int64(from), int64(end)) })
		}
	}
	all.Wait()
	for i, page := range b.pages {
		if missing[i] {
			added += int64(len(page))
		}
	}
	return added, cmp.Or(errs[:]...)
}

func (b *block) fetchPages(source io.ReaderAt, from, end int64) error {
	part := make([]byte, min(end*pageSize, b.size())-from*pageSize)
	n, err := source.ReadAt(part, b.number*blockSize+from*pageSize)
	if n < len(part) {
		if err == nil || errors.Is(err, io.EOF) {
			err = errShorter
		}
		return err
	}
	for i := from; i < end; i++ {
		b.pages[i], part = part[:b.pageBytes(i):b.pageBytes(i)], part[b.pageBytes(i):]
	}
	return nil
}

// errShorter is the error for a file that has fewer bytes than it was said to have.
var errShorter = &fileio.Failure{
	What: "was replaced by a shorter file while it was read", Do: "read it again when it is written", Replaced: true,
}

func (b *block) copy(p []byte, offset int64) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) && offset < b.size() && b.pages[offset/pageSize] != nil {
		got := copy(p[n:], b.pages[offset/pageSize][offset%pageSize:])
		n, offset = n+got, offset+int64(got)
	}
	return n
}

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
	extension = ".block"
	keepPart  = time.Hour // a temporary file that a killed program left
	usedAfter = time.Hour // how exact the time of the last use is
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
	if err != nil || len(data) < headerSize || string(data[:len(magic)]) != magic ||
		!bytes.Equal(data[len(magic):len(magic)+sha256.Size], id[:]) {
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
	h, _, err := (&fileio.File{Path: name}).Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = h.Close() }()
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

func (d *Disk) write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return (*fileio.Disk)(nil).Replace(name, 0o600, func(h *fileio.DiskFile) error {
		_, err := h.Write(data)
		return err
	})
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
			case strings.HasPrefix(e.Name(), fileio.PartPrefix) && now.Sub(info.ModTime()) > keepPart:
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
