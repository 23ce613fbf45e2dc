package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
)

// nextFramework switches to the next framework with an estimator that the log supports:
// that of the same name, if it does. It says which frameworks it skips.
func (a App) nextFramework() App {
	var skipped []string
	names := estimators.Frameworks()
	at := slices.Index(names, a.settings.now.Framework)
	for i := 1; i <= len(names); i++ {
		set := a.settings.now.WithFramework(names[(at+i)%len(names)])
		if set, ok := a.supported(set); ok {
			return a.switchToSkipping(set, skipped)
		}
		skipped = append(skipped, set.Framework+" (the log lacks what its estimators need)")
	}
	return a
}

// supported returns set if the log has all that its estimator needs, else set with the
// first such estimator of the framework; ok is false if there is none.
func (v env) supported(set model.Settings) (model.Settings, bool) {
	if entry, err := set.FindEstimator(); err == nil && v.snap.Missing(entry) == nil {
		return set, true
	}
	for _, e := range estimatorsOf(set.Framework) {
		if v.snap.Missing(e) == nil {
			return set.WithEstimator(e.Name), true
		}
	}
	return set, false
}

// nextEstimator switches to the next estimator of the framework that the log supports, and
// says which it skips and why.
func (a App) nextEstimator() App {
	var skipped []string
	all := estimatorsOf(a.settings.now.Framework)
	at := slices.IndexFunc(all, func(e *estimators.Estimator) bool { return e.Name == a.settings.now.Estimator })
	for i := 1; i <= len(all); i++ {
		e := all[(at+i)%len(all)]
		if a.snap.Missing(e) == nil {
			return a.switchToSkipping(a.settings.now.WithEstimator(e.Name), skipped)
		}
		skipped = append(skipped, e.Name+" ("+a.snap.Missing(e).Short()+")")
	}
	return a
}

// switchToSkipping is switchTo with a notice of what was skipped.
func (a App) switchToSkipping(set model.Settings, skipped []string) App {
	a = a.switchTo(set)
	if a.notice == "" && len(skipped) > 0 {
		a.notice = fmt.Sprintf("skipped %s; E lists all estimators and what each needs in the log", strings.Join(skipped, ", "))
	}
	return a
}

func estimatorsOf(framework string) []*estimators.Estimator {
	return slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool { return e.Framework != framework })
}
