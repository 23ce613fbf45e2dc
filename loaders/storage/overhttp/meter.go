package overhttp

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"vantage/model"
)

// Meter measures how the link to a server is, by the requests that are made anyway.
type Meter struct {
	Host string // as a person named it
	Base http.RoundTripper

	wasUp   atomic.Bool
	mu      sync.Mutex
	asked   bool
	latency time.Duration // the shortest of the last answers, with weight on the newest
	lost    string        // why; "" if the last request was answered
}

// RoundTrip implements [http.RoundTripper]. An answer that says no is an answer.
func (m *Meter) RoundTrip(r *http.Request) (*http.Response, error) {
	start := time.Now()
	answer, err := m.Base.RoundTrip(r)
	if err != nil && errors.Is(r.Context().Err(), context.Canceled) {
		return answer, err // nobody waits for it any more
	}
	m.note(time.Since(start), err, r.URL.Host)
	if err == nil && answer.StatusCode < http.StatusInternalServerError {
		m.wasUp.Store(true)
	}
	return answer, err
}

func (m *Meter) note(took time.Duration, err error, host string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked, m.lost = true, ""
	switch {
	case err != nil:
		m.lost = Failure(err, host).What
	case m.latency == 0 || took < m.latency:
		m.latency = took
	default:
		m.latency += (took - m.latency) / 8
	}
}

// WasUp reports whether the server has answered, and not only that it cannot.
func (m *Meter) WasUp() bool { return m.wasUp.Load() }

// Link returns how the link is. Who lost it makes the next request soon.
func (m *Meter) Link() model.Link {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := model.Link{Host: m.Host, Latency: m.latency.Round(time.Millisecond)}
	switch {
	case m.lost != "":
		l.State, l.Reason = model.LinkLost, m.lost
	case !m.asked:
		l.State = model.LinkConnecting
	}
	return l
}
