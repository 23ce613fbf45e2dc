package bucket_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vantage/loaders/discover"
	"vantage/loaders/storage/bucket"
)

// A store that names the same page as the next one is an error: to ask for it again would never end.
func TestListingWithoutEnd(t *testing.T) {
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>`+
			`<Contents><Key>runs/1.jsonl</Key><Size>3</Size><ETag>"a"</ETag><LastModified>2026-11-22T10:00:00Z</LastModified></Contents></ListBucketResult>`)
	}))
	t.Cleanup(store.Close)
	useKeys(t, store.URL)
	b, key, err := bucket.Open("s3://logs/runs", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	if _, err := b.Tree(key); err == nil || !strings.Contains(err.Error(), "cannot be listed whole") {
		t.Error(err)
	}
}

// Keys that no path can name are handed on to be said, and folders' own are not.
func TestListingOfUnnamedKeys(t *testing.T) {
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `<ListBucketResult>`)
		for _, key := range []string{"runs/", "runs//", "runs//2.jsonl", "runs/1.jsonl", "runs/a/"} {
			_, _ = io.WriteString(w, `<Contents><Key>`+key+`</Key><Size>3</Size><ETag>"a"</ETag><LastModified>2026-11-22T10:00:00Z</LastModified></Contents>`)
		}
		_, _ = io.WriteString(w, `</ListBucketResult>`)
	}))
	t.Cleanup(store.Close)
	useKeys(t, store.URL)
	b, key, err := bucket.Open("s3://logs/runs", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	tree, err := b.Tree(key)
	if err != nil {
		t.Fatal(err)
	}
	l, err := discover.ListTree(tree, 9)
	if notes := strings.Join(l.Skipped(), "\n"); err != nil || strings.Join(l.Files, " ") != "1.jsonl" || !strings.Contains(notes, "rows may be missing: runs//2.jsonl;") {
		t.Errorf("%v, %s, %v", l, notes, err)
	}
}
