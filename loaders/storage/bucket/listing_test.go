package bucket_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/buckettest"
	"vantage/loaders"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/storage/bucket"
	"vantage/model"
)

// openAnswered opens the bucket of a store that answers so.
func openAnswered(t *testing.T, answer http.HandlerFunc) (fileio.Storage, string) {
	t.Helper()
	store := httptest.NewServer(answer)
	t.Cleanup(store.Close)
	useKeys(t, store.URL)
	b, key, err := bucket.Open(nil, "s3://logs/runs", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, key
}

// A store that names pages without end is an error: the same one, several in turn, or one that does not end itself.
func TestListingWithoutEnd(t *testing.T) {
	const one = `<Contents><Key>runs/1.jsonl</Key><Size>3</Size><ETag>"a"</ETag><LastModified>2026-11-22T10:00:00Z</LastModified></Contents>`
	asked := 0
	for name, answer := range map[string]http.HandlerFunc{
		"same page again": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>`+one+`</ListBucketResult>`)
		},
		"same page again ": func(w http.ResponseWriter, _ *http.Request) {
			asked++
			_, _ = fmt.Fprintf(w, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d</NextContinuationToken>`+one+`</ListBucketResult>`, asked)
		},
		"more than 64 MB": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, `<ListBucketResult>`)
			for space := strings.Repeat(" ", 1<<20); r.Context().Err() == nil; {
				_, _ = io.WriteString(w, space)
			}
		},
	} {
		if testing.Short() && name == "more than 64 MB" {
			continue // the race detector takes a minute for them on a busy machine
		}
		b, key := openAnswered(t, answer)
		if _, err := b.Tree(key); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) || fileio.IsLost(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A listing whose answer does not come to its end ends when the bucket is closed.
func TestCloseEndsListing(t *testing.T) {
	began := make(chan struct{}, 10) // it may be asked for again
	b, key := openAnswered(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `<ListBucketResult>`)
		w.(http.Flusher).Flush()
		began <- struct{}{}
		<-r.Context().Done()
	})
	failed := make(chan error, 1)
	go func() {
		_, err := b.Tree(key)
		failed <- err
	}()
	<-began
	_ = b.Close()
	select {
	case err := <-failed:
		if err == nil {
			t.Error("half a listing is one")
		}
	case <-time.After(30 * time.Second):
		t.Error("the listing goes on")
	}
}

// Keys that no path can name are handed on to be said, and folders' own are not.
func TestListingOfUnnamedKeys(t *testing.T) {
	b, key := openAnswered(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<ListBucketResult>`)
		for _, key := range []string{"runs/", "runs//", "runs//2.jsonl", "runs/1.jsonl", "runs/a/"} {
			_, _ = io.WriteString(w, `<Contents><Key>`+key+`</Key><Size>3</Size><ETag>"a"</ETag><LastModified>2026-11-22T10:00:00Z</LastModified></Contents>`)
		}
		_, _ = io.WriteString(w, `</ListBucketResult>`)
	})
	tree, err := b.Tree(key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := discover.ListTree(tree, 9)
	if notes := strings.Join(l.Skipped(), "\n"); err != nil || strings.Join(l.Files, " ") != "1.jsonl" || !strings.Contains(notes, "rows may be missing: runs//2.jsonl;") {
		t.Errorf("%v, %s, %v", l, notes, err)
	}
}

// A followed bucket shows what is added and what is appended by writing the object again, and is asked once a second where
// nothing changes. A server that is gone for a while costs nothing of what was read.
func TestFollow(t *testing.T) {
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	useKeys(t, proxy.URL)
	server.Put(t, "runs", "follow/8.jsonl", step(8, 2, 10))
	server.Put(t, "runs", "follow/9.jsonl", step(9, 2, 10))
	s := open(t, loaders.Options{Follow: true}, "s3://runs/follow")
	store := model.NewStore()
	read(t, s, store, 16)
	server.Put(t, "runs", "follow/9.jsonl", step(9, 3, 10)) // appended to
	read(t, s, store, 20)
	server.Put(t, "runs", "follow/91.jsonl", step(91, 1, 10)) // its key comes last
	read(t, s, store, 24)
	server.Put(t, "runs", "follow/10.jsonl", step(10, 1, 10)) // its key comes first
	if snap := read(t, s, store, 28); len(snap.Steps) != 4 {
		t.Errorf("%d steps", len(snap.Steps))
	}
	proxy.SetDown(true)
	for lost := false; !lost; lost = store.Snapshot().Run.Progress.Link.State == model.LinkLost {
		chunk, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		store.Append(chunk)
	}
	server.Put(t, "runs", "follow/92.jsonl", step(92, 1, 10))
	if snap := store.Snapshot(); snap.Rows != 28 {
		t.Errorf("%d rows are left", snap.Rows)
	}
	proxy.SetDown(false)
	read(t, s, store, 32)
	proxy.Take()
	go func() { _, _ = s.Next(t.Context()) }()
	began := time.Now()
	time.Sleep(3 * time.Second)
	asked, bytes := proxy.Take()
	if idle := time.Since(began); len(asked) > int(idle.Seconds())+1 {
		t.Errorf("idle for %v: %d requests, %d bytes: %v", idle, len(asked), bytes, asked)
	}
}

// An object that is replaced while it is read is read from its start: no row of one is beside a row of the other.
func TestReplacedWhileRead(t *testing.T) {
	server := buckettest.Start(t)
	for name, texts := range map[string][2]string{
		"all.jsonl":    {step(1, 800, 2000), step(2, 700, 2000)},
		"all.jsonl.gz": {gzipped(noisy(step(1, 800, 2000))), gzipped(noisy(step(2, 700, 2000)))},
	} {
		proxy := buckettest.NewProxy(t, server.Host)
		useKeys(t, proxy.URL)
		key := "replaced/" + name
		server.Put(t, "runs", key, texts[0])
		replaced := false
		proxy.SetAnswer(func(r buckettest.Request) (int, string) {
			if r.Method == http.MethodGet && strings.HasPrefix(r.Range, "bytes=2") && !replaced { // a later part
				replaced = true
				server.Put(t, "runs", key, texts[1])
			}
			return 0, ""
		})
		snap := readAll(t, loaders.Options{}, "s3://runs/"+key)
		if !replaced || len(snap.Steps) != 1 || snap.Rows != 2800 || snap.Steps[0].Number != 2 {
			t.Errorf("%s: replaced %t: %d rows, %d steps, problems %v", name, replaced, snap.Rows, len(snap.Steps), snap.Run.Problems)
		}
	}
}

// noisy makes texts that cannot be compressed well.
func noisy(text string) string {
	b := []byte(text)
	state := uint32(1)
	for i := range b {
		if b[i] == 'x' {
			state = state*1664525 + 1013904223
			b[i] = 'a' + byte(state>>24)%26
		}
	}
	return string(b)
}

// What cannot be read to its end is an error where nothing is followed, and never a run with fewer rows.
func TestNeverFewerRows(t *testing.T) {
	server := buckettest.Start(t)
	for s := 1; s <= 5; s++ {
		server.Put(t, "runs", fmt.Sprintf("part/%d.jsonl", s), step(s, 2, 10))
	}
	for status, code := range map[int]string{403: "AccessDenied", 503: "SlowDown", 404: "NoSuchKey"} {
		proxy := buckettest.NewProxy(t, server.Host)
		useKeys(t, proxy.URL)
		proxy.SetAnswer(func(r buckettest.Request) (int, string) {
			if strings.HasSuffix(r.Path, "/4.jsonl") {
				return status, "<Error><Code>" + code + "</Code></Error>"
			}
			return 0, ""
		})
		s := open(t, loaders.Options{Storage: loaders.StorageOptions{Patience: time.Second}}, "s3://runs/part")
		s2 := model.NewStore()
		for {
			chunk, err := s.Next(t.Context())
			if err != nil {
				if err.Error() == "EOF" {
					t.Errorf("%s: %d rows, and no error", code, s2.Snapshot().Rows)
				}
				t.Log(err)
				break
			}
			s2.Append(chunk)
		}
	}
}

// Ten thousand objects are ten listings. Followed, they are asked for once a second.
func TestManyObjects(t *testing.T) {
	objects := 10_000
	if testing.Short() {
		objects = 2000 // two listings
	}
	server := buckettest.Start(t)
	proxy := buckettest.NewProxy(t, server.Host)
	useKeys(t, proxy.URL)
	files := map[string]string{}
	for s := 1; s <= objects; s++ {
		files[fmt.Sprintf("%d.jsonl", s)] = step(s, 1, 10)
	}
	dir := write(t, files)
	server.PutFolder(t, "runs", "many", dir)
	start := time.Now()
	s := open(t, loaders.Options{Follow: true}, "s3://runs/many")
	store := model.NewStore()
	read(t, s, store, 1)
	first := time.Since(start)
	snap := read(t, s, store, 4*objects)
	took := time.Since(start)
	asked, bytes := proxy.Take()
	t.Logf("first group after %v, all after %v with %d requests and %d bytes", first, took, len(asked), bytes)
	lists, most := 0, max(40, 10+int(took.Seconds())) // a busy machine reads for longer than it takes to list again
	for _, r := range asked {
		if strings.Contains(r.Query, "list-type") {
			lists++
		}
	}
	if len(snap.Steps) != objects || lists > most {
		t.Errorf("%d steps with %d listings", len(snap.Steps), lists)
	}
	same(t, readAll(t, loaders.Options{}, dir), snap)
}
