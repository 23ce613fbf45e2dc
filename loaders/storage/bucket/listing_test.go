package bucket_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

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
