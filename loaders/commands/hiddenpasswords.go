package commands

import (
	"strings"

	"vantage/loaders/clickhouse"
)

// hidePasswords takes the passwords out of addresses among the arguments, so that no title, session or error shows
// them.
func (p *Program) hidePasswords(args []string) []string {
	hidden := make([]string, len(args))
	for i, arg := range args {
		shown, has := withoutPassword(arg)
		if hidden[i] = shown; !has {
			continue
		}
		_, without := cutLabel(shown)
		_, full := cutLabel(arg)
		if !clickhouse.IsAddress(full) {
			p.note(p.OutputFormat, "the password in an address is not used, and can be seen by everybody who lists the processes of this machine: leave it out; ssh, and the keys of buckets, are as configured for ssh and for AWS's tools")
			continue
		}
		if p.passwords == nil {
			p.passwords = map[string]string{}
		}
		if t, err := clickhouse.ParseAddress(full); err == nil {
			p.passwords[without] = t.Password
		}
		p.note(p.OutputFormat, "a password in an address can be seen by everybody who lists the processes of this machine: put it into CLICKHOUSE_PASSWORD, or a file for --password-file")
	}
	return hidden
}

// noteSentPlain notes which tables among the arguments are asked for over a network without encryption.
func (p *Program) noteSentPlain(args []string) {
	for _, arg := range args {
		_, full := cutLabel(arg)
		if !clickhouse.IsAddress(full) {
			continue
		}
		if t, err := clickhouse.ParseAddress(full); err == nil && t.PlainWarning() != "" {
			p.note(p.OutputFormat, t.PlainWarning())
		}
	}
}

// withoutPassword returns an argument without the password of an address in it, and whether there was one.
func withoutPassword(arg string) (string, bool) {
	label, full := cutLabel(arg)
	without, has := clickhouse.WithoutPassword(full)
	return label + without, has
}

// cutLabel cuts label=ADDRESS after the sign, where it is one; else the label is empty.
func cutLabel(arg string) (label, rest string) {
	before, _, _ := strings.Cut(arg, "://")
	at := strings.LastIndexByte(before, '=') + 1
	return arg[:at], arg[at:]
}
