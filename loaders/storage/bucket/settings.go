package bucket

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
	"gopkg.in/ini.v1"

	"vantage/loaders/fileio"
)

// settings say where a bucket is and which profile has the keys, by the variables and files that AWS's own tools read.
type settings struct {
	host    string // of the endpoint, with its port
	secure  bool
	region  string // "" if the store has to be asked for it
	custom  bool   // the endpoint is not Amazon's
	profile string
	files   []profileFile
}

// profileFile is the section of a profile in one of the two files of AWS's tools; without one it is empty.
type profileFile struct {
	path    string
	section *ini.Section
}

const (
	amazonHost = "s3.amazonaws.com"
	googleHost = "storage.googleapis.com"
)

// readSettings reads the settings for a scheme. An endpoint that is given wins over the environment.
func readSettings(scheme, endpoint string) (settings, error) {
	s := settings{profile: cmp.Or(os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"), "default")}
	s.files = profileFiles(s.profile)
	if named := os.Getenv("AWS_PROFILE"); named != "" && s.files[0].section == nil && s.files[1].section == nil {
		return s, &fileio.Failure{What: "cannot be asked for: there is no profile " + named, Do: "check AWS_PROFILE, and " + s.files[0].path + " or " + s.files[1].path}
	}
	s.region = cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), s.key("region"))
	if scheme == "gs" {
		s.region = "auto"
		endpoint = cmp.Or(endpoint, "https://"+googleHost)
	} else {
		endpoint = cmp.Or(endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), s.key("endpoint_url"), "https://"+amazonHost)
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Scheme != "http" && u.Scheme != "https" {
		return s, &fileio.Failure{What: "cannot be asked for: its endpoint is no address", Do: "write --endpoint, or AWS_ENDPOINT_URL, as https://HOST:PORT"}
	}
	s.host, s.secure, s.custom = u.Host, u.Scheme == "https", !strings.HasSuffix(u.Hostname(), ".amazonaws.com")
	if s.custom {
		s.region = cmp.Or(s.region, "us-east-1") // most stores take any; to ask costs a request and a permission
	}
	return s, nil
}

// profileFiles returns the profile's sections in the files of keys and of settings.
func profileFiles(profile string) []profileFile {
	home, _ := os.UserHomeDir()
	files := []profileFile{
		{path: cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials"))},
		{path: cmp.Or(os.Getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config"))},
	}
	for i := range files {
		names := []string{profile, "profile " + profile}
		if f, err := ini.LooseLoad(files[i].path); err == nil {
			for _, name := range names {
				if s, err := f.GetSection(name); err == nil && files[i].section == nil && (name != "default" || len(s.Keys()) > 0) {
					files[i].section = s
				}
			}
		}
	}
	return files
}

// key returns a value of the profile, "" if it has none.
func (s *settings) key(name string) string {
	for _, f := range s.files {
		if f.section != nil && f.section.HasKey(name) {
			return f.section.Key(name).String()
		}
	}
	return ""
}

// lookup says how the bucket is named in requests: in the path, since few stores but Amazon's have a host name for each.
func (s *settings) lookup(bucket string) minio.BucketLookupType {
	if s.custom || strings.Contains(bucket, ".") {
		return minio.BucketLookupPath
	}
	return minio.BucketLookupAuto
}

// address is the endpoint as a person writes it.
func (s *settings) address() string {
	if s.secure {
		return "https://" + s.host
	}
	return "http://" + s.host
}
