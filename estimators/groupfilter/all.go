package groupfilter

import (
	"fmt"
	"strings"
)

// framework is a name that people know and the list of its filters.
type framework struct {
	name string
	list func() []*Filter
}

// frameworks is the list of everything there is, in the order of package estimators.
func frameworks() []framework {
	return []framework{
		{"verl", verl},
		{"ms-swift", swift},
		{"openrlhf", openRLHF},
		{"nemo-rl", nemoRL},
		{"prime-rl", primeRL},
		{"slime", slime},
		{"miles", miles},
		{"skyrl", skyRL},
		{"roll", roll},
		{"open-instruct", openInstruct},
		{"tinker", tinker},
		{"easyr1-upstream", easyR1Upstream},
		{"trinity", trinity},
		{"rllm", rLLM},
		{"cosmos-rl", cosmosRL},
		{"ragen", ragen},
	}
}

// filters returns the filters of the framework.
func (f framework) filters() []*Filter {
	list := f.list()
	for _, filter := range list {
		filter.Framework = f.name
	}
	return list
}

// All returns the filters. Framework and Name identify one: each call makes new values, so pointers do
// not compare.
func All() []*Filter {
	var all []*Filter
	for _, f := range frameworks() {
		all = append(all, f.filters()...)
	}
	return all
}

// Frameworks returns the names of the frameworks, in the order of [All].
func Frameworks() []string {
	var names []string
	for _, f := range frameworks() {
		names = append(names, f.name)
	}
	return names
}

// Find returns the filter of a framework by its name; "" is its first one. The error lists the
// alternatives.
func Find(framework, name string) (*Filter, error) {
	for _, f := range frameworks() {
		if f.name != framework {
			continue
		}
		list := f.filters()
		if name == "" {
			return list[0], nil
		}
		var names []string
		for _, filter := range list {
			if filter.Name == name {
				return filter, nil
			}
			names = append(names, filter.Name)
		}
		return nil, fmt.Errorf("%s has no group filter %q: choose %s", framework, name, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no framework with a group filter is called %q: choose %s", framework, strings.Join(Frameworks(), ", "))
}
