// Package bucket reads what is stored as objects and asked for over HTTP: buckets of S3, or of what speaks its protocol (MinIO,
// SeaweedFS, Ceph, R2, and Google's interoperable API), and datasets and buckets on the Hugging Face Hub. It never writes.
//
// In: s3://, gs:// and hf:// addresses, an endpoint, and the usual AWS_* and HF_* environment and files. Out: a
// [vantage/loaders/fileio.Storage], by [Open] or [OpenHub], which package storage calls. What is asked for are listings of
// bounded pages, descriptions of objects, and ranges of their bytes on the condition that they are still those that were
// listed.
package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"vantage/loaders/fileio"
)

// bucket is a bucket of S3 that is read. It implements [fileio.Storage].
type bucket struct {
	*server
	bucket   string
	settings settings
	keys     *keys
	client   minio.Core

	mu       sync.Mutex
	listings []*listing
	objects  map[string]fileio.Object // described by themselves, by their keys
}

// Open returns the bucket that a path names, s3://bucket/key or gs://bucket/key, and the key. It asks nobody; the error
// is about the path, or about the configuration that it needs. Calls wait for so long if a connection that was there is lost.
func Open(disk *fileio.Disk, name, endpoint string, patience time.Duration) (fileio.Storage, string, error) {
	scheme, rest, _ := strings.Cut(name, "://")
	named, key, _ := strings.Cut(rest, "/")
	if named == "" {
		return nil, "", &fileio.Failure{What: "names no bucket", Do: "write " + scheme + "://BUCKET/PREFIX"}
	}
	set, err := readSettings(disk, scheme, endpoint)
	if err != nil {
		return nil, "", err
	}
	asked, err := newServer(disk, scheme+"://"+named, os.Getenv("AWS_CA_BUNDLE"), patience)
	if err != nil {
		return nil, "", err
	}
	b := &bucket{server: asked, bucket: named, settings: set, keys: &keys{settings: set}, objects: map[string]fileio.Object{}}
	lookup := minio.BucketLookupAuto
	if set.custom || strings.Contains(named, ".") {
		lookup = minio.BucketLookupPath // few stores but Amazon's have a host name for each
	}
	client, err := minio.NewCore(set.host, &minio.Options{
		Creds: credentials.New(b.keys), Secure: set.secure, Region: set.region, BucketLookup: lookup,
		Transport: b.server, MaxRetries: maxAttempts,
	})
	if err != nil {
		return nil, "", &fileio.Failure{What: "cannot be asked for at " + set.host, Do: "write the endpoint as https://HOST:PORT", Err: err}
	}
	b.client = *client
	return b, cleanKey(key), nil
}

func cleanKey(key string) string { return strings.Trim(path.Clean("/"+key), "/") }

// prefixOf returns what the keys below a folder begin with, "" for the top.
func prefixOf(folder string) string {
	if folder == "" {
		return ""
	}
	return folder + "/"
}

func (b *bucket) Name() string { return b.name + "/" }

// Stat lists what looks like a folder first: the listing serves the next Tree.
func (b *bucket) Stat(name string) (fs.FileInfo, error) {
	name = cleanKey(name)
	if path.Ext(name) != "" {
		o, err := b.describe(name)
		if errors.Is(err, fs.ErrNotExist) {
			return b.statFolder(name)
		}
		return infoOf(o, err)
	}
	folder, err := b.statFolder(name)
	switch {
	case err == nil || name == "":
		return folder, err
	case errors.Is(err, fs.ErrNotExist):
		return infoOf(b.describe(name))
	case !fileio.IsLost(err): // listing may be forbidden where reading is not
		if o, objectErr := b.describe(name); objectErr == nil {
			return o, nil
		}
	}
	return nil, err
}

func infoOf(o fileio.Object, err error) (fs.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	return o, nil
}

// statFolder describes a prefix below which there are objects.
func (b *bucket) statFolder(name string) (fs.FileInfo, error) {
	l := b.listingOf(name)
	if err := l.update(); err != nil {
		return nil, err
	}
	if l.count() == 0 && name != "" {
		return nil, b.noObject()
	}
	return fileio.Object{Path: name, Folder: true}, nil
}

func (b *bucket) describe(key string) (fileio.Object, error) {
	var info minio.ObjectInfo
	err := b.persist(func() (err error) {
		if info, err = b.client.StatObject(b.ctx, b.bucket, key, minio.StatObjectOptions{}); err != nil {
			err = b.failure(b.reasonOfHead(err, key))
		}
		return err
	})
	if err != nil {
		return fileio.Object{}, err
	}
	o := objectOf(info, key)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[key] = o
	return o, nil
}

// reasonOfHead returns why an object cannot be described. The answer to HEAD has no body, so that only a listing says whether
// the keys are wrong or the object is forbidden.
func (b *bucket) reasonOfHead(err error, key string) error {
	switch minio.ToErrorResponse(err).StatusCode {
	case http.StatusForbidden, http.StatusBadRequest, http.StatusMovedPermanently, http.StatusUnauthorized:
	case http.StatusNotFound:
		if minio.ToErrorResponse(err).Code == minio.NoSuchBucket {
			return err
		}
	default:
		return err
	}
	_, listErr := b.client.ListObjectsV2(b.bucket, key, "", "", "", 1)
	if code := minio.ToErrorResponse(listErr).Code; listErr == nil || code == minio.AccessDenied {
		return err
	}
	return listErr
}

// forget drops what is known of a key, so that it is asked for again.
func (b *bucket) forget(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.listings {
		l.mu.Lock()
		if i, ok := l.index(key); ok {
			l.objects, l.forgot = slices.Delete(l.objects, i, i+1), true
		}
		l.mu.Unlock()
	}
	delete(b.objects, key)
}

// Open asks nothing if a listing had the object: its bytes are read on the condition that it is still that one.
func (b *bucket) Open(name string) (fileio.Handle, error) {
	name = cleanKey(name)
	b.mu.Lock()
	o, ok := b.objects[name]
	for _, l := range b.listings {
		l.mu.Lock()
		i, isListed := l.index(name)
		if isListed {
			o, ok = l.objects[i], true
		}
		l.mu.Unlock()
		if isListed {
			break
		}
	}
	b.mu.Unlock()
	if !ok {
		var err error
		if o, err = b.describe(name); err != nil {
			return nil, err
		}
	}
	return fileio.NewRanged(o, func(p []byte, offset int64) (n int, err error) {
		ask := func(p []byte, offset int64) (int, error) { return b.readObject(o, p, offset) }
		err = b.persist(func() error {
			got, err := readRange(p[n:], offset+int64(n), ask)
			n += got
			return b.failure(err)
		})
		return n, err
	}), nil
}

// A request for bytes may take so long, and longer for more of them: a link below this speed is no link.
const (
	requestTimeout = 20 * time.Second
	slowestLink    = 64 << 10 // bytes a second
)

// readObject makes one request for a range of a version of an object, and returns how many bytes came. If another object is
// there now it returns an error, and nothing of it.
func (b *bucket) readObject(o fileio.Object, p []byte, offset int64) (int, error) {
	ctx, cancel := context.WithTimeout(b.ctx, requestTimeout+time.Duration(len(p))*time.Second/slowestLink)
	defer cancel()
	var options minio.GetObjectOptions
	if err := options.SetRange(offset, offset+int64(len(p))-1); err != nil {
		return 0, err
	}
	if err := options.SetMatchETag(o.Version); o.Version != "" && err != nil {
		return 0, err
	}
	body, info, header, err := b.client.GetObject(ctx, b.bucket, o.Path, options)
	if err != nil {
		switch minio.ToErrorResponse(err).StatusCode {
		case http.StatusNotFound, http.StatusPreconditionFailed, http.StatusRequestedRangeNotSatisfiable:
			b.forget(o.Path) // what is known of it is not true any more
		}
		return 0, err
	}
	defer func() { _ = body.Close() }()
	if etag := strings.Trim(info.ETag, `"`); etag != o.Version {
		b.forget(o.Path)
		return 0, replaced(nil)
	}
	if part := header.Get("Content-Range"); !strings.HasPrefix(part, fmt.Sprintf("bytes %d-", offset)) && (offset > 0 || part != "") {
		return 0, &fileio.Failure{
			What: "cannot be read: " + b.settings.host + " ignores ranges of bytes", Do: "check for a proxy in between",
		}
	}
	n, err := io.ReadFull(body, p)
	if err != nil {
		return n, networkFailure(err, b.settings.host)
	}
	return n, nil
}

func objectOf(info minio.ObjectInfo, key string) fileio.Object {
	return fileio.Object{Path: key, Bytes: max(0, info.Size), Modified: info.LastModified.UTC(), Version: strings.Trim(info.ETag, `"`)}
}

func (b *bucket) noObject() error {
	return &fileio.Failure{
		What: "is neither an object nor the prefix of one in the bucket " + b.bucket + " at " + b.settings.address(),
		Do:   "check the path, or start the run first", Err: fs.ErrNotExist,
	}
}

func (b *bucket) failure(err error) error {
	var f *fileio.Failure
	var no minio.ErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return f
	case errors.As(err, &no) && no.StatusCode != 0:
		return b.refusal(no)
	case b.ctx.Err() != nil:
		return networkFailure(context.Canceled, b.settings.host)
	}
	return networkFailure(err, b.settings.host)
}

func replaced(err error) *fileio.Failure {
	return &fileio.Failure{
		What: "was replaced by another object while it was read", Do: "read it again when it is written", Replaced: true, Err: err,
	}
}

func (b *bucket) refusal(no minio.ErrorResponse) error {
	f := &fileio.Failure{Err: no}
	switch no.Code {
	case minio.NoSuchBucket:
		f.What, f.Do, f.Err = "names a bucket that does not exist at "+b.settings.address(), "check its name, and the endpoint",
			fs.ErrNotExist
	case minio.NoSuchKey:
		return b.noObject()
	case "InvalidAccessKeyId":
		f.What, f.Do = "is refused: the access key of "+b.keys.from()+" is unknown at "+b.settings.host,
			"check which keys belong to this endpoint"
	case "SignatureDoesNotMatch":
		f.What, f.Do = "is refused: the secret key of "+b.keys.from()+" does not belong to its access key", "copy both again"
	case "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired":
		f.What, f.Do = "is refused: the session token of "+b.keys.from()+" has expired", "sign in again (`aws sso login`, or your own "+
			"tool), and start again"
	case "InvalidToken", "InvalidClientTokenId":
		f.What, f.Do = "is refused: the session token of "+b.keys.from()+" is not valid at "+b.settings.host,
			"copy AWS_SESSION_TOKEN again, or unset it if the keys have none"
	case "RequestTimeTooSkewed":
		f.What, f.Do = "is refused: the clock of this machine differs from that of "+b.settings.host+" by more than 15 minutes",
			"set the clock"
	case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "InvalidRegion":
		f.What, f.Do = "is in another region than "+cmp.Or(b.settings.region, "us-east-1"), "set AWS_REGION to that of the bucket"
		if no.Region != "" {
			f.What, f.Do = "is in the region "+no.Region+" and not in "+cmp.Or(b.settings.region, "us-east-1"), "set AWS_REGION="+no.Region
		}
	case "InvalidObjectState":
		f.What, f.Do = "is in an archive", "restore it first"
	default:
		return b.refusalByStatus(f, no)
	}
	return f
}

func (b *bucket) refusalByStatus(f *fileio.Failure, no minio.ErrorResponse) error {
	switch s := no.StatusCode; {
	case s == http.StatusForbidden || s == http.StatusUnauthorized:
		f.Err = fs.ErrPermission
		if f.What, f.Do = "may not be read with the keys of "+b.keys.from(), "ask for s3:ListBucket on the bucket "+b.bucket+
			" and s3:GetObject on its objects"; b.keys.from() == "" {
			f.What, f.Do = "may not be read without keys", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
		}
	case s == http.StatusNotFound:
		f.What, f.Do, f.Err = "is not there", "check the path", fs.ErrNotExist
	case s == http.StatusPreconditionFailed || s == http.StatusRequestedRangeNotSatisfiable:
		return replaced(no)
	case s == http.StatusTooManyRequests || s == http.StatusServiceUnavailable:
		f.What, f.Do, f.Lost = "cannot be read now: "+b.settings.host+" asks for fewer requests ("+no.Code+")", "read it again in a minute",
			true
	case s >= 500:
		f.What, f.Do, f.Lost = "cannot be read now: "+b.settings.host+" reports an error of its own ("+no.Code+")",
			"read it again in a minute", true
	default:
		f.What, f.Do = "cannot be read from "+b.settings.host, no.Error()+" ("+no.Code+")"
	}
	return f
}
