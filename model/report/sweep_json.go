package report

import (
	"encoding/json"
	"fmt"
	"io"

	"vantage/model/sweep"
)

// sweepJSON is what SweepJSON writes.
type sweepJSON struct {
	Schema         string             `json:"schema"`
	Steps          int                `json:"steps"`
	Where          string             `json:"where,omitempty"`
	Settings       settingsJSON       `json:"settings"`
	Estimator      *choiceJSON        `json:"estimator,omitempty"`
	Reward         *rewardJSON        `json:"reward,omitempty"`
	Rows           int                `json:"rows"` // of the log: more than samples if these are rollouts of several rows
	Cells          []json.RawMessage  `json:"cells"`
	NoFilter       *settingJSON       `json:"no_filter"`
	Current        *settingJSON       `json:"current,omitempty"`
	Front          []*settingJSON     `json:"front"`
	Recommendation recommendationJSON `json:"recommendation"`
	Others         []otherGoalJSON    `json:"other_goals,omitempty"`
	Complete       bool               `json:"complete"`
}

// settingJSON is a setting with what it is judged by.
type settingJSON struct {
	KeepPos   float64        `json:"keep_pos_ratio"`
	KeepNeg   float64        `json:"keep_neg_ratio"`
	Recompute bool           `json:"compute_new_adv"`
	Abs       numberJSON     `json:"abs"`
	Effective numberJSON     `json:"effective"`
	Trained   int            `json:"trained"`
	Flips     int            `json:"flips"`
	Killed    int            `json:"killed"`
	Short     int            `json:"short"`
	Push      numberJSON     `json:"push"`
	Warnings  map[string]int `json:"warnings,omitempty"` // steps by kind; none of what is recommended
}

func newSettingJSON(c *sweep.Cell) *settingJSON {
	if c == nil {
		return nil
	}
	s := &settingJSON{c.KeepPos, c.KeepNeg, c.Recompute, numberJSON(c.AbsRatio()), numberJSON(c.Effective()), c.Trained, c.Flips, c.Killed, c.Short, numberJSON(c.Push()), nil}
	for _, w := range c.Warned.Kinds() {
		if s.Warnings == nil {
			s.Warnings = map[string]int{}
		}
		s.Warnings[string(w.Kind)] = w.Steps
	}
	return s
}

// recommendationJSON is the choice; without signal it has no setting.
type recommendationJSON struct {
	Goal  string  `json:"goal"`
	Least float64 `json:"least_abs"` // share of Σ|A| that goals other than signal keep at least
	Rule  string  `json:"rule"`
	Why   string  `json:"because"`
	*settingJSON
}

// otherGoalJSON is the choice for another goal.
type otherGoalJSON struct {
	Goal string `json:"goal"`
	*settingJSON
}

// SweepJSON writes one object:
//
//	{"schema": "vantage/sweep@1", "steps": 3, "settings": {…}, "estimator": {…}, "cells": [{"keep_pos_ratio": 0.5, "keep_neg_ratio": 1, "compute_new_adv": false,
//	 "samples": 512, "groups": 32, "signal": 20, …}, …], "no_filter": {…}, "current": {…}, "front": [{…}, …],
//	 "recommendation": {"goal": "cost", "rule": "…", "because": "…", "keep_pos_ratio": 0.7, …}, "other_goals": [{…}, …], "complete": true}
//
// estimator and reward are as in [JSON]. complete comes last. A cell has the selected figures under their
// names; numbers that JSON lacks are strings. The settings below the cells have what they are judged by,
// and in how many steps they raise which warnings; current is left out if the settings have no filter. A
// log without signal has a recommendation without settings.
func SweepJSON(w io.Writer, s Sweep) error {
	a := s.recommend(s.Goal)
	out := sweepJSON{
		Schema: "vantage/sweep@1", Steps: s.Grid.Steps, Where: s.Where, Settings: newSettingsJSON(s.Grid.Settings), Estimator: newChoiceJSON(s.Choice), Reward: newRewardJSON(s.Choice.Rewards),
		Rows: s.Grid.Rows, NoFilter: newSettingJSON(s.Grid.NoFilter()), Current: newSettingJSON(s.Current), Front: []*settingJSON{},
		Recommendation: recommendationJSON{a.Goal.Name, a.Goal.Least, a.Rule, a.Reason, newSettingJSON(a.Cell)}, Complete: true,
	}
	s.eachCell(func(c *sweep.Cell) { out.Cells = append(out.Cells, s.cellJSON(c)) })
	for _, c := range a.Front {
		out.Front = append(out.Front, newSettingJSON(c))
	}
	for _, name := range sweep.GoalNames() {
		if other := s.recommend(sweep.Goal{Name: name, Least: s.Goal.Least}); name != s.Goal.Name && other.Cell != nil {
			out.Others = append(out.Others, otherGoalJSON{name, newSettingJSON(other.Cell)})
		}
	}
	return writeJSON(w, out)
}

func (s Sweep) cellJSON(c *sweep.Cell) json.RawMessage {
	out := fmt.Appendf(nil, `{"keep_pos_ratio":%g,"keep_neg_ratio":%g,"compute_new_adv":%t,"samples":%d,"groups":%d`, c.KeepPos, c.KeepNeg, c.Recompute, c.Samples, c.Groups)
	for _, f := range s.Figures {
		out = fmt.Appendf(out, `,%q:`, f.Name)
		out = appendNumber(out, f.Value(c), 64)
	}
	return append(out, '}')
}

// numberJSON is a number, or the string "NaN" where there is none.
type numberJSON float64

// MarshalJSON writes the number.
func (x numberJSON) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(x), 64), nil }
