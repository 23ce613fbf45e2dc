package bucket_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/buckettest"
)

// Every command that takes a log takes one in a bucket, and prints the same.
func TestCommandsTakeABucket(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs the program as a process of its own")
	}
	server := buckettest.Start(t)
	useKeys(t, "http://"+server.Host)
	bin := filepath.Join(t.TempDir(), "vantage")
	build := exec.Command("go", "build", "-o", bin, "vantage")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "HOME="+originalHome)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files := map[string]string{}
	for s := 1; s <= 6; s++ { // one after the other, as a trainer: an order of times that is not that of the steps is noted
		name, text := string(rune('0'+s))+".jsonl", step(s, 8, 50)
		files[name] = text
		server.Put(t, "runs", "commands/"+name, text)
	}
	dir := write(t, files)
	run := func(args ...string) string {
		cmd := exec.Command(bin, args...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			out = append(out, err.Error()...)
		}
		return string(out)
	}
	for _, command := range []string{
		"report PATH --format csv", "export PATH --format jsonl", "check PATH", "match PATH", "sweep PATH", "compare PATH PATH", "steps PATH",
		"summary PATH", "groupsize PATH",
	} {
		there := "s3://runs/commands"
		want := run(strings.Fields(strings.ReplaceAll(command, "PATH", dir))...)
		got := run(strings.Fields(strings.ReplaceAll(command, "PATH", there))...)
		if plain(want, dir) != plain(got, there) {
			t.Errorf("%s:\n%s\nwant\n%s", command, got, want)
		}
		if len(want) < 40 {
			t.Errorf("%s printed %q", command, want)
		}
	}
}

// originalHome is where Go's caches are: tests set another.
var originalHome = os.Getenv("HOME")

// plain removes what differs: the path, and when the files were written.
func plain(text, path string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(text, path, "PATH")) {
		if !strings.Contains(line, "written") && !strings.Contains(line, "writing") && !strings.Contains(line, "last row") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}
