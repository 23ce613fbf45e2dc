package storage

import (
	"slices"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/sftp"
)

// Schemes returns all ways in which a path names a storage.
func Schemes() []Scheme {
	return slices.Concat(bucketSchemes(), []Scheme{
		{Name: "ssh", Paths: "host:path or ssh://user@host:port/path", Names: sftp.Names, Open: openSFTP},
	})
}

func openSFTP(path string, o Options) (fileio.Storage, string, error) {
	s, inner, err := sftp.Open(path, o.Patience, o.Terminal)
	if err != nil {
		return nil, "", &fileio.Failure{What: "is no path on another node", Do: err.Error(), Err: err}
	}
	return s, inner, nil
}
