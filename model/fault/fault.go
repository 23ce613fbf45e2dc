// Package fault carries a panic, which is a fault of the program, to the place that can say so: a worker's to who waits for it, a file's to
// the reading of that file, any other to main, which gives the terminal back and writes a sentence. It has the only goroutines and the only
// recover of the program. In: functions. Out: what they return, or their [Fault] as a panic of who waits. All packages call it.
package fault

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// Fault is a panic. It goes on as a panic of itself.
type Fault struct {
	Doing string // what the program did: "drawing the screen"; "" if nobody said
	Cause any    // with which it panicked
	Stack []byte // of the goroutine that did
}

const maxCause = 200 // characters: a text of a log may be in it

// Error says what went wrong.
func (f *Fault) Error() string { return "a fault of vantage: " + f.Reason() }

// Reason says with what the program panicked.
func (f *Fault) Reason() string {
	reason := []rune(fmt.Sprint(f.Cause))
	if len(reason) > maxCause {
		reason = append(reason[:maxCause-1], '…')
	}
	return string(reason)
}

// During says what the program did, unless that is known.
func (f *Fault) During(doing string) *Fault {
	if f.Doing == "" {
		f.Doing = doing
	}
	return f
}

func of(cause any) *Fault {
	if f, ok := cause.(*Fault); ok {
		return f
	}
	return &Fault{Cause: cause, Stack: debug.Stack()}
}

// Catch calls with for a panic, which it ends. It is deferred.
func Catch(with func(*Fault)) {
	if cause := recover(); cause != nil {
		with(of(cause))
	}
}

// Outcome is what a function returned, or its panic.
type Outcome[T any] struct {
	value T
	fault *Fault
}

// Try calls a function.
func Try[T any](f func() T) (o Outcome[T]) {
	defer Catch(func(f *Fault) { o.fault = f })
	o.value = f()
	return o
}

// Get returns what the function returned, or panics as it did.
func (o Outcome[T]) Get() T {
	if o.fault != nil {
		panic(o.fault)
	}
	return o.value
}

// Result returns what the function returned, or its panic.
func (o Outcome[T]) Result() (T, *Fault) { return o.value, o.fault }

// Later calls a function in a goroutine. Its outcome comes through the channel, whether anyone waits or not.
func Later[T any](f func() T) <-chan Outcome[T] {
	done := make(chan Outcome[T], 1)
	go func() { done <- Try(f) }()
	return done
}

// Go calls a function in a goroutine for which nobody waits: its panic ends the program.
func Go(f func()) {
	go func() {
		defer Catch(func(f *Fault) {
			select {
			case unheard <- f.During("working in the background"):
			default: // one is enough to end it
			}
		})
		f()
	}()
}

var unheard = make(chan *Fault, 1)

// Unheard is where main hears of a panic of a goroutine that nobody waits for.
func Unheard() <-chan *Fault { return unheard }

// Group is goroutines that are waited for together.
type Group struct {
	running sync.WaitGroup
	mu      sync.Mutex
	first   *Fault
}

// Go calls a function in a goroutine.
func (g *Group) Go(f func()) { g.running.Go(func() { g.Here(f) }) }

// Here calls a function at once, as if it were another one's work: a panic waits for the others too.
func (g *Group) Here(f func()) {
	defer Catch(func(f *Fault) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.first == nil {
			g.first = f
		}
	})
	f()
}

// Wait waits for all, and panics as the first did that panicked.
func (g *Group) Wait() {
	g.running.Wait()
	if g.first != nil {
		panic(g.first)
	}
}

// planted names the variable of the environment that says where a test wants a panic: "place:detail". The linker sets it in a build for
// tests (-X vantage/model/fault.planted=NAME); the program has none.
var planted string

// Plant panics where a test wants it.
func Plant(place, detail string) {
	if planted == "" {
		return
	}
	if at, what, _ := strings.Cut(os.Getenv(planted), ":"); at == place && strings.Contains(detail, what) {
		panic("planted in " + place)
	}
}
