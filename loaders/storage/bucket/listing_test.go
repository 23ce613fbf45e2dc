package bucket_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/storage/bucket"
)

// openAnswered opens the bucket of a store that answers so.
func openAnswered(t *testing.T, answer http.HandlerFunc) (fileio.Storage, string) {
	t.Helper()
	store := httptest.NewServer(answer)
	t.Cleanup(store.Close)
	useKeys(t, store.URL)
	b, key, err := bucket.Open("s3://logs/runs", "", 0)
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
