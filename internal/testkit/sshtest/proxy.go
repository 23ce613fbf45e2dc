package sshtest

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy passes on connections to a server, as slowly as it is told.
type Proxy struct {
	Up, Down atomic.Int64 // bytes that were passed on

	listener net.Listener

	mu     sync.Mutex
	to     string
	delay  time.Duration
	silent chan struct{} // open while nothing is passed on; nil if it is
	away   bool
	open   map[net.Conn]bool
}

// NewProxy starts a proxy for a server.
func NewProxy(tb testing.TB, to string) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{to: to, listener: l, open: map[net.Conn]bool{}}
	go p.accept()
	tb.Cleanup(func() {
		_ = l.Close()
		p.Cut()
	})
	return p
}

// Address is where it listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

func (p *Proxy) setTarget(to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = to
}

// SetDelay sets how long a byte takes in each direction: half of a round trip.
func (p *Proxy) SetDelay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// SetSilent passes nothing on, as a network that loses everything, or again.
func (p *Proxy) SetSilent(silent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case silent && p.silent == nil:
		p.silent = make(chan struct{})
	case !silent && p.silent != nil:
		close(p.silent)
		p.silent = nil
	}
}

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
	clear(p.open)
}

// SetAway ends all connections and takes no other, or takes them again.
func (p *Proxy) SetAway(away bool) {
	p.mu.Lock()
	p.away = away
	p.mu.Unlock()
	if away {
		p.Cut()
	}
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(c)
	}
}

func (p *Proxy) serve(c net.Conn) {
	p.mu.Lock()
	to := p.to
	p.mu.Unlock()
	s, err := net.Dial("tcp", to)
	if err != nil {
		_ = c.Close()
		return
	}
	p.mu.Lock()
	if p.away {
		_ = c.Close()
		_ = s.Close()
	} else {
		p.open[c], p.open[s] = true, true
	}
	p.mu.Unlock()
	go p.pass(c, s, &p.Down)
	p.pass(s, c, &p.Up)
}

// packet is bytes that are due at a time.
type packet struct {
	data []byte
	due  time.Time
}

// pass passes on what comes from one connection to the other.
func (p *Proxy) pass(to, from net.Conn, count *atomic.Int64) {
	packets := make(chan packet, 4096)
	go func() {
		defer close(packets)
		for {
			buf := make([]byte, 32<<10)
			n, err := from.Read(buf)
			if n > 0 {
				p.mu.Lock()
				due := time.Now().Add(p.delay)
				p.mu.Unlock()
				packets <- packet{buf[:n], due}
			}
			if err != nil {
				return
			}
		}
	}()
	for next := range packets {
		time.Sleep(time.Until(next.due))
		p.mu.Lock()
		silent := p.silent
		p.mu.Unlock()
		if silent != nil {
			<-silent
		}
		if _, err := to.Write(next.data); err != nil {
			break
		}
		count.Add(int64(len(next.data)))
	}
	_ = to.Close()
	_ = from.Close()
}
