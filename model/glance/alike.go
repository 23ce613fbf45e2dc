package glance

import (
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
)

// AlikeWarning is the doubt about a step some of whose answers were read and are alike, nil if there is none. a is the analysis of the
// step, nil where no group of it is to be shown.
func AlikeWarning(answers diagnosis.Answers, s *analysis.StepFigures, a *analysis.Analysis) *model.Warning {
	alike := answers.Alike[s.Step]
	if !alike.Found() || !Suspect(s) {
		return nil
	}
	example := -1
	if a != nil {
		example = slices.IndexFunc(a.Table, func(g analysis.Group) bool { return g.Fate == model.FateAllWrong })
	}
	text := fmt.Sprintf("are all wrong, and their answers alike: %s, %d of %d that were read", alike, alike.Same, alike.Read)
	return &model.Warning{
		Kind: analysis.WarnAnswersAlike, Step: s.Step, Count: s.Fates[model.FateAllWrong], Of: s.Groups, Unit: "groups", Example: example,
		Text: text,
		Advice: "read one (Enter); if they are refusals or empty, look at chat template, system prompt and stop tokens, not at the " +
			"difficulty of the prompts",
	}
}

// Suspect reports whether the answers of a step may be alike: at least half of its groups are all wrong.
func Suspect(s *analysis.StepFigures) bool {
	return !s.Pending && !s.Open && s.Groups > 0 && 2*s.Fates[model.FateAllWrong] >= s.Groups
}

// likenessOf is what is known of the answers of each step. Those of a suspect step that were not read are taken to be as those of the step
// read before it, and after, among suspect steps: a span says of how many of its steps answers were read.
func likenessOf(t *analysis.Trend, answers diagnosis.Answers) []diagnosis.Alike {
	all := make([]diagnosis.Alike, len(t.Steps))
	before, last := diagnosis.Alike{}, 0 // what was read last, and where
	for i := range t.Steps {
		s := &t.Steps[i]
		read, isRead := answers.Alike[s.Step]
		switch {
		case !Suspect(s):
			before = diagnosis.Alike{}
		case isRead:
			for k := last + 1; k < i && before.Found() && before.Kind == read.Kind; k++ {
				all[k] = diagnosis.Alike{Kind: read.Kind, Words: before.Words, First: before.First}
			}
			all[i], before, last = read, read, i
		}
	}
	return all
}
