// Package tui is the program of the screen: it takes messages, keeps what all views read, and does what they want.
//
// App is a Bubble Tea model, copied at every message. Update is a switchboard; work runs in commands on immutable snapshots, and an answer
// to another request than the latest is dropped. A view is a package below this one, with its own state: it draws from the env that it is
// handed, and its keys return what they want of the program as values, which grant does. View changes nothing.
package tui
