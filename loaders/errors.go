package loaders

// Error says what is wrong with a path, and what to do about it.
type Error struct {
	Path string
	What string // "does not exist"
	Do   string // "check the path"
	Err  error  // the cause, if there is one
}

// Error returns what, where and what to do in one sentence.
func (e *Error) Error() string { return e.Path + " " + e.What + ": " + e.Do }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
