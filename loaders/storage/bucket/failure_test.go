package bucket_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vantage/internal/testkit/buckettest"
	"vantage/internal/testkit/loaderstest"
	"vantage/loaders"
)

// failureOf returns why a path cannot be read. No key is in it.
func failureOf(t *testing.T, path string) string {
	t.Helper()
	why := loaderstest.Failure(t, path)
	for _, secret := range []string{os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SESSION_TOKEN")} {
		if secret != "" && strings.Contains(why, secret) {
			t.Errorf("a key is in the error: %s", why)
		}
	}
	if strings.Count(why, "\n") > 0 || !strings.HasPrefix(why, path+" ") {
		t.Errorf("no sentence about the path: %s", why)
	}
	return why
}

// A real server's refusals are a sentence each.
func TestRefusals(t *testing.T) {
	server := buckettest.Start(t)
	server.Put(t, "runs", "here/1.jsonl", step(1, 2, 10))
	server.Put(t, "open", "here/1.jsonl", step(1, 2, 10))
	for _, c := range []struct{ path, key, secret, want string }{
		{"s3://secret/run", buckettest.ReaderKey, buckettest.ReaderSecret, "may not be read with the keys of the environment: ask for s3:ListBucket on the bucket secret and s3:GetObject"},
		{"s3://secret/run/1.jsonl", buckettest.ReaderKey, buckettest.ReaderSecret, "may not be read with the keys of the environment"},
		{"s3://runs-that-are-not/run", "ADMINKEY", "adminsecret", "names a bucket that does not exist at http://127.0.0.1"},
		{"s3://runs/nothing", buckettest.ReaderKey, buckettest.ReaderSecret, "is neither an object nor the prefix of one in the bucket runs"},
		{"s3://runs/here/2.jsonl", buckettest.ReaderKey, buckettest.ReaderSecret, "is neither an object nor the prefix of one in the bucket runs"},
		{"s3://runs/her", buckettest.ReaderKey, buckettest.ReaderSecret, "is neither an object nor the prefix"},
		{"s3://runs/here", "SOMEKEY", "somesecret", "the access key of the environment is unknown"},
		{"s3://runs/here", buckettest.ReaderKey, "somesecret", "the secret key of the environment does not belong to its access key"},
		{"s3://runs/here/1.jsonl", buckettest.ReaderKey, "somesecret", "the secret key of the environment does not belong to its access key"},
		{"s3://runs/here", "", "", "may not be read without keys: set AWS_ACCESS_KEY_ID"},
	} {
		useKeys(t, "http://"+server.Host)
		t.Setenv("AWS_ACCESS_KEY_ID", c.key)
		t.Setenv("AWS_SECRET_ACCESS_KEY", c.secret)
		if got := failureOf(t, c.path); !strings.Contains(got, c.want) {
			t.Errorf("%s with %s: %q, want %q", c.path, c.key, got, c.want)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	if snap := readAll(t, loaders.Options{}, "s3://open/here"); snap.Rows != 8 {
		t.Errorf("%d rows without keys", snap.Rows)
	}
}

// What only Amazon's own servers answer, by their documented codes, is a sentence each; what is busy is asked again.
func TestCodesOfAmazon(t *testing.T) {
	for code, c := range map[string]struct {
		status int
		region string
		want   string
	}{
		"ExpiredToken":                  {400, "", "the session token of the environment has expired: sign in again"},
		"InvalidToken":                  {400, "", "copy AWS_SESSION_TOKEN again"},
		"RequestTimeTooSkewed":          {403, "", "the clock of this machine differs"},
		"PermanentRedirect":             {301, "", "lies in another region than us-east-1: set AWS_REGION"},
		"AuthorizationHeaderMalformed":  {400, "eu-west-3", "lies in the region eu-west-3 and not in us-east-1: set AWS_REGION=eu-west-3"},
		"AccessDenied":                  {403, "", "may not be read with the keys of the environment"},
		"SlowDown":                      {503, "", "asks for fewer requests (SlowDown): read it again in a minute"},
		"InternalError":                 {500, "", "reports an error of its own (InternalError)"},
		"SomethingThatNobodyHasHeardOf": {418, "", "a message (SomethingThatNobodyHasHeardOf)"},
	} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			w.WriteHeader(c.status)
			_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>a message</Message><Region>%s</Region></Error>", code, c.region)
		}))
		useKeys(t, server.URL)
		t.Setenv("AWS_SESSION_TOKEN", "THETOKEN")
		if got := failureOf(t, "s3://bucket/run"); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", code, got, c.want)
		}
		if code == "SlowDown" && asked.Load() < 3 {
			t.Errorf("asked %d times where it was busy", asked.Load())
		}
		server.Close()
	}
}

// A network that does not work is a sentence, and soon.
func TestNetworkFailures(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := listener.Addr().String()
	_ = listener.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for endpoint, want := range map[string]string{
		"http://" + refused:           "nothing listens at " + refused,
		"http://no-such-host.invalid": "no host is named no-such-host.invalid",
		secure.URL:                    "is not trusted here",
		"https://" + strings.TrimPrefix(plain.URL, "http://"): "does not speak TLS: write the endpoint with http://",
		"http://host/path":      "its endpoint is no address",
		"http://user:word@host": "its endpoint is no address",
	} {
		useKeys(t, endpoint)
		start := time.Now()
		if got := failureOf(t, "s3://bucket/run"); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", endpoint, got, want)
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%s: after %v", endpoint, took)
		}
	}
}

// Keys, region and endpoint are those that AWS's own tools would take.
func TestProfiles(t *testing.T) {
	server := buckettest.Start(t)
	server.Put(t, "runs", "profile/1.jsonl", step(1, 2, 10))
	useKeys(t, "")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	dir := filepath.Join(os.Getenv("HOME"), ".aws")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	keys := fmt.Sprintf("aws_access_key_id = %s\naws_secret_access_key = %s\n", buckettest.ReaderKey, buckettest.ReaderSecret)
	printed := filepath.Join(dir, "print")
	for name, text := range map[string]string{
		"credentials": "[inkeys]\n" + keys,
		"config": fmt.Sprintf("[profile inkeys]\nendpoint_url = http://%s\n[profile inconfig]\nendpoint_url = http://%s\n%s[profile program]\nendpoint_url = http://%s\ncredential_process = /bin/cat %s\n",
			server.Host, server.Host, keys, server.Host, printed),
		"print": fmt.Sprintf(`{"Version":1,"AccessKeyId":%q,"SecretAccessKey":%q,"Expiration":%q}`, buckettest.ReaderKey, buckettest.ReaderSecret, time.Now().Add(time.Hour).Format(time.RFC3339)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, profile := range []string{"inkeys", "inconfig", "program"} {
		t.Setenv("AWS_PROFILE", profile)
		if snap := readAll(t, loaders.Options{}, "s3://runs/profile"); snap.Rows != 8 {
			t.Errorf("%s: %d rows", profile, snap.Rows)
		}
	}
	t.Setenv("AWS_PROFILE", "none")
	if got := failureOf(t, "s3://runs/profile"); !strings.Contains(got, "there is no profile none: check AWS_PROFILE") {
		t.Error(got)
	}
}
