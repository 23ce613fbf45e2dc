package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/overhttp"
)

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
