package loaders

import "testing"

// A path with a scheme is shown as it was given.
func TestFileNames(t *testing.T) {
	for _, c := range []struct{ prefix, rel, name, dir string }{
		{"", "a.jsonl", "a.jsonl", "."},
		{"", "run/a.jsonl", "run/a.jsonl", "run"},
		{"../run/", "x/a.jsonl", "../run/x/a.jsonl", "../run/x"},
		{"/runs/a", "1.jsonl", "/runs/a/1.jsonl", "/runs/a"},
		{"node7:runs/a", "1.jsonl", "node7:runs/a/1.jsonl", "node7:runs/a"},
		{"ssh://me@node7:22/runs/a/", "x/1.jsonl", "ssh://me@node7:22/runs/a/x/1.jsonl", "ssh://me@node7:22/runs/a/x"},
		{"s3://bucket", "1.jsonl", "s3://bucket/1.jsonl", "s3://bucket"},
		{"a/s3://bucket", "1.jsonl", "a/s3:/bucket/1.jsonl", "a/s3:/bucket"},
	} {
		name := joinName(c.prefix, c.rel)
		if name != c.name || dirOfName(name) != c.dir {
			t.Errorf("%q and %q are %q in %q", c.prefix, c.rel, name, dirOfName(name))
		}
	}
	if at := runDirOf("s3://bucket/run/global_step_7/1.jsonl"); at.path != "s3://bucket/run/*" {
		t.Errorf("%q", at.path)
	}
}
