// Package commands holds the commands without a screen. Arguments and flags come in through
// cobra; each command reads a log to its end and writes what a writer of model/report makes
// of it to [Program].Out, notes and errors to ErrOut. main adds [Program.All] to its root
// command. A command is a file here and an entry of All.
package commands
