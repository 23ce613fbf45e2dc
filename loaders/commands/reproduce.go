package commands

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandLine returns the command that was given, to be run in a shell again: arguments first, then flags by name.
// It is called before Configure, which adds other settings to those of flags. It holds no password of an address: what it
// stands in is sent to others.
func (p *Program) commandLine(cmd *cobra.Command, args []string) string {
	words := []string{cmd.CommandPath()}
	for _, arg := range args {
		shown, _ := withoutPassword(arg)
		words = append(words, shellWord(shown))
	}
	for _, o := range p.settings {
		words = append(words, shellWord("--"+o.Name+"="+o.Value))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if _, isSetting := f.Value.(*settingFlag); !isSetting {
			words = append(words, shellWord("--"+f.Name+"="+f.Value.String()))
		}
	})
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell if that would take it apart.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
