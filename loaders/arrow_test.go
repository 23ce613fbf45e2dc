package loaders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/model"
)

// A Dataset that was saved to disk is read from its folder, and so are the parts of a DatasetDict; what datasets cached beside it is not.
func TestSavedDataset(t *testing.T) {
	w := trainer{t, t.TempDir()}
	data, err := os.ReadFile("compressed/arrowfile/testdata/samples.arrow")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"train/data-00000-of-00001.arrow": string(data), "train/cache-0123456789abcdef.arrow": string(data), "validation/data-00000-of-00001.arrow": string(data),
		"train/state.json": `{"_data_files": [{"filename": "data-00000-of-00001.arrow"}], "_split": "train"}`, "train/dataset_info.json": `{"features": {}}`,
		"dataset_dict.json": `{"splits": ["train", "validation"]}`,
	} {
		if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		w.add(name, text)
	}
	s, all := openAndRead(t, w.dir)
	defer func() { _ = s.Close() }()
	if len(all) != 7 {
		t.Fatal(len(all))
	}
	for i, r := range all {
		if r.Step != int64(i/4+1) || r.Reward != float64(float32(i)/3) || r.Advantage != float64(i%2) {
			t.Errorf("row %d: %+v", i, r)
		}
	}
	last := all[6]
	text, err := s.Text(t.Context(), model.Place{File: last.File, Offset: last.Offset, IndexInLine: last.IndexInLine})
	if err != nil || text.Prompt != "what is 3?\n\"so\" \\ ä😀" || !strings.Contains(text.Response, "6") {
		t.Errorf("%+v, %v", text, err)
	}
}

// A table that is compressed is refused in a sentence.
func TestPackedArrowIsRefused(t *testing.T) {
	s, err := Open([]string{"compressed/arrowfile/testdata/packed.arrow"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	got := drain(t, s)
	if len(got.Records) > 0 || len(got.Problems) != 1 || !strings.HasSuffix(got.Problems[0].String(), "not read: it is compressed: write it without compression, as save_to_disk does") {
		t.Error(len(got.Records), got.Problems)
	}
}
