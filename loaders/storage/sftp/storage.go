// Package sftp reads the files of another node through the user's own ssh.
//
// In: a path such as node7:runs/a or ssh://me@node7:2222/data/runs. Out: a [fileio.Storage] that lists and
// reads through `ssh -s node7 sftp`, a program that nearly every sshd starts. How the node is reached and who one is
// there, is ssh's own business: jump hosts, agents, certificates, Kerberos and shared connections are as configured.
// Nothing is written on the node. package storage calls it.
package sftp

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/model"
)

// storage is the files of another node. It implements [fileio.Storage].
type storage struct {
	connection *connection
	longest    time.Duration // that a directory may take to be listed

	mu       sync.Mutex
	files    map[string]*file // by path
	replaced replacements
	trees    map[string]*tree // by the path of their top directory
	asked    map[string]bool  // paths that Stat was asked for
}

// Open returns the storage that a path names, and the path in it. It does not connect. A call waits as long as patience for a
// connection that was lost; ssh may ask on the terminal if that is free.
func Open(path string, patience time.Duration, terminal bool) (fileio.Storage, string, error) {
	t, inner, err := parse(path)
	if err != nil {
		return nil, "", &fileio.Failure{What: "is not a path on another node", Do: err.Error(), Err: err}
	}
	c := &connection{target: t, patience: patience, terminal: terminal && canType(), silence: maxSilence, opening: openTimeout}
	c.ctx, c.cancel = context.WithCancelCause(context.Background())
	return &storage{
		connection: c, longest: longestListing,
		files: map[string]*file{}, replaced: replacements{}, trees: map[string]*tree{}, asked: map[string]bool{},
	}, inner, nil
}

func (s *storage) Name() string { return s.connection.target.name }

func (s *storage) Link() model.Link { return s.connection.link() }

func (s *storage) Close() error {
	s.connection.close()
	return nil
}

// Stat lists the first time what it is asked for as well, in case it is a directory: that
// saves a round trip before the first rows.
func (s *storage) Stat(name string) (fs.FileInfo, error) {
	s.mu.Lock()
	first := !s.asked[name]
	s.asked[name] = true
	s.mu.Unlock()
	if first {
		s.tree(name)
	}
	info, err := s.describe(name)
	if first && (err != nil || !info.Folder) {
		s.mu.Lock()
		delete(s.trees, name)
		s.mu.Unlock()
	}
	if err != nil {
		return nil, err // as of os.Stat, and no Object without values
	}
	return info, nil
}

func (s *storage) describe(name string) (o fileio.Object, err error) {
	err = s.connection.do(func(on *session) error {
		o, err = s.describeIn(on, name)
		return err
	})
	return o, pathError("stat", name, err)
}

func (s *storage) describeIn(on *session, name string) (fileio.Object, error) {
	began, alone := time.Now(), on.waiting.Load() == 1
	info, err := on.Stat(name)
	if err != nil {
		return fileio.Object{}, err
	}
	c, took := s.connection, time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.latency == 0 || took < c.latency {
		c.latency = took
	} else if alone { // else it may have waited for others
		c.latency += (took - c.latency) / 8
	}
	return s.note(object(name, info.Size(), info.ModTime(), info.Mode())), nil
}

func object(name string, size int64, modified time.Time, mode fs.FileMode) fileio.Object {
	o := fileio.Object{Path: name, Bytes: max(0, size), Modified: modified, Folder: mode.IsDir()}
	if !o.Folder {
		o.Special = mode.Type()
	}
	return o
}

// tree returns what is known of a directory and those below it. It begins to list them if nothing is.
func (s *storage) tree(dir string) *tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.trees[dir]
	if t == nil {
		t = newTree(s, dir)
		s.trees[dir] = t
	}
	return t
}

func (s *storage) Tree(dir string) (fs.FS, error) {
	t := s.tree(dir)
	if err := t.refresh(); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *storage) allTrees() []*tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.trees))
}

// WillRead does nothing: what fetches ahead is the cache around this storage.
func (s *storage) WillRead([]string) {}

// list lists a directory that probably has so many entries.
func (s *storage) list(dir string, expected int) (all []fileio.Object, err error) {
	err = s.connection.do(func(on *session) error {
		all, err = on.wire.readDir(dir, expected, s.longest)
		return err
	})
	for i := range all {
		all[i] = s.note(all[i])
	}
	return all, pathError("list", dir, err)
}

// scheme begins paths that are addresses.
const scheme = "ssh://"

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
	open, shut := strings.IndexByte(path, '['), strings.Index(path, "]:")
	if isInBrackets := open >= 0 && open < colon && shut > colon; isInBrackets && !strings.Contains(path[:shut], "/") {
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
		return errors.New("this is not the name of a host; a file of this machine with a colon in its name is ./name")
	}
	return nil
}

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
