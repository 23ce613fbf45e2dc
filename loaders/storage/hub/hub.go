// Package hub reads files of datasets and buckets on the Hugging Face Hub, or a server that speaks its protocol. It never writes.
//
// In: hf://datasets/USER/NAME[@REVISION]/path or hf://buckets/USER/NAME/path, with HF_TOKEN and HF_ENDPOINT of the environment.
// Out: a [vantage/loaders/fileio.Storage]. Package storage calls it. The addresses are those of huggingface_hub 2.4.0,
// hf_api.py: /api/datasets/ID/revision/REV says which commit a revision is, /api/datasets/ID/tree/COMMIT lists it, and
// /datasets/ID/resolve/COMMIT/PATH are the bytes, so that a dataset is read as of one commit.
package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/overhttp"
	"vantage/model"
)

const (
	usualEndpoint = "https://huggingface.co"
	usualRevision = "main"
	askAgain      = 900 * time.Millisecond
)

// Hub is a dataset or a bucket that is read. It implements [fileio.Storage].
type Hub struct {
	endpoint string
	kind     string // "datasets" or "buckets"
	id       string // "USER/NAME"
	revision string // of a dataset
	token    string
	client   *http.Client
	link     *overhttp.Meter
	ctx      context.Context // done when the hub is closed
	cancel   context.CancelFunc

	mu      sync.Mutex
	commit  string // that the files are of; "" in buckets
	files   []fileio.Object
	known   map[string]fileio.Object
	trees   map[string]*fileio.ObjectTree
	checked time.Time
}

// Open returns the dataset or bucket that a path names, and the path in it. It asks nobody; the error is about the path.
func Open(name string) (*Hub, string, error) {
	parts := strings.SplitN(strings.TrimPrefix(name, "hf://"), "/", 4)
	if len(parts) < 3 || parts[1] == "" || parts[2] == "" || parts[0] != "datasets" && parts[0] != "buckets" {
		return nil, "", &fileio.Failure{What: "names no dataset and no bucket", Do: "write hf://datasets/USER/NAME/PATH or hf://buckets/USER/NAME/PATH"}
	}
	project, revision, hasRevision := strings.Cut(parts[2], "@")
	if hasRevision && parts[0] == "buckets" {
		return nil, "", &fileio.Failure{What: "names a revision, and buckets have none", Do: "leave out @" + revision}
	}
	if unescaped, err := url.PathUnescape(revision); err == nil {
		revision = unescaped // refs%2Fconvert%2Fparquet
	}
	h := &Hub{kind: parts[0], id: parts[1] + "/" + project, revision: cmp.Or(revision, usualRevision), token: token()}
	h.endpoint = strings.TrimSuffix(cmp.Or(os.Getenv("HF_ENDPOINT"), usualEndpoint), "/")
	if u, err := url.Parse(h.endpoint); err != nil || u.Host == "" || u.User != nil {
		return nil, "", &fileio.Failure{What: "cannot be asked for: HF_ENDPOINT is no address", Do: "write it as https://HOST"}
	}
	transport, err := overhttp.NewTransport("")
	if err != nil {
		return nil, "", err
	}
	h.link = &overhttp.Meter{Host: "hf://" + h.kind + "/" + h.id, Base: transport}
	h.client = &http.Client{Transport: h.link}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	inner := ""
	if len(parts) == 4 {
		inner = clean(parts[3])
	}
	return h, inner, nil
}

// clean returns a path without slashes around it, "" for the top.
func clean(name string) string { return strings.Trim(path.Clean("/"+name), "/") }

// token returns the person's token, as huggingface_hub finds it; "" if there is none.
func token() string {
	if t := cmp.Or(os.Getenv("HF_TOKEN"), os.Getenv("HUGGING_FACE_HUB_TOKEN")); t != "" {
		return strings.TrimSpace(t)
	}
	home, _ := os.UserHomeDir()
	dir := cmp.Or(os.Getenv("HF_HOME"), filepath.Join(home, ".cache", "huggingface"))
	text, _ := os.ReadFile(cmp.Or(os.Getenv("HF_TOKEN_PATH"), filepath.Join(dir, "token"))) // mostly there is none
	return strings.TrimSpace(string(text))
}

// Name implements [fileio.Storage].
func (h *Hub) Name() string {
	if h.kind == "buckets" {
		return "hf://" + h.kind + "/" + h.id + "/"
	}
	return "hf://" + h.kind + "/" + h.id + "@" + url.PathEscape(h.revision) + "/"
}

// Link implements [fileio.Storage].
func (h *Hub) Link() model.Link { return h.link.Link() }

// WillRead implements [fileio.Storage]: what fetches ahead is the cache around this storage.
func (h *Hub) WillRead([]string) {}

// Close implements [fileio.Storage].
func (h *Hub) Close() error {
	h.cancel()
	return nil
}

// Stat implements [fileio.Storage].
func (h *Hub) Stat(name string) (fs.FileInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.update(); err != nil {
		return nil, err
	}
	name = clean(name)
	if o, ok := h.known[name]; ok {
		return o, nil
	}
	for _, o := range h.files {
		if name == "" || strings.HasPrefix(o.Path, name+"/") {
			return fileio.Object{Path: name, Folder: true}, nil
		}
	}
	return nil, h.nothing()
}

func (h *Hub) nothing() error {
	return &fileio.Failure{What: "is not in " + strings.TrimSuffix(h.Name(), "/"), Do: "check the path, or start the run first", Err: fs.ErrNotExist}
}

// Tree implements [fileio.Storage].
func (h *Hub) Tree(dir string) (fs.FS, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.update(); err != nil {
		return nil, err
	}
	prefix := ""
	if dir = clean(dir); dir != "" {
		prefix = dir + "/"
	}
	if h.trees[prefix] == nil {
		h.trees[prefix] = fileio.NewObjectTree(prefix, h.files)
	}
	return h.trees[prefix], nil
}

// Open implements [fileio.Storage]. It asks nothing if the file was listed.
func (h *Hub) Open(name string) (fileio.Handle, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checked.IsZero() {
		if err := h.update(); err != nil {
			return nil, err
		}
	}
	o, ok := h.known[clean(name)]
	if !ok {
		return nil, h.nothing()
	}
	return &handle{hub: h, object: o, commit: h.commit}, nil
}

const (
	maxFiles  = 200_000  // of a listing: a mistyped path may be a whole dataset
	maxAnswer = 64 << 20 // bytes of a page
	maxIdle   = 100      // pages in a row without a file: that is a listing without end
)

// entry is a file or directory as the tree API lists it.
type entry struct {
	Type string `json:"type"` // "file" or "directory"
	Path string `json:"path"`
	Size int64  `json:"size"`
	OID  string `json:"oid"`
	LFS  *struct {
		OID string `json:"oid"`
	} `json:"lfs"`
	XetHash    string    `json:"xetHash"`
	UploadedAt time.Time `json:"uploadedAt"` // in buckets
	MTime      time.Time `json:"mtime"`
}

// revisionInfo is the commit that a revision is now.
type revisionInfo struct {
	SHA          string    `json:"sha"`
	LastModified time.Time `json:"lastModified"`
}

// update lists the files, if they may have changed since: of a dataset only if the revision is another commit now. The lock
// is held.
func (h *Hub) update() error {
	if time.Since(h.checked) < askAgain {
		return nil
	}
	if h.kind == "buckets" {
		return h.list(fmt.Sprintf("/api/buckets/%s/tree?recursive=true", h.id), "", time.Time{})
	}
	var now revisionInfo
	if _, err := h.ask(h.endpoint+fmt.Sprintf("/api/datasets/%s/revision/%s", h.id, url.PathEscape(h.revision)), &now); err != nil {
		return err
	}
	if now.SHA == "" {
		return &fileio.Failure{What: "cannot be read: " + h.endpoint + " does not say which commit " + h.revision + " is", Do: "check HF_ENDPOINT"}
	}
	if now.SHA == h.commit {
		h.checked = time.Now()
		return nil
	}
	return h.list(fmt.Sprintf("/api/datasets/%s/tree/%s?recursive=true", h.id, now.SHA), now.SHA, now.LastModified)
}

// list lists all files. The lock is held.
func (h *Hub) list(address, commit string, modified time.Time) error {
	var files []fileio.Object
	idle := 0
	for next := h.endpoint + address; next != ""; {
		var page []entry
		link, err := h.ask(next, &page)
		if err != nil {
			return err
		}
		idle++
		for _, e := range page {
			if e.Type == "file" {
				files, idle = append(files, e.object(modified)), 0
			}
		}
		if idle > maxIdle {
			return &fileio.Failure{What: "cannot be listed whole: " + h.endpoint + " names pages without end", Do: "check HF_ENDPOINT"}
		}
		if len(files) > maxFiles {
			return &fileio.Failure{What: fmt.Sprintf("has more than %d files", maxFiles), Do: "give the files of the run a dataset of their own"}
		}
		if next = nextPage(link); next != "" && !strings.HasPrefix(next, h.endpoint+"/") {
			return &fileio.Failure{What: "cannot be listed: the next page is on another server than " + h.endpoint, Do: "set HF_ENDPOINT to that server if it is yours"}
		}
	}
	h.files, h.known, h.trees = files, map[string]fileio.Object{}, map[string]*fileio.ObjectTree{}
	for _, o := range files {
		h.known[o.Path] = o
	}
	h.commit, h.checked = commit, time.Now()
	return nil
}

func (e entry) object(modified time.Time) fileio.Object {
	o := fileio.Object{Path: e.Path, Bytes: max(0, e.Size), Modified: modified, Version: cmp.Or(e.XetHash, e.OID)}
	if e.LFS != nil {
		o.Version = cmp.Or(e.LFS.OID, o.Version)
	}
	if modified.IsZero() {
		o.Modified = e.UploadedAt
		if o.Modified.IsZero() {
			o.Modified = e.MTime
		}
	}
	return o
}

// ask asks for an object of JSON, and returns the header that names the next page.
func (h *Hub) ask(address string, answer any) (link string, err error) {
	response, cancel, err := h.get(address, "")
	if err != nil {
		return "", err
	}
	defer cancel()
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", h.refusal(response)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxAnswer)).Decode(answer); err != nil {
		return "", &fileio.Failure{What: "cannot be listed: the answer of " + h.endpoint + " is not that of a hub", Do: "check HF_ENDPOINT", Err: err}
	}
	return response.Header.Get("Link"), nil
}

// nextPage returns the address in <address>; rel="next", "" if there is none.
func nextPage(link string) string {
	for part := range strings.SplitSeq(link, ",") {
		address, rel, _ := strings.Cut(strings.TrimSpace(part), ">")
		if strings.Contains(rel, `rel="next"`) {
			return strings.TrimPrefix(address, "<")
		}
	}
	return ""
}

const (
	requestTimeout = time.Minute
	maxAttempts    = 3
)

// handle reads a file as it was listed. It implements [fileio.Handle].
type handle struct {
	hub    *Hub
	object fileio.Object
	commit string
	offset int64 // of Read
}

// Stat implements [fileio.Handle].
func (f *handle) Stat() (os.FileInfo, error) { return f.object, nil }

// Close implements [fileio.Handle].
func (f *handle) Close() error { return nil }

// Read implements [fileio.Handle].
func (f *handle) Read(p []byte) (int, error) {
	n, err := f.ReadAt(p, f.offset)
	f.offset += int64(n)
	return n, err
}

// ReadAt implements [fileio.Handle], with one request.
func (f *handle) ReadAt(p []byte, offset int64) (n int, err error) {
	rest := f.object.Bytes - offset
	if rest <= 0 {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), rest)]
	for range maxAttempts {
		if n, err = f.readRange(want, offset); err == nil || !fileio.IsLost(err) {
			break
		}
	}
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

func (f *handle) readRange(p []byte, offset int64) (int, error) {
	path := url.PathEscape(f.object.Path)
	at := "/buckets/" + f.hub.id + "/resolve/" + path
	if f.hub.kind == "datasets" {
		at = "/datasets/" + f.hub.id + "/resolve/" + f.commit + "/" + strings.ReplaceAll(path, "%2F", "/")
	}
	last := offset + int64(len(p)) - 1
	response, cancel, err := f.hub.get(f.hub.endpoint+at, fmt.Sprintf("bytes=%d-%d", offset, last))
	if err != nil {
		return 0, err
	}
	defer cancel()
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return 0, replaced
	case response.StatusCode == http.StatusPartialContent:
		if want := fmt.Sprintf("bytes %d-%d/%d", offset, last, f.object.Bytes); response.Header.Get("Content-Range") != want {
			return 0, replaced // it has another size now
		}
	case response.StatusCode != http.StatusOK:
		return 0, f.hub.refusal(response)
	case offset > 0 || response.ContentLength >= 0 && response.ContentLength != f.object.Bytes:
		return 0, &fileio.Failure{What: "cannot be read: " + f.hub.endpoint + " ignores ranges of bytes", Do: "check whether a proxy stands before it"}
	}
	n, err := io.ReadFull(response.Body, p)
	if err != nil {
		return 0, overhttp.Failure(err, f.hub.endpoint)
	}
	return n, nil
}

var replaced = &fileio.Failure{What: "was replaced while it was read", Do: "read it again when it is written", Replaced: true}

// get makes a request. The token goes to the hub and, as net/http sees to, not to where it redirects.
func (h *Hub) get(address, bytes string) (*http.Response, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(h.ctx, requestTimeout)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		cancel()
		return nil, nil, &fileio.Failure{What: "cannot be asked for", Do: "check the path", Err: err}
	}
	request.Header.Set("User-Agent", "vantage")
	request.Header.Set("Accept-Encoding", "identity")
	if h.token != "" {
		request.Header.Set("Authorization", "Bearer "+h.token)
	}
	if bytes != "" {
		request.Header.Set("Range", bytes)
	}
	response, err := h.client.Do(request)
	if err != nil {
		cancel()
		return nil, nil, overhttp.Failure(err, h.endpoint)
	}
	return response, cancel, nil
}

// refusal says why the hub does not give what was asked for.
func (h *Hub) refusal(r *http.Response) error {
	f := &fileio.Failure{Err: errors.New(r.Status)}
	code := r.Header.Get("X-Error-Code")
	switch s := r.StatusCode; {
	case code == "GatedRepo":
		f.What, f.Do, f.Err = "is gated", "accept its terms on "+h.endpoint+", and set HF_TOKEN", fs.ErrPermission
	case code == "RevisionNotFound":
		f.What, f.Do, f.Err = "has no revision "+h.revision, "check what stands after @", fs.ErrNotExist
	case code == "EntryNotFound":
		return h.nothing()
	case s == http.StatusUnauthorized && h.token == "":
		f.What, f.Do, f.Err = "is private, or does not exist at "+h.endpoint, "check its name, and set HF_TOKEN if it is private", fs.ErrPermission
	case s == http.StatusUnauthorized:
		f.What, f.Do, f.Err = "is refused: the token is not valid at "+h.endpoint+", or does not reach it", "check HF_TOKEN, or `hf auth login` again", fs.ErrPermission
	case s == http.StatusForbidden:
		f.What, f.Do, f.Err = "may not be read with this token", "ask its owner for access, and let the token read it", fs.ErrPermission
	case s == http.StatusNotFound:
		f.What, f.Do, f.Err = "does not exist at "+h.endpoint+", or this token may not see it", "check its name, and HF_TOKEN", fs.ErrNotExist
	case s == http.StatusTooManyRequests || s >= 500:
		f.What, f.Do, f.Lost = "cannot be read now: "+h.endpoint+" answers "+r.Status, "read it again in a minute", true
	default:
		f.What, f.Do = "cannot be read from "+h.endpoint, "it answers "+r.Status
	}
	return f
}
