package buckettest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a program and a server: it counts, and does what networks and stores do.
type Proxy struct {
	URL string

	mu     sync.Mutex
	asked  []Request
	bytes  int64
	delay  time.Duration
	down   bool
	answer func(Request) (status int, body string) // instead of the server's; status 0 means the server's
}

// Request is one that was made.
type Request struct{ Method, Path, Query, Range string }

// NewProxy returns a proxy to a host.
func NewProxy(t *testing.T, host string) *Proxy {
	t.Helper()
	p := &Proxy{}
	to := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: host})
		r.Out.Host = r.In.Host // it is signed
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Range")}
		p.mu.Lock()
		p.asked = append(p.asked, asked)
		delay, down, answer := p.delay, p.down, p.answer
		p.mu.Unlock()
		time.Sleep(delay)
		if down {
			panic(http.ErrAbortHandler) // the connection is cut
		}
		if answer != nil {
			if status, body := answer(asked); status != 0 {
				w.WriteHeader(status)
				_, _ = io.WriteString(w, body)
				return
			}
		}
		to.ServeHTTP(&countingWriter{w, p}, r)
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// countingWriter counts the bytes of answers.
type countingWriter struct {
	http.ResponseWriter
	proxy *Proxy
}

func (w *countingWriter) Write(b []byte) (int, error) {
	w.proxy.mu.Lock()
	w.proxy.bytes += int64(len(b))
	w.proxy.mu.Unlock()
	return w.ResponseWriter.Write(b)
}

// SetDelay makes each answer wait, as a link with such a round trip does.
func (p *Proxy) SetDelay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// SetDown cuts all connections, or lets them work again.
func (p *Proxy) SetDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// SetAnswer gives other answers than the server; status 0 means the server's.
func (p *Proxy) SetAnswer(answer func(Request) (status int, body string)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// Take returns the requests since the last call, and how many bytes were answered.
func (p *Proxy) Take() (asked []Request, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, bytes = p.asked, p.bytes
	p.asked, p.bytes = nil, 0
	return asked, bytes
}
