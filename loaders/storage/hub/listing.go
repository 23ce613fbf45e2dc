package hub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"vantage/loaders/fileio"
)

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
