package storage

import (
	"vantage/loaders/fileio"
	"vantage/loaders/storage/bucket"
	"vantage/loaders/storage/cache"
	"vantage/loaders/storage/hub"
)

// bucketSchemes are the buckets of S3 and of Google's interoperable API, and the Hugging Face Hub.
func bucketSchemes() []Scheme {
	open := func(path string, o Options) (fileio.Storage, string, error) {
		b, key, err := bucket.Open(path, o.Endpoint, o.Patience)
		if err != nil {
			return nil, "", err
		}
		return o.kept(b), key, nil
	}
	return []Scheme{
		{Name: "s3", Paths: "s3://BUCKET/PREFIX", Names: hasScheme("s3"), Open: open},
		{Name: "hf", Paths: "hf://datasets/USER/NAME/PATH or hf://buckets/USER/NAME/PATH", Names: hasScheme("hf"), Open: openHub},
		{Name: "gs", Paths: "gs://BUCKET/PREFIX", Names: hasScheme("gs"), Open: open},
	}
}

func openHub(path string, o Options) (fileio.Storage, string, error) {
	h, inner, err := hub.Open(path)
	if err != nil {
		return nil, "", err
	}
	return o.kept(h), inner, nil
}

// kept returns a storage whose bytes are kept.
func (o Options) kept(s fileio.Storage) fileio.Storage {
	limit := o.CacheBytes
	if limit == 0 {
		limit = cache.DefaultBytes
	}
	return cache.Wrap(s, cache.NewDisk(o.CacheDir, limit))
}
