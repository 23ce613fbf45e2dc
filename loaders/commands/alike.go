package commands

import (
	"context"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/glance"
)

// maxAlikeSteps is of how many steps answers are read, the newest first.
const maxAlikeSteps = 64

// alikeReader reads a few answers of steps whose groups are mostly all wrong, to say whether they are alike.
type alikeReader struct {
	source Source
	snap   model.Snapshot
	set    model.Settings
}

// of says how far answers of step i of the snapshot are alike. What cannot be read is not alike.
func (r alikeReader) of(ctx context.Context, i int) (glance.Alike, *analysis.Analysis, error) {
	a, err := analysis.Analyze(ctx, r.snap, i, r.set)
	if err != nil {
		return glance.Alike{}, nil, err
	}
	var texts []model.Text
	for _, column := range glance.Samples(a) {
		if text, err := r.source.Text(ctx, r.snap.Steps[i].Place(int(a.InputRow[column]))); err == nil {
			texts = append(texts, text)
		}
	}
	return glance.Judge(texts), a, ctx.Err()
}

// warnings returns the warnings about the newest steps whose answers are alike, by the number of the step. The steps are
// computed once more for that, one at a time: which of them are asked is known at the end.
func (r alikeReader) warnings(ctx context.Context) (map[int64]model.Warning, error) {
	var suspects []int
	err := analysis.Each(ctx, r.snap, r.set, func(a *analysis.Analysis) error {
		if i, found := r.snap.Find(a.Step); found && glance.Suspect(&a.Summary) {
			suspects = append(suspects, i)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	warnings := map[int64]model.Warning{}
	for _, i := range suspects[max(0, len(suspects)-maxAlikeSteps):] {
		alike, a, err := r.of(ctx, i)
		if err != nil {
			return nil, err
		}
		example := slices.IndexFunc(a.Table, func(g analysis.Group) bool { return g.Fate == model.FateAllWrong })
		if w := alike.Warning(&a.Summary, example); w != nil {
			warnings[a.Step] = *w
		}
	}
	return warnings, nil
}

// warningsFor is warnings if a rule asks for them, else none.
func (r alikeReader) warningsFor(ctx context.Context, rules []check.Rule) (map[int64]model.Warning, error) {
	if !asksForAlike(rules) {
		return nil, nil
	}
	return r.warnings(ctx)
}

// asksForAlike reports whether a rule is about answers that are alike.
func asksForAlike(rules []check.Rule) bool {
	return slices.ContainsFunc(rules, func(r check.Rule) bool { return r.Name == string(model.WarnAnswersAlike) })
}

// withWarning adds the warning about a step to it.
func withWarning(s *analysis.Summary, warnings map[int64]model.Warning) {
	if w, found := warnings[s.Step]; found {
		s.Warnings = append(slices.Clip(s.Warnings), w)
	}
}
