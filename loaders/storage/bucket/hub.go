package bucket

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
	"path/filepath"
	"strings"
	"sync"
	"time"

	"vantage/loaders/fileio"
)

// hub is a dataset or a bucket on the Hugging Face Hub, or on a server that speaks its protocol. It implements
// [fileio.Storage]. The addresses are those of huggingface_hub 2.4.0, hf_api.py: /api/datasets/ID/revision/REV says which
// commit a revision is, /api/datasets/ID/tree/COMMIT lists it, and /datasets/ID/resolve/COMMIT/PATH are the bytes, so that a
// dataset is read as of one commit.
type hub struct {
	*server
	endpoint string
	kind     string // "datasets" or "buckets"
	id       string // "USER/NAME"
	revision string // of a dataset
	token    string
	client   *http.Client

	mu      sync.Mutex
	commit  string // that the files are of; "" in buckets
	files   []fileio.Object
	known   map[string]fileio.Object // by path
	trees   map[string]*fileio.ObjectTree
	checked time.Time
}

// OpenHub returns the dataset or bucket that hf://datasets/USER/NAME[@REVISION]/PATH or hf://buckets/USER/NAME/PATH names, and
// the path in it. It asks nobody; the error is about the path.
func OpenHub(disk *fileio.Disk, name string) (fileio.Storage, string, error) {
	parts := strings.SplitN(strings.TrimPrefix(name, "hf://"), "/", 4)
	if len(parts) < 3 || parts[1] == "" || parts[2] == "" || parts[0] != "datasets" && parts[0] != "buckets" {
		return nil, "", &fileio.Failure{
			What: "names no dataset and no bucket", Do: "write hf://datasets/USER/NAME/PATH or hf://buckets/USER/NAME/PATH",
		}
	}
	project, revision, hasRevision := strings.Cut(parts[2], "@")
	if hasRevision && parts[0] == "buckets" {
		return nil, "", &fileio.Failure{What: "names a revision, and buckets have none", Do: "leave out @" + revision}
	}
	if unescaped, err := url.PathUnescape(revision); err == nil {
		revision = unescaped // refs%2Fconvert%2Fparquet
	}
	h := &hub{kind: parts[0], id: parts[1] + "/" + project, revision: cmp.Or(revision, "main"), token: hubToken(disk)}
	h.endpoint = strings.TrimSuffix(cmp.Or(os.Getenv("HF_ENDPOINT"), "https://huggingface.co"), "/")
	if u, err := url.Parse(h.endpoint); err != nil || u.Host == "" || u.User != nil {
		return nil, "", &fileio.Failure{What: "cannot be asked for: HF_ENDPOINT is not an address", Do: "write it as https://HOST"}
	}
	var err error
	if h.server, err = newServer(disk, "hf://"+h.kind+"/"+h.id, "", 0); err != nil {
		return nil, "", err
	}
	h.client = &http.Client{Transport: h.server}
	inner := ""
	if len(parts) == 4 {
		inner = cleanKey(parts[3])
	}
	return h, inner, nil
}

// hubToken returns the person's token, as huggingface_hub finds it; "" if there is none.
func hubToken(disk *fileio.Disk) string {
	if t := cmp.Or(os.Getenv("HF_TOKEN"), os.Getenv("HUGGING_FACE_HUB_TOKEN")); t != "" {
		return strings.TrimSpace(t)
	}
	home, _ := os.UserHomeDir()
	dir := cmp.Or(os.Getenv("HF_HOME"), filepath.Join(home, ".cache", "huggingface"))
	text, _ := disk.ReadFile(cmp.Or(os.Getenv("HF_TOKEN_PATH"), filepath.Join(dir, "token"))) // mostly there is none
	return strings.TrimSpace(string(text))
}

func (h *hub) Name() string {
	if h.kind == "buckets" {
		return h.name + "/"
	}
	return h.name + "@" + url.PathEscape(h.revision) + "/"
}

func (h *hub) Stat(name string) (fs.FileInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.update(); err != nil {
		return nil, err
	}
	name = cleanKey(name)
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

func (h *hub) nothing() error {
	return &fileio.Failure{
		What: "is not in " + strings.TrimSuffix(h.Name(), "/"), Do: "check the path, or start the run first", Err: fs.ErrNotExist,
	}
}

func (h *hub) Tree(dir string) (fs.FS, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.update(); err != nil {
		return nil, err
	}
	prefix := prefixOf(cleanKey(dir))
	if h.trees[prefix] == nil {
		h.trees[prefix] = fileio.NewObjectTree(prefix, h.files)
	}
	return h.trees[prefix], nil
}

// Open asks nothing if the file was listed.
func (h *hub) Open(name string) (fileio.Handle, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checked.IsZero() {
		if err := h.update(); err != nil {
			return nil, err
		}
	}
	o, ok := h.known[cleanKey(name)]
	if !ok {
		return nil, h.nothing()
	}
	commit := h.commit
	return fileio.NewRanged(o, func(p []byte, offset int64) (int, error) {
		ask := func(p []byte, offset int64) (int, error) { return h.readFile(o, commit, p, offset) }
		return readRange(p, offset, ask)
	}), nil
}

type hubEntry struct {
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

// object describes a file, which was changed with its commit, or, in a bucket, by itself.
func (e hubEntry) object(commit time.Time) fileio.Object {
	o := fileio.Object{
		Path: e.Path, Bytes: max(0, e.Size), Modified: cmp.Or(commit, e.UploadedAt, e.MTime), Version: cmp.Or(e.XetHash, e.OID),
	}
	if e.LFS != nil {
		o.Version = cmp.Or(e.LFS.OID, o.Version)
	}
	return o
}

// update lists the files, if they may have changed since: of a dataset only if the revision is another commit now. The lock
// is held.
func (h *hub) update() error {
	if time.Since(h.checked) < askAgain {
		return nil
	}
	if h.kind == "buckets" {
		return h.list(fmt.Sprintf("/api/buckets/%s/tree?recursive=true", h.id), "", time.Time{})
	}
	var now struct {
		SHA          string    `json:"sha"`
		LastModified time.Time `json:"lastModified"`
	}
	if _, err := h.ask(h.endpoint+fmt.Sprintf("/api/datasets/%s/revision/%s", h.id, url.PathEscape(h.revision)), &now); err != nil {
		return err
	}
	if now.SHA == "" {
		return &fileio.Failure{
			What: "cannot be read: " + h.endpoint + " does not name the commit of " + h.revision, Do: "check HF_ENDPOINT",
		}
	}
	if now.SHA == h.commit {
		h.checked = time.Now()
		return nil
	}
	return h.list(fmt.Sprintf("/api/datasets/%s/tree/%s?recursive=true", h.id, now.SHA), now.SHA, now.LastModified)
}

// list lists all files. The lock is held.
func (h *hub) list(address, commit string, modified time.Time) error {
	var files []fileio.Object
	idle := 0
	for next := h.endpoint + address; next != ""; {
		var page []hubEntry
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
		if idle > maxIdlePages {
			return &fileio.Failure{What: "cannot be listed whole: " + h.endpoint + " names pages without end", Do: "check HF_ENDPOINT"}
		}
		if len(files) > maxKeys {
			return &fileio.Failure{
				What: fmt.Sprintf("has more than %d files", maxKeys), Do: "give the files of the run a dataset of their own",
			}
		}
		if next = nextPage(link); next != "" && !strings.HasPrefix(next, h.endpoint+"/") {
			return &fileio.Failure{
				What: "cannot be listed: the next page is on another server than " + h.endpoint, Do: "set HF_ENDPOINT to that server if " +
					"it is yours",
			}
		}
	}
	h.files, h.known, h.trees = files, map[string]fileio.Object{}, map[string]*fileio.ObjectTree{}
	for _, o := range files {
		h.known[o.Path] = o
	}
	h.commit, h.checked = commit, time.Now()
	return nil
}

// ask asks for an object of JSON, and returns the header that names the next page.
func (h *hub) ask(address string, answer any) (link string, err error) {
	response, err := h.get(h.ctx, address, "")
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return "", h.refusal(response)
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return "", &fileio.Failure{
			What: "cannot be listed: the answer of " + h.endpoint + " is not that of a hub", Do: "check HF_ENDPOINT", Err: err,
		}
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

func (h *hub) readFile(o fileio.Object, commit string, p []byte, offset int64) (int, error) {
	path := url.PathEscape(o.Path)
	route := "/buckets/" + h.id + "/resolve/" + path
	if h.kind == "datasets" {
		route = "/datasets/" + h.id + "/resolve/" + commit + "/" + strings.ReplaceAll(path, "%2F", "/")
	}
	ctx, cancel := context.WithTimeout(h.ctx, time.Minute)
	defer cancel()
	last := offset + int64(len(p)) - 1
	response, err := h.get(ctx, h.endpoint+route, fmt.Sprintf("bytes=%d-%d", offset, last))
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	replaced := &fileio.Failure{What: "was replaced while it was read", Do: "read it again when it is written", Replaced: true}
	switch {
	case response.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return 0, replaced
	case response.StatusCode == http.StatusPartialContent:
		if want := fmt.Sprintf("bytes %d-%d/%d", offset, last, o.Bytes); response.Header.Get("Content-Range") != want {
			return 0, replaced // it has another size now
		}
	case response.StatusCode != http.StatusOK:
		return 0, h.refusal(response)
	case offset > 0 || response.ContentLength >= 0 && response.ContentLength != o.Bytes:
		return 0, &fileio.Failure{What: "cannot be read: " + h.endpoint + " ignores ranges of bytes", Do: "check for a proxy in between"}
	}
	n, err := io.ReadFull(response.Body, p)
	if err != nil {
		return n, networkFailure(err, h.endpoint)
	}
	return n, nil
}

// get makes a request. The token goes to the hub and, as net/http sees to, not to where it redirects.
func (h *hub) get(ctx context.Context, address, bytes string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, &fileio.Failure{What: "cannot be asked for", Do: "check the path", Err: err}
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
		return nil, networkFailure(err, h.endpoint)
	}
	return response, nil
}

func (h *hub) refusal(r *http.Response) error {
	f := &fileio.Failure{Err: errors.New(r.Status)}
	code := r.Header.Get("X-Error-Code")
	switch s := r.StatusCode; {
	case code == "GatedRepo":
		f.What, f.Do, f.Err = "is gated", "accept its terms on "+h.endpoint+", and set HF_TOKEN", fs.ErrPermission
	case code == "RevisionNotFound":
		f.What, f.Do, f.Err = "has no revision "+h.revision, "check the part after @", fs.ErrNotExist
	case code == "EntryNotFound":
		return h.nothing()
	case s == http.StatusUnauthorized && h.token == "":
		f.What, f.Do, f.Err = "is private, or does not exist at "+h.endpoint, "check its name, and set HF_TOKEN if it is private",
			fs.ErrPermission
	case s == http.StatusUnauthorized:
		f.What, f.Do, f.Err = "is refused: the token is not valid at "+h.endpoint+", or does not reach it",
			"check HF_TOKEN, or `hf auth login` again", fs.ErrPermission
	case s == http.StatusForbidden:
		f.What, f.Do, f.Err = "may not be read with this token", "ask its owner for access, and let the token read it", fs.ErrPermission
	case s == http.StatusNotFound:
		f.What, f.Do, f.Err = "does not exist at "+h.endpoint+", or this token may not see it", "check its name, and HF_TOKEN",
			fs.ErrNotExist
	case s == http.StatusTooManyRequests || s >= 500:
		f.What, f.Do, f.Lost = "cannot be read now: "+h.endpoint+" answers "+r.Status, "read it again in a minute", true
	default:
		f.What, f.Do = "cannot be read from "+h.endpoint, "it answers "+r.Status
	}
	return f
}
