package frames

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// taken counts what is read of a file.
type taken struct {
	r io.Reader
	n int64
}

func (t *taken) Read(p []byte) (int, error) {
	n, err := t.r.Read(p)
	t.n += int64(n)
	return n, err
}

// watcher takes the text of one block at a time.
type watcher func(text []byte)

func (w watcher) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// marked unpacks a file, and marks it about each so many bytes of text.
func marked(tb testing.TB, packed []byte, each int64) (text []byte, marks []Mark) {
	tb.Helper()
	in := &taken{r: bytes.NewReader(packed)}
	d := decoder(tb)
	if err := d.Reset(in); err != nil {
		tb.Fatal(err)
	}
	m := NewMarker(bytes.NewReader(packed), func(mark Mark) { marks = append(marks, mark) })
	m.Due(each)
	_, err := d.WriteTo(watcher(func(p []byte) {
		text = append(text, p...)
		if m.Block(p, in.n) {
			m.Due(int64(len(text)) + each)
		}
	}))
	if err != nil {
		tb.Fatal(err)
	}
	m.End()
	return text, marks
}

func decoder(tb testing.TB) *zstd.Decoder {
	tb.Helper()
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(d.Close)
	return d
}

// check holds what is unpacked from each mark against the text: all of it from the first
// and the last, some from the others.
func check(tb testing.TB, packed, text []byte, marks []Mark) {
	tb.Helper()
	d, err := NewReader(maxWindow)
	if err != nil {
		tb.Fatal(err)
	}
	defer d.Close()
	for i, m := range marks {
		want := text[m.Text:]
		if i > 0 && i < len(marks)-1 {
			want = want[:min(len(want), 600<<10)]
		}
		got, err := d.Text(context.Background(), bytes.NewReader(packed), m, m.Text, m.Text+int64(len(want))+int64(i+1)/int64(len(marks)))
		if err != nil || !bytes.Equal(got, want) {
			tb.Fatalf("mark %d, at %d: other text, %v", i, m.Text, err)
		}
	}
}

// logs are texts of several kinds, of about so many bytes.
func logs(size int) map[string][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	prose := func(b *bytes.Buffer, words int) {
		for range words {
			for range 2 + random.IntN(7) {
				b.WriteByte("etaoinshrdluetaoneth"[random.IntN(20)])
			}
			b.WriteByte(' ')
		}
	}
	all := map[string][]byte{}
	for name, row := range map[string]func(b *bytes.Buffer, i int){
		"prose": func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"step":%d,"prompt":"%x","response":"`, i/512, random.Uint64())
			prose(b, random.IntN(200))
			b.WriteString("\",\"reward\":1}\n")
		},
		"figures": func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"step":%d,"prompt":"p%d","reward":%d,"advantage":%g}`+"\n", i/512, i/16, random.IntN(2), random.NormFloat64())
		},
		"noise": func(b *bytes.Buffer, _ int) {
			for range 64 {
				b.Write(binary.LittleEndian.AppendUint64(nil, random.Uint64()))
			}
		},
		"same": func(b *bytes.Buffer, _ int) { b.WriteString(`{"step":1,"prompt":"p","reward":0}` + "\n") },
		"turns": func(b *bytes.Buffer, i int) { // of noise, one byte, and prose
			switch i / 40 % 3 {
			case 0:
				b.Write(binary.LittleEndian.AppendUint64(nil, random.Uint64()))
			case 1:
				b.WriteString(strings.Repeat("a", 9000))
			default:
				prose(b, 800)
			}
		},
	} {
		var b bytes.Buffer
		for i := 0; b.Len() < size; i++ {
			row(&b, i)
		}
		all[name] = b.Bytes()
	}
	return all
}

// From each mark the text is what it is from the begin, whoever packed it.
func TestMarks(t *testing.T) {
	for name, text := range logs(2 << 20) {
		for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedBetterCompression} {
			for _, window := range []int{16 << 10, 1 << 20} {
				t.Run(fmt.Sprint(name, level, window), func(t *testing.T) {
					e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
					if err != nil {
						t.Fatal(err)
					}
					hold(t, name, text, e.EncodeAll(text, nil))
				})
			}
		}
	}
}

// The same with the program that most people pack with, if it is here.
func TestMarksOfProgram(t *testing.T) {
	if _, err := exec.LookPath("zstd"); err != nil {
		t.Skip("no zstd here")
	}
	for name, text := range logs(3 << 20) {
		for _, options := range []string{"-1 --long=23", "-3", "-6 --no-check", "--fast=3"} {
			t.Run(name+options, func(t *testing.T) {
				pack := exec.CommandContext(t.Context(), "zstd", append(strings.Fields(options), "-q", "-c")...)
				pack.Stdin = bytes.NewReader(text)
				packed, err := pack.Output()
				if err != nil {
					t.Fatal(err)
				}
				hold(t, name, text, packed)
			})
		}
	}
}

func hold(t *testing.T, name string, want, packed []byte) {
	t.Helper()
	text, marks := marked(t, packed, 256<<10)
	if !bytes.Equal(text, want) {
		t.Fatal("another text")
	}
	check(t, packed, text, marks)
	if name == "prose" && len(marks) < 5 {
		t.Errorf("%d marks in %d bytes", len(marks), len(text))
	}
}

// Frames begin anew, so that a mark at one takes next to nothing; frames without text are
// passed over.
func TestMarksOfFrames(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := logs(4 << 20)["prose"]
	var packed []byte
	for from := 0; from < len(text); from += 100_000 {
		packed = e.EncodeAll(text[from:min(from+100_000, len(text))], packed)
		packed = append(packed, "\x50\x2a\x4d\x18\x03\x00\x00\x00abc"...)
	}
	got, marks := marked(t, packed, 300_000)
	if !bytes.Equal(got, text) || len(marks) < 10 {
		t.Fatalf("%d marks", len(marks))
	}
	for _, m := range marks {
		if m.Size() > 1000 {
			t.Errorf("a mark of %d bytes", m.Size())
		}
	}
	check(t, packed, text, marks)
}

// A file that is not what the unpacker has seen is not marked.
func TestMarksOfAnother(t *testing.T) {
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := e.EncodeAll(logs(1 << 20)["prose"], nil)
	for _, h := range [][]byte{nil, packed[:20], bytes.Repeat([]byte("a"), len(packed))} {
		m := NewMarker(bytes.NewReader(h), func(Mark) { t.Errorf("a mark in %.10q…", h) })
		for end := int64(1000); end < 10000; end += 1000 {
			m.Block(make([]byte, 1<<17), end)
		}
		m.End()
	}
}

// A mark that is not right, or no longer, is found out before any text is given away.
func TestWrongMarks(t *testing.T) {
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	packed := e.EncodeAll(logs(8 << 20)["figures"], nil)
	text, marks := marked(t, packed, 1<<20)
	r, err := NewReader(maxWindow)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	wrong := 0
	for i, m := range marks {
		if m.primer == nil {
			continue
		}
		m.window = marks[(i+1)%len(marks)].window
		got, err := r.Text(t.Context(), bytes.NewReader(packed), m, m.Text, m.Text+400<<10)
		if err == nil && !bytes.Equal(got, text[m.Text:][:len(got)]) {
			t.Errorf("mark %d: another text", i)
		}
		if errors.Is(err, ErrChanged) {
			wrong++
		}
	}
	if wrong < 4 {
		t.Errorf("%d of %d wrong marks are found out", wrong, len(marks))
	}
}

// scripted is a text of which each two bytes of a script say what comes next: something
// new, or something that was there, and how much of it.
func scripted(script []byte) []byte {
	var text []byte
	for i := 0; i+1 < len(script) && len(text) < 2<<20; i += 2 {
		n := 1 << (script[i+1] % 17)
		if script[i] < 100 || len(text) == 0 {
			random := rand.New(rand.NewPCG(uint64(script[i]), uint64(i)))
			for range n {
				text = append(text, byte(random.UintN(2<<(script[i]%8))))
			}
			continue
		}
		back := min(len(text), 1<<(script[i]%21)+int(script[i]))
		for range n {
			text = append(text, text[len(text)-back])
		}
	}
	return text
}

// packScript packs what a script makes, marks it, and holds the marks against it.
func packScript(t *testing.T, script []byte, how byte) (marks int) {
	t.Helper()
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevel(1+how%4)), zstd.WithWindowSize(1<<(10+how/4%12)), zstd.WithEncoderCRC(how%2 == 0))
	if err != nil {
		t.Fatal(err)
	}
	text := scripted(script)
	packed := e.EncodeAll(text, nil)
	got, all := marked(t, packed, 1<<10)
	if !bytes.Equal(got, text) {
		t.Fatal("another text")
	}
	check(t, packed, text, all)
	return len(all)
}

func TestMarksOfScripts(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	marks := 0
	for range 12 {
		script := make([]byte, 2+random.IntN(400))
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		marks += packScript(t, script, byte(random.Uint32()))
	}
	if marks < 50 {
		t.Errorf("%d marks", marks)
	}
}

func FuzzMarks(f *testing.F) {
	f.Add([]byte("\x03\x90\x81\x22\xff\x10\x07\x07"), byte(1))
	f.Add(bytes.Repeat([]byte("\x80\x05\x13\x37"), 50), byte(6))
	f.Fuzz(func(t *testing.T, script []byte, how byte) { packScript(t, script, how) })
}

// BenchmarkText goes to a mark whose window is of 2 MB.
func BenchmarkText(b *testing.B) {
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(2<<20))
	if err != nil {
		b.Fatal(err)
	}
	packed := e.EncodeAll(logs(16 << 20)["prose"], nil)
	_, marks := marked(b, packed, 1<<20)
	r, err := NewReader(maxWindow)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for n := 0; b.Loop(); n++ {
		m := marks[n%len(marks)]
		if _, err := r.Text(b.Context(), bytes.NewReader(packed), m, m.Text, m.Text+1); err != nil {
			b.Fatal(err)
		}
	}
}
