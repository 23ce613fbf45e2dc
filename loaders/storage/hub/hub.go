package hub

import (
	"cmp"
	"context"
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
