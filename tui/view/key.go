package view

import "vantage/tui/env"

// Binding is a row of the key table. Dispatch, the hints, the help, the manual and the pages come from it.
type Binding struct {
	Keys  []string // as Bubble Tea names them
	Label string   // as a person reads them
	Hint  string   // in the last line of the screen; "": not there
	Doc   string   // in the help and the documentation
	Do    Do
}

// Do is what a key does: it changes the view on the screen, and returns what that wants of the program.
type Do func(v View, e env.Env) Want

// Section is a named part of the key table.
type Section struct {
	Name     string
	Bindings []Binding
}

// Key is a key of a view's own.
func Key[V View](change func(V, env.Env) Want) Do {
	return func(v View, e env.Env) Want { return change(v.(V), e) }
}

// By is a key that moves something of a view by so much.
func By[V View](move func(V, env.Env, int) Want, n int) Do {
	return func(v View, e env.Env) Want { return move(v.(V), e, n) }
}

// Ask is a key that changes nothing of the view: it is for the program.
func Ask(w Want) Do {
	return func(View, env.Env) Want { return w }
}
