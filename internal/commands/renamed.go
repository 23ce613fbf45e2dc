package commands

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vantage/model/trainer"
)

// rename is a verb that works for one release under its old name too, as the words that stand for it now.
type rename struct {
	old string
	now []string

	first bool // the first argument belongs right behind these words
}

// renames are all such verbs. When the release is over, a row goes to what is gone in model.
func renames() []rename {
	return []rename{
		{old: "estimators", now: []string{"list", "estimators"}},
		{old: "filters", now: []string{"list", "filters"}},
		{old: "losses", now: []string{"list", "losses"}},
		{old: "overlong", now: []string{"list", "overlong"}},
		{old: "formats", now: []string{"list", "formats"}},
		{old: "show", now: []string{"why"}},
		{old: "steps", now: []string{"report", "--brief"}},
		{old: "groupsize", now: []string{"plan", "--sizes-only"}},
		{old: "flags", now: []string{"report", "--emit"}, first: true},
	}
}

// renamed are the commands of the old names. No help lists them, and each is nothing but the command line that stands for it now.
func (p *program) renamed() (all []*cobra.Command) {
	for _, r := range renames() {
		now := "vantage " + strings.Join(r.now, " ")
		all = append(all, &cobra.Command{
			Use: r.old, Short: "Old name of `" + now + "`", Hidden: true, DisableFlagParsing: true,
			RunE: func(cmd *cobra.Command, args []string) error {
				root := cmd.Root()
				if r.first {
					var err error
					if args, err = firstAhead(root, r, args); err != nil {
						return err
					}
				}
				style := "text"
				if wantsJSON(args) {
					style = "json"
				}
				p.note(style, fmt.Sprintf("%s is called `%s` now; the old name works until the next release", r.old, now))
				root.SetArgs(slices.Concat(r.now, args))
				return root.ExecuteContext(cmd.Context())
			},
		})
	}
	return all
}

// firstAhead returns arguments with the first that is neither a flag nor the value of one ahead of all.
func firstAhead(root *cobra.Command, r rename, args []string) ([]string, error) {
	cmd, _, err := root.Find(r.now[:1])
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(args); i++ {
		if args[i] == "-h" || args[i] == "--help" {
			return []string{trainer.Names()[0], "--help"}, nil
		}
		name, isFlag := strings.CutPrefix(args[i], "--")
		if !isFlag {
			return slices.Concat(args[i:i+1], args[:i], args[i+1:]), nil
		}
		if f := cmd.Flags().Lookup(name); f != nil && f.NoOptDefVal == "" {
			i++ // its value
		}
	}
	return nil, usage(fmt.Errorf("%s takes one framework: %s", r.old, strings.Join(trainer.Names(), ", ")))
}
