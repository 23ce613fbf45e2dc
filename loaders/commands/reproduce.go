package commands

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLine returns the command that was given, to be run in a shell again: arguments first, then flags by name; the
// other way round, with -- between, if an argument would be taken for a flag.
// It is called before Configure, which adds other settings to those of flags. It holds no password of an address: what it
// stands in is sent to others.
func (p *Program) commandLine(cmd *cobra.Command, args []string) string {
	var given, flags []string
	for _, arg := range args {
		shown, _ := withoutPassword(arg)
		given = append(given, shellWord(shown))
	}
	for _, o := range p.settings {
		flags = append(flags, shellWord("--"+o.Name+"="+o.Value))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, isSetting := f.Value.(*settingFlag); !isSetting {
			flags = append(flags, shellWord("--"+f.Name+"="+f.Value.String()))
		}
	})
	words := slices.Concat([]string{cmd.CommandPath()}, given, flags)
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") && arg != "-" }) {
		words = slices.Concat([]string{cmd.CommandPath()}, flags, []string{"--"}, given)
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell if that would change it. What cannot be printed, such as a newline, stands in $'…' as
// its bytes, which bash, zsh and ksh know: where the command is shown, it is one line of visible characters.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-"
	switch {
	case word != "" && word[0] != '=' && strings.Trim(word, plain) == "": // zsh takes =ls for the path of ls
		return word
	case utf8.ValidString(word) && !strings.ContainsFunc(word, isUnprintable):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var quoted strings.Builder
	for i, r := range word {
		switch _, size := utf8.DecodeRuneInString(word[i:]); {
		case r == '\'' || r == '\\':
			quoted.WriteString(`\` + string(r))
		case r == utf8.RuneError && size == 1 || isUnprintable(r):
			for _, b := range []byte(word[i : i+size]) {
				fmt.Fprintf(&quoted, `\%03o`, b)
			}
		default:
			quoted.WriteRune(r)
		}
	}
	return "$'" + quoted.String() + "'"
}

func isUnprintable(r rune) bool { return !unicode.IsPrint(r) }
