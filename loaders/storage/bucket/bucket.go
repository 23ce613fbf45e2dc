package bucket

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/overhttp"
	"vantage/model"
)

// maxAttempts is how often a request is made that the store is too busy for, or that gets no answer.
const maxAttempts = 3

// Bucket is a bucket that is read. It implements [fileio.Storage].
type Bucket struct {
	scheme   string // "s3://"
	bucket   string
	settings settings
	patience time.Duration
	keys     *keys
	link     *overhttp.Meter
	client   minio.Core
	ctx      context.Context // done when the bucket is closed
	cancel   context.CancelFunc

	mu       sync.Mutex
	listings []*listing
	objects  map[string]fileio.Object // described by themselves, by their keys
}

// Open returns the bucket that a path names, s3://bucket/key or gs://bucket/key, and the key. It asks nobody; the error
// is about the path, or about the configuration that it needs. Calls wait for so long if a connection that was there is lost.
func Open(name, endpoint string, patience time.Duration) (*Bucket, string, error) {
	scheme, rest, _ := strings.Cut(name, "://")
	bucket, key, _ := strings.Cut(rest, "/")
	if bucket == "" {
		return nil, "", &fileio.Failure{What: "names no bucket", Do: "write " + scheme + "://BUCKET/PREFIX"}
	}
	set, err := readSettings(scheme, endpoint)
	if err != nil {
		return nil, "", err
	}
	b := &Bucket{scheme: scheme + "://", bucket: bucket, settings: set, patience: patience, objects: map[string]fileio.Object{}}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	transport, err := overhttp.NewTransport(os.Getenv("AWS_CA_BUNDLE"))
	if err != nil {
		return nil, "", err
	}
	b.link = &overhttp.Meter{Host: b.scheme + bucket, Base: transport}
	b.keys = &keys{settings: set}
	client, err := minio.NewCore(set.host, &minio.Options{
		Creds: credentials.New(b.keys), Secure: set.secure, Region: set.region, BucketLookup: set.lookup(bucket),
		Transport: &boundedAnswers{b.link, b.ctx}, MaxRetries: maxAttempts,
	})
	if err != nil {
		return nil, "", &fileio.Failure{What: "cannot be asked for at " + set.host, Do: "write the endpoint as https://HOST:PORT", Err: err}
	}
	b.client = *client
	return b, cleanKey(key), nil
}

// cleanKey returns a key, or prefix, without slashes around it.
func cleanKey(key string) string {
	if key = strings.Trim(path.Clean("/"+key), "/"); key == "." {
		return ""
	}
	return key
}

// Name implements [fileio.Storage].
func (b *Bucket) Name() string { return b.scheme + b.bucket + "/" }

// Link implements [fileio.Storage].
func (b *Bucket) Link() model.Link { return b.link.Link() }

// WillRead implements [fileio.Storage]: what fetches ahead is the cache around this storage.
func (b *Bucket) WillRead([]string) {}

// Close implements [fileio.Storage].
func (b *Bucket) Close() error {
	b.cancel()
	return nil
}

// Stat implements [fileio.Storage]. What looks like a folder is listed first, and its listing serves the next Tree.
func (b *Bucket) Stat(name string) (fs.FileInfo, error) {
	name = cleanKey(name)
	if path.Ext(name) == "" {
		folder, err := b.statFolder(name)
		if err != nil && name != "" && !errors.Is(err, fs.ErrNotExist) && !fileio.IsLost(err) {
			if o, objectErr := b.describe(name); objectErr == nil {
				return o, nil // listing may be forbidden where reading is not
			}
		}
		if err == nil || name == "" || !errors.Is(err, fs.ErrNotExist) {
			return folder, err
		}
		return infoOf(b.describe(name))
	}
	o, err := b.describe(name)
	if errors.Is(err, fs.ErrNotExist) {
		return b.statFolder(name)
	}
	return infoOf(o, err)
}

func infoOf(o fileio.Object, err error) (fs.FileInfo, error) {
	if err != nil {
		return nil, err
	}
	return o, nil
}

// statFolder describes a prefix below which there are objects.
func (b *Bucket) statFolder(name string) (fs.FileInfo, error) {
	l := b.listingOf(name)
	if err := l.update(); err != nil {
		return nil, err
	}
	if l.isEmpty() && name != "" {
		return nil, b.noObject()
	}
	return fileio.Object{Path: name, Folder: true}, nil
}

// describe asks for the description of one object.
func (b *Bucket) describe(key string) (fileio.Object, error) {
	var info minio.ObjectInfo
	err := b.persist(func() (err error) {
		if info, err = b.client.StatObject(b.ctx, b.bucket, key, minio.StatObjectOptions{}); err != nil {
			return b.failure(b.reasonOfHead(err, key))
		}
		return nil
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

// persist calls ask until it is answered, as long as the patience allows. A connection that never was there is not waited for.
func (b *Bucket) persist(ask func() error) error {
	err := ask()
	for until := time.Now().Add(b.patience); fileio.IsLost(err) && b.link.WasUp() && time.Now().Before(until); err = ask() {
		select {
		case <-time.After(time.Second):
		case <-b.ctx.Done():
			return err
		}
	}
	return err
}

// reasonOfHead returns why an object cannot be described. The answer to HEAD has no body, so that only a listing says whether
// the keys are wrong or the object is forbidden.
func (b *Bucket) reasonOfHead(err error, key string) error {
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

// object returns the object of a key as it was last seen, and whether it was.
func (b *Bucket) object(key string) (fileio.Object, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.listings {
		if o, ok := l.find(key); ok {
			return o, true
		}
	}
	o, ok := b.objects[key]
	return o, ok
}

// forget drops what is known of a key, so that it is asked for again.
func (b *Bucket) forget(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.listings {
		l.forget(key)
	}
	delete(b.objects, key)
}

// Open implements [fileio.Storage]. It asks nothing if a listing had the object: its bytes are read on the condition that it
// is still that one.
func (b *Bucket) Open(name string) (fileio.Handle, error) {
	name = cleanKey(name)
	o, ok := b.object(name)
	if !ok {
		var err error
		if o, err = b.describe(name); err != nil {
			return nil, err
		}
	}
	return &handle{bucket: b, object: o}, nil
}

func objectOf(info minio.ObjectInfo, key string) fileio.Object {
	return fileio.Object{Path: key, Bytes: max(0, info.Size), Modified: info.LastModified.UTC(), Version: strings.Trim(info.ETag, `"`)}
}
