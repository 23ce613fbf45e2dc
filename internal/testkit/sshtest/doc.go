// Package sshtest starts a real sshd on loopback for tests, with keys and a configuration of its own, behind a proxy that can
// be slow, silent, or away.
package sshtest
