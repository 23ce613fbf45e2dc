package bucket

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
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
func readSettings(disk *fileio.Disk, scheme, endpoint string) (settings, error) {
	s := settings{profile: cmp.Or(os.Getenv("AWS_PROFILE"), os.Getenv("AWS_DEFAULT_PROFILE"), "default")}
	s.files = profileFiles(disk, s.profile)
	if named := os.Getenv("AWS_PROFILE"); named != "" && s.files[0].section == nil && s.files[1].section == nil {
		return s, &fileio.Failure{
			What: "cannot be asked for: there is no profile " + named, Do: "check AWS_PROFILE, and " + s.files[0].path + " or " +
				s.files[1].path,
		}
	}
	s.region = cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), s.key("region"))
	if scheme == "gs" {
		s.region = "auto"
		endpoint = cmp.Or(endpoint, "https://"+googleHost)
	} else {
		endpoint = cmp.Or(endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), s.key("endpoint_url"), "https://"+
			amazonHost)
	}
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || !isEndpoint(u) {
		return s, &fileio.Failure{
			What: "cannot be asked for: its endpoint is not an address",
			Do:   "write --endpoint, or AWS_ENDPOINT_URL, as https://HOST:PORT",
		}
	}
	s.host, s.secure, s.custom = u.Host, u.Scheme == "https", !strings.HasSuffix(u.Hostname(), ".amazonaws.com")
	if s.custom {
		s.region = cmp.Or(s.region, "us-east-1") // most stores take any; to ask costs a request and a permission
	}
	return s, nil
}

// isEndpoint reports whether an address names a host, and nothing on it.
func isEndpoint(u *url.URL) bool {
	isOfWeb := u.Scheme == "http" || u.Scheme == "https"
	namesMore := u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != ""
	return isOfWeb && u.Host != "" && !namesMore
}

func profileFiles(disk *fileio.Disk, profile string) []profileFile {
	home, _ := os.UserHomeDir()
	files := []profileFile{
		{path: cmp.Or(os.Getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials"))},
		{path: cmp.Or(os.Getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config"))},
	}
	for i := range files {
		names := []string{profile, "profile " + profile}
		text, _ := disk.ReadFile(files[i].path) // mostly there is none
		if f, err := ini.Load(text); err == nil {
			for _, name := range names {
				if s, err := f.GetSection(name); err == nil && files[i].section == nil && (name != "default" || len(s.Keys()) > 0) {
					files[i].section = s
				}
			}
		}
	}
	return files
}

func (s *settings) key(name string) string {
	for _, f := range s.files {
		if f.section != nil && f.section.HasKey(name) {
			return f.section.Key(name).String()
		}
	}
	return ""
}

func (s *settings) address() string {
	if s.secure {
		return "https://" + s.host
	}
	return "http://" + s.host
}

// keys finds the keys that requests are signed with: those of the environment, of the profile, and, only if there are none,
// those that a container or an instance of Amazon's is given. Without any, requests are not signed, as for public buckets.
// It implements [credentials.Provider].
type keys struct {
	settings settings

	mu      sync.Mutex
	current credentials.Provider // nil if requests are not signed
	found   bool
	source  string // in words: "the environment"
}

// metadataTimeout bounds how long the address is waited for that only machines in a cloud have.
const metadataTimeout = time.Second

func (k *keys) Retrieve() (credentials.Value, error) { return k.RetrieveWithCredContext(nil) }

func (k *keys) RetrieveWithCredContext(c *credentials.CredContext) (credentials.Value, error) {
	for _, s := range k.sources() {
		v, err := s.provider.RetrieveWithCredContext(c)
		if err != nil || v.AccessKeyID == "" || v.SecretAccessKey == "" {
			continue
		}
		k.use(s.provider, s.name)
		return v, nil
	}
	k.use(nil, "")
	return credentials.Value{SignerType: credentials.SignatureAnonymous}, nil
}

// IsExpired implements [credentials.Provider]. That there are none is not looked for again.
func (k *keys) IsExpired() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.found || k.current != nil && k.current.IsExpired()
}

func (k *keys) use(p credentials.Provider, source string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current, k.source, k.found = p, source, true
}

// from says where the keys are from, "" if there are none.
func (k *keys) from() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.source
}

type keySource struct {
	name     string
	provider credentials.Provider
}

// sources returns the places in the order in which they are asked.
func (k *keys) sources() []keySource {
	var profile []keySource
	for _, f := range k.settings.files {
		if f.section != nil {
			profile = append(profile, keySource{
				"the profile " + k.settings.profile + " in " + f.path,
				&credentials.FileAWSCredentials{Filename: f.path, Profile: f.section.Name()},
			})
		}
	}
	all := []keySource{{"the environment", &credentials.EnvAWS{}}}
	if os.Getenv("AWS_PROFILE") != "" { // a person who names a profile wants that one
		all = append(profile, all...)
	} else {
		all = append(all, profile...)
	}
	inContainer := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE")+os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")+
		os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != ""
	switch {
	case k.settings.custom: // the keys of a machine of Amazon's are not for other stores
	case inContainer:
		all = append(all, keySource{"the container", &credentials.IAM{
			Region: k.settings.region, Client: &http.Client{Timeout: 5 * time.Second},
		}})
	case os.Getenv("AWS_EC2_METADATA_DISABLED") != "true":
		all = append(all, keySource{"the instance", &credentials.IAM{Region: k.settings.region, Client: metadataClient()}})
	}
	return all
}

// metadataClient asks the address of metadata, once and shortly: elsewhere nothing answers there.
func metadataClient() *http.Client {
	until := time.Now().Add(metadataTimeout)
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return &http.Client{Timeout: metadataTimeout, Transport: &http.Transport{DialContext: dial}}
}
