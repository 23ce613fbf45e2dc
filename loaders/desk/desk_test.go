package desk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSave(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	d, err := New()
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"groups-1.tsv", "groups-2.tsv"} {
		path, err := d.Save("../groups.tsv", []byte{byte(n)})
		if err != nil || path != filepath.Join(state, "vantage", want) {
			t.Errorf("%s, %v", path, err)
		}
		if data, err := os.ReadFile(path); err != nil || len(data) != 1 || data[0] != byte(n) {
			t.Errorf("%v, %v", data, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}
