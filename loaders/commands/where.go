package commands

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/units"
)

// selection is what the query of --where selects: the samples or groups that a command counts, and how many groups they are of.
type selection struct {
	kind  string // what is selected: "samples" or "groups"
	text  string
	query figures.Query

	matching, groups     int
	matchingSteps, steps int
}

func (s *selection) addTo(flags *pflag.FlagSet) {
	doc := "only " + s.kind + " that match this query: fate:alive sample.length>4000"
	if s.kind == "groups" {
		doc += "; a group matches if one of its samples does"
	}
	flags.StringVar(&s.text, "where", "", doc)
}

// parse parses the query, which matches everything without the flag.
func (s *selection) parse() (err error) {
	if s.query, err = figures.ParseQuery(s.text); err != nil {
		return Usage(fmt.Errorf("--where: %w", err))
	}
	return nil
}

// of returns the indexes of the groups of a step that match, ascending.
func (s *selection) of(a *analysis.Analysis) []int {
	selected := []int{}
	for g := range a.Table {
		if s.query.MatchesGroup(a, g) {
			selected = append(selected, g)
		}
	}
	s.groups, s.matching = s.groups+a.Groups, s.matching+len(selected)
	s.steps++
	if len(selected) > 0 {
		s.matchingSteps++
	}
	return selected
}

// sentence says what is selected, "" without a query.
func (s *selection) sentence() string {
	if s.text == "" {
		return ""
	}
	return fmt.Sprintf("only %s groups, in %s of %s: those where %s", units.Fraction(s.matching, s.groups), units.Count(s.matchingSteps), units.Plural(s.steps, "steps"), s.text)
}

// addPrompts adds the hashes of the prompts of which a group of the run matches.
func (s *selection) addPrompts(ctx context.Context, snap model.Snapshot, set model.Settings, hashes map[uint64]bool) error {
	set.GroupBy, set.NumGenerations, set.Proved = model.GroupByPrompt, 0, model.ProvedGroups{}
	at := 0
	return analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		for _, g := range s.of(a) {
			if number := snap.Steps[at].PromptNumber(int(a.InputRow[a.Offsets[g]])); number > 0 {
				hashes[snap.Prompt(number).Hash] = true
			}
		}
		at++
		return nil
	})
}

// onlyLogged returns the snapshot with the logged advantages of the groups that match: those of others are
// missing, though the groups stay in their batches.
func (s *selection) onlyLogged(ctx context.Context, snap model.Snapshot, set model.Settings) (model.Snapshot, error) {
	steps := slices.Clone(snap.Steps)
	at := 0
	err := analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		logged := slices.Repeat([]float64{math.NaN()}, a.Rows)
		for _, g := range s.of(a) {
			for i := a.Offsets[g]; i < a.Offsets[g+1]; i++ {
				logged[a.InputRow[i]] = a.LoggedAdvantages[i]
			}
		}
		steps[at].LoggedAdvantages = logged
		at++
		return nil
	})
	return snap.Only(steps), err
}

func (s *selection) nothing() error {
	return fmt.Errorf("--where %q matches no %s of these steps under these settings", s.text, s.kind)
}
