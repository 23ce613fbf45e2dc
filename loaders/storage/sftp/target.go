package sftp

import (
	"errors"
	"net/url"
	"path"
	"strings"
)

// scheme begins paths that are addresses.
const scheme = "ssh://"

// target is the account on another node that a path names.
type target struct {
	name string // what is written before paths: "me@node7:" or "ssh://me@node7:2222/"
	host string // as ssh takes it: with the user, without the port
	port string // "" for that of ssh's configuration
}

// Names reports whether a path names a file of another node: it is an address of ssh, or a colon stands before its first
// slash, as for scp. C:\logs is none.
func Names(path string) bool {
	if strings.HasPrefix(path, scheme) {
		return true
	}
	host, rest, ok := cutHost(path)
	return ok && !strings.HasPrefix(rest, "//") && (len(host) > 1 || !strings.HasPrefix(rest, `\`))
}

// cutHost cuts host:path, where the host may be an address in brackets.
func cutHost(path string) (host, rest string, ok bool) {
	colon := strings.IndexByte(path, ':')
	if open, shut := strings.IndexByte(path, '['), strings.Index(path, "]:"); open >= 0 && open < colon && shut > colon && !strings.Contains(path[:shut], "/") {
		colon = shut + 1
	}
	if colon <= 0 || strings.Contains(path[:colon], "/") {
		return "", "", false
	}
	return path[:colon], path[colon+1:], true
}

// parse returns the target of a path, and the path there: from the home directory if it is not absolute.
func parse(text string) (target, string, error) {
	if strings.HasPrefix(text, scheme) {
		return parseAddress(text)
	}
	host, inner, _ := cutHost(text)
	t := target{name: host + ":", host: host}
	if user, address, ok := strings.Cut(host, "["); ok {
		t.host = user + strings.TrimSuffix(address, "]")
	}
	return t, fromHome(inner), t.check()
}

// parseAddress parses ssh://user@host:port/path, whose path is absolute; that of ssh://host/~/path is from the home
// directory.
func parseAddress(text string) (target, string, error) {
	u, err := url.Parse(text)
	if err != nil || u.RawQuery != "" || u.Fragment != "" {
		return target{}, "", errors.New("an address has the form ssh://user@host:port/path")
	}
	if _, ok := u.User.Password(); ok {
		return target{}, "", errors.New("ssh takes no password from an address: leave it out, and use a key")
	}
	t := target{name: scheme + u.Host + "/", host: u.Hostname(), port: u.Port()}
	if user := u.User.Username(); user != "" {
		t.name, t.host = scheme+user+"@"+u.Host+"/", user+"@"+u.Hostname()
	}
	inner := u.Path
	if strings.HasPrefix(inner, "/~") {
		inner = inner[1:]
	}
	return t, fromHome(inner), t.check()
}

// fromHome returns a path for the server, which begins in the home directory.
func fromHome(inner string) string {
	if inner == "~" || strings.HasPrefix(inner, "~/") {
		inner = strings.TrimLeft(inner[1:], "/")
	}
	return path.Clean(inner)
}

// check refuses a host that ssh or a program that ssh starts could take for something else than a name.
func (t target) check() error {
	user, host := t.cutUser()
	switch {
	case host == "":
		return errors.New("it has no host: write host:path")
	case strings.HasPrefix(host, "-"), strings.HasPrefix(user, "-"), strings.ContainsFunc(t.host, isUnfit):
		return errors.New("this is no name of a host; a file of this machine with a colon in its name is ./name")
	}
	return nil
}

// isUnfit reports whether a character has a meaning for shells, or is not printed.
func isUnfit(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("'`\"$\\;&<>|(){}*?!#~", r)
}

// shortName is the host as a person knows it, without user and port.
func (t target) shortName() string {
	_, host := t.cutUser()
	return host
}

// cutUser cuts user@host as ssh does, at the last @: the name of a user may hold one.
func (t target) cutUser() (user, host string) {
	at := strings.LastIndexByte(t.host, '@')
	return t.host[:max(at, 0)], t.host[at+1:]
}
