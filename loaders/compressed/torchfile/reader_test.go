package torchfile

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

// What torch wrote is read: make.py says what is in the files.
func TestFilesOfTorch(t *testing.T) {
	rewards := []string{"0.5", "1.25", "-0.5", "1", "true", "2", "null", "NaN"}
	for _, name := range []string{"protocol2.pt", "protocol5.pt"} {
		lines := linesOf(t, name)
		if len(lines) != len(rewards) {
			t.Fatalf("%s: %d lines", name, len(lines))
		}
		for i, line := range lines {
			if want := `"reward":` + rewards[i] + `,"weight_versions":["1"],`; !strings.Contains(line, want) {
				t.Errorf("%s: %s\nwant %s", name, line, want)
			}
			var got map[string]any
			if err := json.Unmarshal([]byte(strings.ReplaceAll(line, "NaN", "null")), &got); err != nil {
				t.Fatalf("%s: %v: %s", name, err, line)
			}
			for key, want := range map[string]any{
				"step": 3.0, "group_index": float64(i / 4), "index": float64(i), "prompt": fmt.Sprintf("What is %d + \"é\"?\n", i/4),
				"response": fmt.Sprintf("answer %d \x1b[31m🙂\t\\", i), "response_length": 200.0, "label": fmt.Sprint(i / 4), "remove_sample": false,
				"rollout_routed_experts": "<torch._utils._rebuild_tensor_v2>", "tokens": nil, "loss_mask": nil, "rollout_log_probs": nil,
			} {
				if got[key] != want {
					t.Errorf("%s: %s is %#v, want %#v", name, key, got[key], want)
				}
			}
		}
	}
}

// A call in a pickle is data: Python would end here.
func TestNothingIsRun(t *testing.T) {
	lines := linesOf(t, "code.pt")
	if len(lines) != 1 || !strings.Contains(lines[0], `"metadata":{"x":"<__builtin__.exec>"}`) {
		t.Errorf("%q", lines)
	}
}

// A file that is cut off, as while it is written, says so wherever it ends before its pickle does.
func TestCutFiles(t *testing.T) {
	whole := read(t, "protocol2.pt")
	for n := 0; n < len(whole); n += 97 {
		out, err := io.ReadAll(NewReader(strings.NewReader(string(whole[:n]))))
		if err != nil && (!errors.Is(err, io.ErrUnexpectedEOF) || len(out) > 0) || err == nil && strings.Count(string(out), "\n") != 8 {
			t.Fatalf("cut at %d: %v, %d bytes", n, err, len(out))
		}
	}
}

// What wants too much, or is no rollout, is refused with a reason, at little cost.
func TestHostilePickles(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(256 << 20)) // so that little text is much
	const sample = "}X\x07\x00\x00\x00samples]"
	for name, c := range map[string]struct{ pickle, want string }{
		"a text of 4 GB":            {"X\xff\xff\xff\xff", "a text of 4095 MB"},
		"a text of 2^63 bytes":      {"\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", "a text of"},
		"a number of 2 GB":          {"\x8b\xff\xff\xff\x7f", "a number of 2147483647 bytes"},
		"memory of the last":        {"Nr\xff\xff\xff\xff", "more values"},
		"memory of a far one":       {"Nr\xff\xff\x00\x00", "does not number its memo"},
		"memory that is not there":  {"h\x05", "is not there"},
		"nothing to end with":       {".", "is not there"},
		"a value below a mark":      {"N(.", "is not there"},
		"items without a mark":      {"]e", "is not there"},
		"a mark too far":            {"N(0.", "is not there"},
		"a key without a value":     {"}(Nu.", "is not there"},
		"marks without end":         {strings.Repeat("(", maxStack+2), "more values"},
		"values without end":        {strings.Repeat("N", maxStack+2), "more values"},
		"an unknown instruction":    {"\xff", "byte 0xff is not an instruction"},
		"a name without end":        {"c" + strings.Repeat("x", 2000), "a name of more than"},
		"a number that is none":     {"Ix\n", "is not a number"},
		"keys that are no text":     {"}X\x07\x00\x00\x00samples](}X\x01\x00\x00\x00x](}(" + strings.Repeat("KKN", 20000) + "uq\x00" + strings.Repeat("h\x00", 5000) + "esee.", ""},
		"a number":                  {"K\x01.", "without the samples of a rollout"},
		"a list in itself":          {sample + "}X\x01\x00\x00\x00x]q\x00h\x00asas.", "more than 64 deep"},
		"a list of lists":           {sample + "}X\x01\x00\x00\x00x" + strings.Repeat("]", 100) + strings.Repeat("a", 99) + "sas.", "more than 64 deep"},
		"a sample that doubles":     {sample + "}X\x01\x00\x00\x00x" + doubling(40) + "sas.", "a sample of more than 64 MB"},
		"a call of a call":          {"cos\nsystem\n(tR(tR.", "without the samples"},
		"a class of a long name":    {"X\xff\xff\x00\x00" + strings.Repeat("x", 0xffff) + "q\x00" + strings.Repeat("h\x00h\x00\x93", 1000) + ".", "a name of more than"},
		"a text encoded again":      {"X\x00\x00\x10\x00" + strings.Repeat("x", 1<<20) + "q\x00c_codecs\nencode\nq\x01" + strings.Repeat("h\x01h\x00\x85R", 1000) + ".", "more text"},
		"a number of a long text":   {"X\x00\x00\x10\x00" + strings.Repeat("x", 1<<20) + "q\x00cnumpy.core.multiarray\nscalar\nq\x01cnumpy\ndtype\n(X\x02\x00\x00\x00f8tRq\x02" + strings.Repeat("h\x01h\x02h\x00\x86R0", 20000) + "N.", "without the samples"},
		"a call of nothing":         {"(o.", "is not there"},
		"a class of other things":   {"NN\x93.", "without the samples"},
		"an instance":               {"(X\x02\x00\x00\x00rmios\nsystem\n.", "without the samples"},
		"a persistent object":       {"Ps\n.", "without the samples"},
		"a dict with a list as key": {sample + "}]Nsas.", "EOF"},
	} {
		_, err := io.Copy(io.Discard, NewReader(strings.NewReader(zipped(c.pickle))))
		switch {
		case c.want == "EOF" && err == nil:
		case err == nil || !errors.Is(err, fileio.ErrNotRead) && !errors.Is(err, io.ErrUnexpectedEOF):
			t.Errorf("%s: %v", name, err)
		case c.want == "" || c.want == "EOF":
		case !strings.Contains(err.Error(), c.want):
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// Zip files of others, and other files of torch, are told apart.
func TestOtherFiles(t *testing.T) {
	for text, want := range map[string]string{
		"PK\x03\x04" + strings.Repeat("\x00", 22) + "\x01\x00\x00\x00a" + strings.Repeat("hello ", 9): "not of torch.save",
		"PK\x03\x04" + strings.Repeat("\x00", 4):                                                      "unexpected EOF",
		strings.Repeat("x", 100):                                                                      "not of torch.save",
		string(read(t, "weights.pt")):                                                                 "without the samples of a rollout",
	} {
		if _, err := io.Copy(io.Discard, NewReader(strings.NewReader(text))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}

// No bytes make it panic, and each error is one that the program explains.
func FuzzReader(f *testing.F) {
	for _, name := range []string{"protocol2.pt", "protocol5.pt", "code.pt", "weights.pt"} {
		f.Add(string(read(f, name)[64:]))
	}
	f.Add("}X\x07\x00\x00\x00samples]}X\x01\x00\x00\x00x" + doubling(9) + "sas.")
	f.Fuzz(func(t *testing.T, pickle string) {
		out, err := io.ReadAll(io.LimitReader(NewReader(strings.NewReader(zipped(pickle))), 1<<20))
		if err != nil && !errors.Is(err, fileio.ErrNotRead) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
		if len(out) > 0 && !strings.HasPrefix(string(out), `{"step":`) {
			t.Errorf("%.100q", out)
		}
	})
}

// doubling is a pickle of a list that holds one list twice, and so on: 2^n of the innermost.
func doubling(n int) string {
	p := "]"
	for i := range n {
		p += "q" + string([]byte{byte(i)}) + "0" + strings.Repeat("h"+string([]byte{byte(i)}), 2) + "\x86"
	}
	return p
}

// zipped returns a pickle as torch.save's zip file begins.
func zipped(pickle string) string {
	head := make([]byte, headerSize)
	copy(head, localHeader)
	binary.LittleEndian.PutUint16(head[26:], uint16(len("a"+pickleName)))
	return string(head) + "a" + pickleName + pickle
}

func read(tb testing.TB, name string) []byte {
	tb.Helper()
	return filetest.Read(tb, filepath.Join("testdata", name))
}

func linesOf(t *testing.T, name string) []string {
	t.Helper()
	text, err := io.ReadAll(NewReader(strings.NewReader(string(read(t, name)))))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
