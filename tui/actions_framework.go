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
	if set, skipped, ok := a.frameworkAfter(); ok {
		return a.switchToSkipping(set, skipped)
	}
	return a, nil
}

// frameworkAfter is the settings with the next framework, and those that are passed over.
func (a App) frameworkAfter() (set model.Settings, skipped []string, ok bool) {
	names := estimators.Frameworks()
	at := slices.Index(names, a.settings.now.Framework)
	for i := 1; i <= len(names); i++ {
		set := a.settings.now.WithFramework(names[(at+i)%len(names)])
		if set, ok := a.supported(set); ok {
			return set, skipped, true
		}
		skipped = append(skipped, set.Framework+" (nothing that the log can feed)")
	}
	return set, skipped, false
}

// supported is the settings if the log can feed their estimator, else with the first
// estimator of the framework that it can.
func (a App) supported(set model.Settings) (model.Settings, bool) {
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
	if set, skipped, ok := a.estimatorAfter(); ok {
		return a.switchToSkipping(set, skipped)
	}
	return a, nil
}

// estimatorAfter is the settings with the next estimator, and those that are passed over.
func (a App) estimatorAfter() (set model.Settings, skipped []string, ok bool) {
	all := estimatorsOf(a.settings.now.Framework)
	at := slices.IndexFunc(all, func(e *estimators.Estimator) bool { return e.Name == a.settings.now.Estimator })
	for i := 1; i <= len(all); i++ {
		e := all[(at+i)%len(all)]
		if a.snap.Lacks(e) == nil {
			return a.settings.now.WithEstimator(e.Name), skipped, true
		}
		skipped = append(skipped, e.Name+" ("+a.snap.Lacks(e).Short()+")")
	}
	return set, skipped, false
}

// switchToSkipping goes there, and says what the log could not feed on the way.
func (a App) switchToSkipping(set model.Settings, skipped []string) (App, tea.Cmd) {
	a, cmd := a.switchTo(set)
	if a.notice == "" && len(skipped) > 0 {
		a.notice = fmt.Sprintf("passed over %s: E lists all and says what to log", strings.Join(skipped, ", "))
	}
	return a, cmd
}

func estimatorsOf(framework string) []*estimators.Estimator {
	return slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool { return e.Framework != framework })
}
