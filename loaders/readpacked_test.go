package loaders

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"

	"vantage/model"
)

// A log that is packed gives what it gives as it is: the same samples and problems, at the
// same places, in the same order.
func TestPackedLogReadsLikePlain(t *testing.T) {
	t.Parallel()
	log := largeLog(t, 7)
	log = log[:strings.LastIndexByte(log[:6<<20], '\n')]
	var zipped, packed bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, _ = z.Write([]byte(log))
	_ = z.Close()
	e, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = e.Write([]byte(log))
	_ = e.Close()
	w := trainer{t, t.TempDir()}
	read := func(name, text string, serial bool) collected {
		w.add(name, text)
		s, err := Open([]string{w.path(name)}, Options{serial: serial})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		got := drain(t, s)
		for i := range got.Problems {
			got.Problems[i].File = "log"
		}
		return got
	}
	want := read("log.jsonl", log, true)
	for name, text := range map[string]string{"log.jsonl.gz": zipped.String(), "log.jsonl.zst": packed.String()} {
		got := read(name, text, false)
		if diff := cmp.Diff(want.Problems, got.Problems); diff != "" {
			t.Errorf("%s: problems: -plain +packed\n%.2000s", name, diff)
		}
		if len(want.Records) != len(got.Records) || want.Skipped != got.Skipped || want.Provenance != got.Provenance {
			t.Fatalf("%s: %d samples, %d skipped, %q; want %d, %d, %q", name, len(got.Records), got.Skipped, got.Provenance, len(want.Records), want.Skipped, want.Provenance)
		}
		for i := range want.Records {
			want, have := withoutEmptyComponents(want.Records[i]), withoutEmptyComponents(got.Records[i])
			if !cmp.Equal(want, have, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(model.Record{}, "Line")) {
				t.Fatalf("%s, sample %d: -plain +packed\n%s", name, i, cmp.Diff(want, have, cmpopts.EquateNaNs()))
			}
		}
	}
}

// Packed logs without text end.
func TestPackedEmptyLog(t *testing.T) {
	var zipped bytes.Buffer
	_ = gzip.NewWriter(&zipped).Close()
	e, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true))
	if err != nil {
		t.Fatal(err)
	}
	w := trainer{t, t.TempDir()}
	for name, text := range map[string]string{"log.jsonl.gz": zipped.String(), "log.jsonl.zst": string(e.EncodeAll(nil, nil))} {
		w.add(name, text)
		s, all := openAndRead(t, w.path(name))
		if _ = s.Close(); len(all) > 0 {
			t.Errorf("%s: %d samples", name, len(all))
		}
	}
}
