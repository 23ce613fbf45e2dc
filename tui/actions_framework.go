package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/estimators"
	"vantage/model"
)

// nextFramework goes to the next framework that has an estimator which the log
// can feed: the same one by name, if it can be.
func (a App) nextFramework() (App, tea.Cmd) {
	if set, passed, ok := a.frameworkAfter(); ok {
		return a.walked(set, passed)
	}
	return a, nil
}

// frameworkAfter is the settings with the next framework, and those that are passed over.
func (a App) frameworkAfter() (set model.Settings, passed []string, ok bool) {
	names := estimators.Frameworks()
	at := slices.Index(names, a.set.now.Framework)
	for i := 1; i <= len(names); i++ {
		set := a.set.now.WithFramework(names[(at+i)%len(names)])
		if set, ok := a.fed(set); ok {
			return set, passed, true
		}
		passed = append(passed, set.Framework+" (nothing that the log can feed)")
	}
	return set, passed, false
}

// fed is the settings if the log can feed their estimator, else with the first
// estimator of the framework that it can.
func (a App) fed(set model.Settings) (model.Settings, bool) {
	if entry, err := set.Entry(); err == nil && a.snap.Lacks(entry) == nil {
		return set, true
	}
	for _, e := range estimatorsOf(set.Framework) {
		if a.snap.Lacks(e) == nil {
			return set.WithEstimator(e.Name), true
		}
	}
	return set, false
}

// nextEstimator goes to the next estimator of the framework that the log can
// feed, and says which were passed over.
func (a App) nextEstimator() (App, tea.Cmd) {
	if set, passed, ok := a.estimatorAfter(); ok {
		return a.walked(set, passed)
	}
	return a, nil
}

// estimatorAfter is the settings with the next estimator, and those that are passed over.
func (a App) estimatorAfter() (set model.Settings, passed []string, ok bool) {
	all := estimatorsOf(a.set.now.Framework)
	at := slices.IndexFunc(all, func(e *estimators.Estimator) bool { return e.Name == a.set.now.Estimator })
	for i := 1; i <= len(all); i++ {
		e := all[(at+i)%len(all)]
		if a.snap.Lacks(e) == nil {
			return a.set.now.WithEstimator(e.Name), passed, true
		}
		passed = append(passed, e.Name+" ("+a.snap.Lacks(e).Short()+")")
	}
	return set, passed, false
}

// walked goes there, and says what the log could not feed on the way.
func (a App) walked(set model.Settings, passed []string) (App, tea.Cmd) {
	a, cmd := a.walk(set)
	if a.notice == "" && len(passed) > 0 {
		a.notice = fmt.Sprintf("passed over %s: E lists all and says what to log", strings.Join(passed, ", "))
	}
	return a, cmd
}

func estimatorsOf(framework string) []*estimators.Estimator {
	return slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool { return e.Framework != framework })
}
