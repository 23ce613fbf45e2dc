//go:build !lean

package storage

import (
	"vantage/loaders/fileio"
	"vantage/loaders/storage/bucket"
)

// bucketSchemes are the buckets of S3, and of Google's interoperable API.
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
		{Name: "gs", Paths: "gs://BUCKET/PREFIX", Names: hasScheme("gs"), Open: open},
	}
}
