package userfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSave(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	d, err := Open()
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

func TestLoadConfig(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if c, err := LoadConfig(); err != nil || c.Theme != "" {
		t.Errorf("no configuration: %+v, %v", c, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "vantage"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "vantage", "config.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("theme: light\nmouse: true\nkeys:\n  x: q\n")
	if c, err := LoadConfig(); err != nil || c.Theme != "light" || !c.Mouse || c.Keys["x"] != "q" {
		t.Errorf("%+v, %v", c, err)
	}
	write("them: light\n")
	if _, err := LoadConfig(); err == nil || !strings.Contains(err.Error(), "config.yaml is ignored: [1:1] unknown field \"them\"") {
		t.Error(err)
	}
	write(SampleConfig)
	if c, err := LoadConfig(); err != nil || c.Theme != "" || c.Keys != nil {
		t.Errorf("the sample: %+v, %v", c, err)
	}
	write(strings.NewReplacer("# theme", "theme", "# ascii", "ascii", "# mouse", "mouse", "# keys", "keys", "#   x", "  x", "#   n", "  n").Replace(SampleConfig))
	if c, err := LoadConfig(); err != nil || c.Theme != "dark" || !c.ASCII || !c.Mouse || len(c.Keys) != 2 {
		t.Errorf("the sample, all taken: %+v, %v", c, err)
	}
}
