package frames

import (
	"bytes"
	"math"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// blocks returns the blocks of a file of one frame, and the text of each.
func blocks(tb testing.TB, packed []byte) (all []*block, texts [][]byte) {
	tb.Helper()
	d := decoder(tb)
	if err := d.Reset(bytes.NewReader(packed)); err != nil {
		tb.Fatal(err)
	}
	if _, err := d.WriteTo(watcher(func(p []byte) { texts = append(texts, bytes.Clone(p)) })); err != nil {
		tb.Fatal(err)
	}
	_, at, _, err := frameAt(bytes.NewReader(packed), 0)
	for err == nil && (len(all) == 0 || !all[len(all)-1].last) {
		var b *block
		if b, err = blockAt(bytes.NewReader(packed), at); err == nil {
			all, at = append(all, b), at+b.size
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return all, texts
}

// What is said to be copied is what stands where it is said to be copied from, and what is
// not copied is as much as there is beside it.
func TestCopies(t *testing.T) {
	for name, text := range logs(3 << 20) {
		for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault, zstd.SpeedBestCompression} {
			e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(1<<20))
			if err != nil {
				t.Fatal(err)
			}
			packed := e.EncodeAll(text, nil)
			all, texts := blocks(t, packed)
			if len(all) < len(texts) {
				t.Fatalf("%d blocks, %d texts", len(all), len(texts))
			}
			c := &copier{recent: [3]int{1, 4, 8}, far: math.MinInt / 2}
			at := 0
			for i, want := range texts {
				all[i].text = int64(len(want))
				n, err := c.read(bytes.NewReader(packed), all[i])
				if err != nil || n != len(want) {
					t.Fatalf("%s, level %v, block %d: %d bytes of %d, %v", name, level, i, n, len(want), err)
				}
				for _, k := range c.copies {
					to := at + int(k.at)
					from := to - int(k.distance)
					if from < 0 || !bytes.Equal(text[from:from+int(k.length)], text[to:to+int(k.length)]) {
						t.Fatalf("%s, level %v, block %d: %d bytes at %d are not those %d before", name, level, i, k.length, k.at, k.distance)
					}
				}
				at += len(want)
				c.copies = c.copies[:0]
			}
		}
	}
}

// Whatever a block is, reading its copies ends.
func FuzzCopies(f *testing.F) {
	for name, text := range logs(200_000) {
		e, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<17))
		if err != nil {
			f.Fatal(err)
		}
		packed := e.EncodeAll(text, nil)
		all, _ := blocks(f, packed)
		for _, b := range all {
			if name != "noise" && b.kind == compressed {
				f.Add(packed[b.at+headerSize : b.at+b.size])
			}
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		c := &copier{}
		c.begin()
		c.far = math.MinInt / 2
		text, err := c.pass(append(make([]byte, front), content...))
		if err != nil {
			return
		}
		for _, k := range c.copies {
			if k.at < 0 || k.length < 3 || k.distance < 1 || int(k.at)+int(k.length) > text {
				t.Errorf("%+v in a text of %d bytes", k, text)
			}
		}
	})
}
