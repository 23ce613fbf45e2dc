package bucket

import (
	"context"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

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

// Retrieve implements [credentials.Provider].
func (k *keys) Retrieve() (credentials.Value, error) { return k.RetrieveWithCredContext(nil) }

// RetrieveWithCredContext implements [credentials.Provider].
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

// keySource is a place that may have keys.
type keySource struct {
	name     string
	provider credentials.Provider
}

// sources returns the places in the order in which they are asked.
func (k *keys) sources() []keySource {
	profile := profileSources(k.settings)
	all := []keySource{{"the environment", &credentials.EnvAWS{}}}
	if os.Getenv("AWS_PROFILE") != "" { // a person who names a profile wants that one
		all = append(profile, all...)
	} else {
		all = append(all, profile...)
	}
	inContainer := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE")+os.Getenv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")+os.Getenv("AWS_CONTAINER_CREDENTIALS_FULL_URI") != ""
	switch {
	case k.settings.custom: // the keys of a machine of Amazon's are not for other stores
	case inContainer:
		all = append(all, keySource{"the container", &credentials.IAM{Region: k.settings.region, Client: &http.Client{Timeout: 5 * time.Second}}})
	case os.Getenv("AWS_EC2_METADATA_DISABLED") != "true":
		all = append(all, keySource{"the instance", &credentials.IAM{Region: k.settings.region, Client: metadataClient()}})
	}
	return all
}

// profileSources returns the profile in both files.
func profileSources(s settings) (all []keySource) {
	for _, f := range s.files {
		if f.section != nil {
			all = append(all, keySource{"the profile " + s.profile + " in " + f.path, &credentials.FileAWSCredentials{Filename: f.path, Profile: f.section.Name()}})
		}
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
