package commands

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// catalogue is a command that lists values of the frameworks, or describes those that its arguments name.
type catalogue[T any] struct {
	name, short string
	example     string // arguments that describe some
	all         func() []T
	frameworks  func() []string
	names       func(T) (framework, name string)
	unknown     string // the error for arguments that name nothing, with %q for them, %s for what was meant and %s for the frameworks
	list        func(io.Writer, []T) error
	format      formatFlag[func(io.Writer, []T) error]
}

// command returns the command for p.
func (c catalogue[T]) command(p *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:     c.name + " [FRAMEWORK] [NAME]",
		Short:   c.short,
		Example: "vantage " + c.name + "\nvantage " + c.name + " " + c.example,
		Args:    atMostTwo,

		ValidArgs: c.frameworks(),
		RunE: func(cmd *cobra.Command, args []string) error {
			list := slices.DeleteFunc(c.all(), func(x T) bool {
				framework, name := c.names(x)
				return slices.ContainsFunc(args, func(arg string) bool { return arg != framework && arg != name })
			})
			if len(list) == 0 {
				return Usage(c.unknownError(args))
			}
			write, err := c.format.writer(c.name)
			if err != nil {
				return err
			}
			if c.format.name == "text" && len(args) == 0 {
				write = c.list
			}
			return write(p.output(cmd.Context(), c.format.name), list)
		},
	}
	c.format.addTo(cmd)
	return cmd
}

// unknownError says what of the arguments nothing is called, or that no two belong together, and what was probably meant.
func (c catalogue[T]) unknownError(args []string) error {
	var known []string
	for _, x := range c.all() {
		framework, name := c.names(x)
		known = append(known, framework, name)
	}
	hint := ""
	for _, arg := range args {
		if hint == "" && !slices.Contains(known, arg) {
			hint = orMeant(arg, known)
		}
	}
	return fmt.Errorf(c.unknown, strings.Join(args, " "), hint, strings.Join(c.frameworks(), ", "))
}
