package loaders

import (
	"path/filepath"
	"strings"
)

// joinName returns the name of a file below a path that a person gave. Unlike [filepath.Join] it keeps the :// of a storage's path.
func joinName(prefix, rel string) string {
	scheme, rest := cutScheme(prefix)
	return scheme + filepath.Join(rest, rel)
}

// dirOfName returns the directory of a file's name. Unlike [filepath.Dir] it keeps the :// of a storage's path.
func dirOfName(name string) string {
	scheme, rest := cutScheme(name)
	return scheme + filepath.Dir(rest)
}

// cutScheme cuts off "s3://", "" if the name has no such start.
func cutScheme(name string) (scheme, rest string) {
	const end = "://"
	if at := strings.Index(name, end); at > 0 && !strings.ContainsAny(name[:at], `/\.`) {
		return name[:at+len(end)], name[at+len(end):]
	}
	return "", name
}
