package sftp

import (
	"slices"
	"testing"
)

// What scp takes for another host is one; addresses of other storages, and paths of this machine, are not.
func TestNames(t *testing.T) {
	for path, want := range map[string]bool{
		"node7:runs/a": true, "me@node7:/data/run:1": true, "node7:": true, "[::1]:x": true, "me@[fe80::1%eth0]:x": true, "ssh://node7/data": true,
		"node7:~/x": true, "n:x": true, "-oProxyCommand=id:x": true,
		"runs/a": false, "./node7:x": false, "runs/a:b": false, "/a:b": false, ":x": false, "s3://bucket/x": false, "http://node7/x": false, "hf://datasets/x": false,
		`C:\logs`: false, "-": false, "": false,
	} {
		if Names(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

func TestParse(t *testing.T) {
	for path, want := range map[string][5]string{ // name, host, port, path, short name
		"node7:runs/a":                        {"node7:", "node7", "", "runs/a", "node7"},
		"node7:":                              {"node7:", "node7", "", ".", "node7"},
		"node7:~":                             {"node7:", "node7", "", ".", "node7"},
		"node7:~/runs//a/":                    {"node7:", "node7", "", "runs/a", "node7"},
		"me@node7:/data/run:1":                {"me@node7:", "me@node7", "", "/data/run:1", "node7"},
		"[::1]:x":                             {"[::1]:", "::1", "", "x", "::1"},
		"me@[::1]:/x":                         {"me@[::1]:", "me@::1", "", "/x", "::1"},
		"me@corp@node7:x":                     {"me@corp@node7:", "me@corp@node7", "", "x", "node7"},
		"ssh://node7":                         {"ssh://node7/", "node7", "", ".", "node7"},
		"ssh://node7/":                        {"ssh://node7/", "node7", "", "/", "node7"},
		"ssh://node7/~/runs":                  {"ssh://node7/", "node7", "", "runs", "node7"},
		"ssh://me@node7:2222/data/my%20runs/": {"ssh://me@node7:2222/", "me@node7", "2222", "/data/my runs", "node7"},
		"ssh://[::1]:22/x":                    {"ssh://[::1]:22/", "::1", "22", "/x", "::1"},
	} {
		got, inner, err := parse(path)
		if have := [5]string{got.name, got.host, got.port, inner, got.shortName()}; err != nil || have != want {
			t.Errorf("%s: %q, %v", path, have, err)
		}
	}
}

// No path makes ssh, or a shell that its configuration starts, run something.
func TestHostIsNoOption(t *testing.T) {
	for _, path := range []string{
		"-oProxyCommand=id:x", "-F:x", "me@-F:x", "me@corp@-F:x", "-l@node7:x", "ssh://-oProxyCommand=id/x", "ssh://-F@node7/x", "node7;id:x", "$(id):x", "`id`:x", "a b:x", "a\nb:x", "a|b:x",
		"@node7x'y:x", "me@:x", "ssh:///x", "ssh://me:secret@node7/x", "ssh://node7/x?a=b", "ssh://node7:port/x",
	} {
		if got, _, err := parse(path); err == nil {
			t.Errorf("%q is taken for the host %q", path, got.host)
		}
	}
	args := target{host: "node7", port: "2222"}.sshArgs(false)
	if i := slices.Index(args, "--"); i < 0 || !slices.Equal(args[i:], []string{"--", "node7", "sftp"}) || !slices.Contains(args, "-oBatchMode=yes") {
		t.Errorf("%q", args)
	}
}
