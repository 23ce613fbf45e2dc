package estimators

import (
	"fmt"
	"slices"
	"strings"
)

// framework is a name that people know and the list of its estimators.
type framework struct {
	name string
	list func() []*Estimator
}

// frameworks is the list of everything there is: the default first, the frameworks that
// most people run before the others.
func frameworks() []framework {
	return []framework{
		{"easyr1", easyR1},
		{"twinkle", twinkle},
		{"verl", verl},
		{"trl", trl},
		{"ms-swift", swift},
		{"openrlhf", openRLHF},
		{"nemo-rl", nemoRL},
		{"prime-rl", primeRL},
		{"slime", slime},
		{"skyrl", skyRL},
		{"roll", roll},
		{"open-instruct", openInstruct},
		{"tinker", tinker},
		{"verifiers", verifiers},
		{"areal", areal},
		{"miles", miles},
		{"rllm", rllm},
		{"tunix", tunix},
		{"rlinf", rlinf},
		{"axolotl", axolotl},
		{"art", art},
		{"cosmos-rl", cosmosRL},
		{"trinity", trinity},
		{"papers", papers},
		{"easyr1-upstream", easyR1Upstream},
		{"verl-2026-01", verl202601},
		{"trl-1.5", trl15},
	}
}

// estimators returns the estimators of the framework, the default one first.
func (f framework) estimators() []*Estimator {
	list := f.list()
	for _, e := range list {
		e.Framework = f.name
	}
	return list
}

// All returns the estimators, the default one first. Framework and Name identify an
// estimator: each call makes new values, so pointers do not compare.
func All() []*Estimator {
	var all []*Estimator
	for _, f := range frameworks() {
		all = append(all, f.estimators()...)
	}
	return all
}

// AllWith returns the estimators, those with options that have all of the keys.
func AllWith(options Options) []*Estimator {
	all := All()
	for i, e := range all {
		if options == "" || options.Of(e.Options) != options {
			continue
		}
		if with, err := e.With(options); err == nil {
			all[i] = with
		}
	}
	return all
}

// HasOption reports whether an estimator has an option that the key means: see [FindOption].
func HasOption(key string) bool {
	return slices.ContainsFunc(All(), func(e *Estimator) bool {
		_, found := FindOption(e.Options, key)
		return found
	})
}

// IsOption reports whether an estimator has an option of exactly this name.
func IsOption(key string) bool {
	return slices.ContainsFunc(All(), func(e *Estimator) bool {
		return slices.ContainsFunc(e.Options, func(o Option) bool { return o.Key == key })
	})
}

// Frameworks returns the names of the frameworks, in the order of [All].
func Frameworks() []string {
	var names []string
	for _, f := range frameworks() {
		names = append(names, f.name)
	}
	return names
}

// Find returns the estimator of a framework by its name. The error lists the
// alternatives.
func Find(framework, name string) (*Estimator, error) {
	var names []string
	for _, f := range frameworks() {
		if f.name != framework {
			continue
		}
		for _, e := range f.estimators() {
			if e.Name == name {
				return e, nil
			}
			names = append(names, e.Name)
		}
		return nil, fmt.Errorf("%s has no estimator %q: choose %s", framework, name, Alternatives(names))
	}
	return nil, fmt.Errorf("no framework %q: choose %s", framework, Alternatives(Frameworks()))
}

// Alternatives joins names: "a", "a or b", "a, b or c".
func Alternatives(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
