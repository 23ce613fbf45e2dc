package bucket

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"vantage/loaders/fileio"
)

// A request for bytes may take so long, and longer for more of them: a link below this speed is no link.
const (
	requestTimeout = 20 * time.Second
	slowestLink    = 64 << 10 // bytes a second
)

// handle reads one version of an object. It implements [fileio.Handle].
type handle struct {
	bucket *Bucket
	object fileio.Object
	offset int64 // of Read
}

// Stat implements [fileio.Handle].
func (h *handle) Stat() (os.FileInfo, error) { return h.object, nil }

// Close implements [fileio.Handle].
func (h *handle) Close() error { return nil }

// Read implements [fileio.Handle].
func (h *handle) Read(p []byte) (int, error) {
	n, err := h.ReadAt(p, h.offset)
	h.offset += int64(n)
	return n, err
}

// ReadAt implements [fileio.Handle], with one request. If another object is there now it returns an error, and nothing of it.
func (h *handle) ReadAt(p []byte, offset int64) (int, error) {
	rest := h.object.Bytes - offset
	if rest <= 0 {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), rest)]
	n := 0
	err := h.bucket.persist(func() error {
		for attempt := 1; n < len(want); attempt++ {
			got, err := h.readRange(want[n:], offset+int64(n))
			if n += got; err != nil && (!isBroken(err) || attempt == maxAttempts) {
				return h.bucket.failure(err)
			}
		}
		return nil
	})
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

// readRange makes one request, and returns how many bytes came.
func (h *handle) readRange(p []byte, offset int64) (int, error) {
	ctx, cancel := context.WithTimeout(h.bucket.ctx, requestTimeout+time.Duration(len(p))*time.Second/slowestLink)
	defer cancel()
	var o minio.GetObjectOptions
	if err := o.SetRange(offset, offset+int64(len(p))-1); err != nil {
		return 0, err
	}
	if err := o.SetMatchETag(h.object.Version); h.object.Version != "" && err != nil {
		return 0, err
	}
	body, info, header, err := h.bucket.client.GetObject(ctx, h.bucket.bucket, h.object.Path, o)
	if err != nil {
		h.forgetIfReplaced(err)
		return 0, err
	}
	defer func() { _ = body.Close() }()
	if etag := strings.Trim(info.ETag, `"`); etag != h.object.Version {
		h.bucket.forget(h.object.Path)
		return 0, errReplaced
	}
	if part := header.Get("Content-Range"); !strings.HasPrefix(part, fmt.Sprintf("bytes %d-", offset)) && (offset > 0 || part != "") {
		return 0, errNoRanges
	}
	n, err := io.ReadFull(body, p)
	if err != nil {
		err = &brokenError{err}
	}
	return n, err
}

// forgetIfReplaced drops what is known of the object if that is not true any more.
func (h *handle) forgetIfReplaced(err error) {
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusNotFound, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
		h.bucket.forget(h.object.Path)
	}
}
