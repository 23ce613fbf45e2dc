package bucket_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/loaderstest"
	"vantage/internal/testkit/repotest"
	"vantage/loaders"
	"vantage/loaders/storage/bucket"
	"vantage/model"
)

// hubServer is a hub with one dataset and one bucket, which answers as huggingface_hub 2.4.0 expects: pages by a Link header,
// bytes behind a redirect to another host, errors by X-Error-Code. It is not the Hub: that was not tried.
type hubServer struct {
	url, cdn string
	mu       sync.Mutex
	commit   int
	files    map[string]string
	asked    []string
	leaked   bool // the token came to the other host
}

const userToken = "hf_thetoken"

func newHubServer(t *testing.T) *hubServer {
	t.Helper()
	s := &hubServer{files: map[string]string{}}
	cdn := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leaked = s.leaked || r.Header.Get("Authorization") != ""
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(s.files[strings.TrimPrefix(r.URL.Path, "/")]))
	}))
	t.Cleanup(cdn.Close)
	hub := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(hub.Close)
	s.url, s.cdn = hub.URL, strings.Replace(cdn.URL, "127.0.0.1", "localhost", 1)
	t.Setenv("HF_ENDPOINT", s.url)
	t.Setenv("HF_TOKEN", userToken)
	t.Setenv("HOME", t.TempDir())
	return s
}

func (s *hubServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	sha := fmt.Sprintf("%040d", s.commit)
	switch path := r.URL.EscapedPath(); {
	case r.Header.Get("Authorization") != "Bearer "+userToken:
		w.WriteHeader(http.StatusUnauthorized)
	case path == "/api/datasets/me/runs/revision/main":
		_ = json.NewEncoder(w).Encode(map[string]any{"sha": sha, "lastModified": time.Now()})
	case path == "/api/datasets/me/runs/revision/old":
		w.Header().Set("X-Error-Code", "RevisionNotFound")
		w.WriteHeader(http.StatusNotFound)
	case path == "/api/datasets/me/runs/tree/"+sha || path == "/api/buckets/me/runs/tree":
		s.list(w, r)
	case strings.HasPrefix(path, "/datasets/me/runs/resolve/"+sha+"/"):
		http.Redirect(w, r, s.cdn+"/"+strings.TrimPrefix(path, "/datasets/me/runs/resolve/"+sha+"/"), http.StatusFound)
	case strings.HasPrefix(path, "/buckets/me/runs/resolve/"):
		http.Redirect(w, r, s.cdn+"/"+strings.ReplaceAll(strings.TrimPrefix(path, "/buckets/me/runs/resolve/"), "%2F", "/"), http.StatusFound)
	default:
		w.Header().Set("X-Error-Code", "RepoNotFound")
		w.WriteHeader(http.StatusNotFound)
	}
}

// list answers with 2 entries a page.
func (s *hubServer) list(w http.ResponseWriter, r *http.Request) {
	var entries []map[string]any
	for name, text := range s.files {
		entries = append(entries, map[string]any{"type": "file", "path": name, "size": len(text), "oid": fmt.Sprint(len(text), name), "xetHash": fmt.Sprint("x", len(text), name), "uploadedAt": time.Now()})
	}
	slices.SortFunc(entries, func(a, b map[string]any) int { return strings.Compare(a["path"].(string), b["path"].(string)) })
	from := 0
	_, _ = fmt.Sscan(r.URL.Query().Get("cursor"), &from)
	if from+2 < len(entries) {
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?recursive=true&cursor=%d>; rel="next"`, s.url, r.URL.Path, from+2))
	}
	_ = json.NewEncoder(w).Encode(entries[from:min(from+2, len(entries))])
}

// put writes a file with a commit.
func (s *hubServer) put(name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[name] = text
	s.commit++
}

func hubStep(number, groups int) string {
	var b strings.Builder
	for g := range groups {
		for i := range 4 {
			fmt.Fprintf(&b, `{"input":"prompt %d","output":"answer %d","gts":"4","score":%d.0,"step":%d}`+"\n", g, i, (g*i+number)%2, number)
		}
	}
	return b.String()
}

// readHub reads until so many rows have come, or to the end if rows is 0.
func readHub(t *testing.T, path string, o loaders.Options, rows int) (*loaders.Source, *model.Store) {
	t.Helper()
	s, err := loaders.Open([]string{path}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	store := model.NewStore()
	readHubOn(t, s, store, rows)
	return s, store
}

func readHubOn(t *testing.T, s *loaders.Source, store *model.Store, rows int) {
	t.Helper()
	late := time.AfterFunc(time.Minute, func() { _ = s.Close() })
	defer late.Stop()
	for rows == 0 || store.Snapshot().Rows < rows {
		chunk, err := s.Next(t.Context())
		if errors.Is(err, io.EOF) && rows == 0 {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		store.Append(chunk)
	}
}

// A run on the hub has the numbers of the same files on this machine, in a dataset as of one commit and in a bucket; the token
// stays with the hub.
func TestHubIsReadAsAFolder(t *testing.T) {
	s := newHubServer(t)
	dir := t.TempDir()
	for n := 1; n <= 5; n++ {
		s.put(fmt.Sprintf("a/%d.jsonl", n), hubStep(n, 3))
		filetest.Write(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", n)), hubStep(n, 3))
	}
	_, want := readHub(t, dir, loaders.Options{}, 0)
	for _, path := range []string{"hf://datasets/me/runs/a", "hf://datasets/me/runs@main/a", "hf://buckets/me/runs/a"} {
		_, got := readHub(t, path, loaders.Options{}, 0)
		for i, step := range want.Snapshot().Steps {
			if d := cmp.Diff(step.Rewards, got.Snapshot().Steps[i].Rewards); d != "" {
				t.Errorf("%s: %s", path, d)
			}
		}
	}
	if s.leaked {
		t.Error("the token was sent to another host")
	}
}

// A followed dataset is asked which commit it is once a second, and listed when that is another.
func TestHubIsFollowed(t *testing.T) {
	repotest.Slow(t)
	s := newHubServer(t)
	s.put("a/1.jsonl", hubStep(1, 2))
	source, store := readHub(t, "hf://datasets/me/runs/a", loaders.Options{Follow: true}, 8)
	s.put("a/2.jsonl", hubStep(2, 2))
	readHubOn(t, source, store, 16)
	s.put("a/2.jsonl", hubStep(2, 3))
	readHubOn(t, source, store, 20)
	s.mu.Lock()
	s.asked = nil
	s.mu.Unlock()
	go func() { _, _ = source.Next(t.Context()) }()
	began := time.Now()
	time.Sleep(2 * time.Second)
	s.mu.Lock()
	defer s.mu.Unlock()
	if idle := time.Since(began); len(s.asked) > int(idle.Seconds())+1 {
		t.Errorf("idle for %v: %v", idle, s.asked)
	}
}

// What the hub refuses is a sentence, without the token.
func TestHubRefuses(t *testing.T) {
	s := newHubServer(t)
	s.put("a/1.jsonl", hubStep(1, 2))
	for path, want := range map[string]string{
		"hf://datasets/me/other/a":    "does not exist at",
		"hf://datasets/me/runs/b":     "is not in hf://datasets/me/runs@main: check the path",
		"hf://datasets/me/runs@old/a": "has no revision old",
		"hf://models/me/runs/a":       "names no dataset and no bucket",
		"hf://datasets/me":            "names no dataset and no bucket",
		"hf://buckets/me/runs@x/a":    "buckets have none",
	} {
		if got := hubFailure(t, path); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	t.Setenv("HF_TOKEN", "hf_another")
	if got := hubFailure(t, "hf://datasets/me/runs/a"); !strings.Contains(got, "the token is not valid") {
		t.Error(got)
	}
	t.Setenv("HF_TOKEN", "")
	if got := hubFailure(t, "hf://datasets/me/runs/a"); !strings.Contains(got, "set HF_TOKEN if it is private") {
		t.Error(got)
	}
}

func hubFailure(t *testing.T, path string) string {
	t.Helper()
	why := loaderstest.Failure(t, path)
	if strings.Contains(why, "hf_") {
		t.Errorf("the token is in the error: %s", why)
	}
	return why
}

// A server whose pages of directories lead to others without end is an error.
func TestPagesWithoutEnd(t *testing.T) {
	pages := 0
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages++
		w.Header().Set("Link", fmt.Sprintf(`<http://%s/api/buckets/me/runs/tree?cursor=%d>; rel="next"`, r.Host, pages))
		_, _ = io.WriteString(w, `[{"type":"directory","path":"a"}]`)
	}))
	defer endless.Close()
	t.Setenv("HF_ENDPOINT", endless.URL)
	t.Setenv("HF_TOKEN", userToken)
	h, inner, err := bucket.OpenHub(nil, "hf://buckets/me/runs/a")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = h.Close() }()
	if _, err := h.Tree(inner); err == nil || !strings.Contains(err.Error(), "names pages without end") || pages > 200 {
		t.Errorf("%v after %d pages", err, pages)
	}
}
