package bucket

import (
	"context"
	"io"
	"net/http"
	"time"

	"vantage/loaders/fileio"
)

// An answer that is no range of an object, as a page of a listing, may be so long and take so long: the client reads all of it.
const (
	maxAnswer  = 64 << 20
	answerTime = time.Minute
)

var errLongAnswer = &fileio.Failure{What: "cannot be listed: its store answers with more than 64 MB for 1000 keys", Do: "look at the endpoint"}

// boundedAnswers ends what a store does not end by itself, and all answers when the bucket is closed. Ranges are bounded by who
// asks for them. It implements [http.RoundTripper].
type boundedAnswers struct {
	base http.RoundTripper
	open context.Context // done when the bucket is closed: the client takes none where it lists
}

// RoundTrip implements [http.RoundTripper].
func (b *boundedAnswers) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := b.open.Err(); err != nil {
		return nil, err
	}
	if r.Header.Get("Range") != "" {
		return b.base.RoundTrip(r)
	}
	ctx, cancel := context.WithTimeout(r.Context(), answerTime)
	stop := context.AfterFunc(b.open, cancel)
	end := func() { stop(); cancel() }
	answer, err := b.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		end()
		return nil, err
	}
	answer.Body = &boundedBody{answer.Body, maxAnswer, end}
	return answer, nil
}

// boundedBody is an answer of which at most so many bytes are left to read.
type boundedBody struct {
	io.ReadCloser
	left int64
	end  func()
}

// Read implements [io.Reader].
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongAnswer
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Close implements [io.Closer].
func (b *boundedBody) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}
