package lossweight

import (
	"fmt"

	"vantage/estimators"
)

// framework is a name that people know and the list of its losses.
type framework struct {
	name string
	list func() []*Loss
}

// frameworks is the list of everything there is, named as in package estimators and in its order.
func frameworks() []framework {
	return []framework{
		{"easyr1", easyR1},
		{"verl", verl},
		{"trl", trl},
		{"ms-swift", swift},
		{"openrlhf", openRLHF},
		{"nemo-rl", nemoRL},
		{"prime-rl", primeRL},
		{"slime", slime},
		{"skyrl", skyRL},
		{"roll", roll},
		{"tunix", tunix},
		{"easyr1-upstream", easyR1Upstream},
	}
}

// losses returns the losses of the framework. The first one is its default.
func (f framework) losses() []*Loss {
	list := f.list()
	for i, l := range list {
		l.Framework, l.Default = f.name, i == 0
	}
	return list
}

// All returns the losses, of each framework its default first. Framework and Name identify a loss: each
// call makes new values, so pointers do not compare.
func All() []*Loss {
	var all []*Loss
	for _, f := range frameworks() {
		all = append(all, f.losses()...)
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

// Default returns the loss of a framework that is told nothing, nil if the framework is not in the list.
func Default(framework string) *Loss {
	for _, f := range frameworks() {
		if f.name == framework {
			return f.losses()[0]
		}
	}
	return nil
}

// Find returns the loss of a framework by its name. The error lists the alternatives.
func Find(framework, name string) (*Loss, error) {
	var names []string
	for _, f := range frameworks() {
		if f.name != framework {
			continue
		}
		for _, l := range f.losses() {
			if l.Name == name {
				return l, nil
			}
			names = append(names, l.Name)
		}
		return nil, fmt.Errorf("%s has no loss %q: choose %s", framework, name, estimators.Alternatives(names))
	}
	return nil, fmt.Errorf("no loss of the framework %q is known: choose %s", framework, estimators.Alternatives(Frameworks()))
}
