// Package tui is the screen: what a person sees and what their keys do.
//
// App is a Bubble Tea model, copied at every message. Update is a switchboard; work runs
// in commands on immutable snapshots and carries the revision of its request, so that an
// outdated answer is dropped. View changes nothing.
package tui
