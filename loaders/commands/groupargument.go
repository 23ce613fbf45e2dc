package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report"
)

// groupAndPaths divides the arguments of a command about one group.
func (p *Program) groupAndPaths(command string, args []string) (group string, paths []string, set model.Settings, err error) {
	if len(args) < 2 {
		return "", nil, set, Usage(fmt.Errorf("%s takes a group and then a path, as `vantage %s GROUP PATH`: `vantage summary PATH` names groups", command, command))
	}
	if _, err := os.Stat(args[0]); err == nil {
		if _, err := os.Stat(args[1]); err != nil {
			return "", nil, set, Usage(fmt.Errorf("%s is a path: the group comes first, as `vantage %s %s %s`", args[0], command, args[1], args[0]))
		}
	}
	paths, set, err = p.pathsAndSettings(args[1:])
	return args[0], paths, set, err
}

// openGroup opens the log of a command about one group, and finds the group. It is for the caller to close.
func (p *Program) openGroup(ctx context.Context, command string, args []string, steps stepRange) (Source, report.Why, error) {
	group, paths, set, err := p.groupAndPaths(command, args)
	if err != nil {
		return nil, report.Why{}, err
	}
	source, answer, err := p.openAnswer(ctx, paths, set)
	if err != nil {
		return nil, report.Why{}, err
	}
	y, err := findGroup(ctx, answer, group, steps)
	if err != nil {
		source.Close()
		return nil, report.Why{}, err
	}
	return source, y, nil
}

// errNoGroup is the error of a name that no group has.
var errNoGroup = errors.New("no such group")

// findGroup returns the newest group of a name, or of the only name that begins so. steps limits where to look.
func findGroup(ctx context.Context, answer report.Answer, name string, steps stepRange) (report.Why, error) {
	y := report.Why{Answer: answer}
	snap, err := steps.selectFrom(answer.Snap)
	if err != nil {
		return y, err
	}
	names, err := groupNames(ctx, snap, answer.Settings)
	if err != nil {
		return y, classifyError(err)
	}
	if name, err = chooseName(names, name); err != nil {
		return y, err
	}
	newest := 0
	for i := range snap.Steps {
		if slices.Contains(names[i], name) {
			y.Steps, newest = append(y.Steps, snap.Steps[i].Number), i
		}
	}
	if y.Analysis, err = analysis.Analyze(ctx, snap, newest, answer.Settings); err != nil {
		return y, classifyError(err)
	}
	y.Group = slices.IndexFunc(y.Analysis.Table, func(g analysis.Group) bool { return g.Name == name })
	if y.Group < 0 {
		return y, fmt.Errorf("%w: %s", errNoGroup, name)
	}
	return y, nil
}

// groupNames returns the names of the groups of each step.
func groupNames(ctx context.Context, snap model.Snapshot, set model.Settings) ([][]string, error) {
	names := make([][]string, len(snap.Steps))
	for i := range snap.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		grouped, err := analysis.GroupStep(snap, i, set)
		if err != nil {
			return nil, err
		}
		for k := range len(grouped.Offsets) - 1 {
			names[i] = append(names[i], grouped.GroupName(k))
		}
	}
	return names, nil
}

// shownNames is how many names an error lists.
const shownNames = 5

// chooseName returns the name that is given, or the only one that begins with it.
func chooseName(names [][]string, given string) (string, error) {
	begin := map[string]bool{}
	var some []string
	for i := range names {
		for _, name := range names[len(names)-1-i] { // the newest step first
			switch {
			case name == given:
				return name, nil
			case given != "" && strings.HasPrefix(name, given):
				begin[name] = true
			case len(some) < shownNames:
				some = append(some, name)
			}
		}
	}
	switch {
	case len(begin) == 1:
		for name := range begin {
			return name, nil
		}
	case len(begin) > 1:
		var all []string
		for name := range begin {
			all = append(all, name)
		}
		slices.Sort(all)
		return "", fmt.Errorf("%w: several begin with %q, such as %s: write more of it", errNoGroup, given, strings.Join(all[:min(shownNames, len(all))], ", "))
	}
	return "", fmt.Errorf("%w: none is called %q, or begins so; the log has groups such as %s; `vantage summary PATH` names some without signal", errNoGroup, given, strings.Join(some, ", "))
}
