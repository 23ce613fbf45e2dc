// Package userfiles reads and writes the user's own files: the configuration of the screen,
// copies and exports under the state directory, and a session file per run. It writes
// nothing next to a log. main passes it to the screen.
package userfiles
