//go:build lean

package storage

import "vantage/loaders/fileio"

// bucketSchemes refuse: minio-go and net/http are left out.
func bucketSchemes() []Scheme {
	open := func(string, Options) (fileio.Storage, string, error) {
		return nil, "", &fileio.Failure{What: "is in a bucket, and this is the small build of vantage (-tags lean), which reads none", Do: "take the whole build"}
	}
	return []Scheme{
		{Name: "s3", Names: hasScheme("s3"), Open: open},
		{Name: "hf", Names: hasScheme("hf"), Open: open},
		{Name: "gs", Names: hasScheme("gs"), Open: open},
	}
}
