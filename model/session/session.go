// Package session holds what the screen saves about a run between two openings: the last view.
// Sessions are values; [Encode] and [Decode] are their file format. The screen and userfiles
// call it.
package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"vantage/estimators"
	"vantage/model"
)

// Session is what is saved about a run.
type Session struct {
	View  *View  `json:"view,omitempty"`  // nil: the defaults
	Marks []Mark `json:"marks,omitempty"` // of an earlier release, until they are printed
}

// Mark is what an earlier release kept: a note on a step, on a group of it or on a sample of that. It is read so that nobody's notes
// are lost.
type Mark struct {
	Step   int64  `json:"step"`
	Group  string `json:"group,omitempty"`  // name; "" for a mark on the step
	Sample int    `json:"sample,omitempty"` // row of the group in log order, from 1; 0 for a mark on the group
	Label  string `json:"shown,omitempty"`  // the beginning of its prompt
	Note   string `json:"note,omitempty"`
}

// String returns what is marked and the note, in a line.
func (m Mark) String() string {
	text := fmt.Sprintf("step %d", m.Step)
	if m.Group != "" {
		text += ", group " + m.Group
	}
	if m.Sample > 0 {
		text += fmt.Sprintf(", row %d", m.Sample)
	}
	if m.Label != "" {
		text += fmt.Sprintf(" (%s)", m.Label)
	}
	if m.Note != "" {
		text += ": " + m.Note
	}
	return text
}

// View is the state of the screen when the run was left. Zero values are defaults.
type View struct {
	Estimator *Estimator `json:"estimator,omitempty"` // nil: not chosen by the user
	KeepPos   float64    `json:"keep_pos_ratio"`
	KeepNeg   float64    `json:"keep_neg_ratio"`
	Recompute bool       `json:"compute_new_adv,omitempty"`
	SolvedAt  string     `json:"solved_at,omitempty"`
	Truncated string     `json:"truncated,omitempty"`

	Overlong    string `json:"overlong,omitempty"`
	GroupFilter string `json:"group_filter,omitempty"`
	OffPolicy   string `json:"off_policy,omitempty"`
	Loss        string `json:"loss,omitempty"`

	StageOptions estimators.Options `json:"stage_options,omitempty"` // of these stages

	Scope    string `json:"scope,omitempty"` // the steps on the screen: "step", "last 10", "all"; "" if not chosen by the user
	Filter   string `json:"filter,omitempty"`
	Sort     string `json:"sort,omitempty"`
	Reversed bool   `json:"turned,omitempty"` // sort order
	Figure   string `json:"figure,omitempty"` // of the distribution
	LogScale bool   `json:"log,omitempty"`    // of the distribution's counts
	Metric   string `json:"metric,omitempty"` // of the steps
	Sweep    string `json:"sweep,omitempty"`  // figure of the sweep
	Goal     string `json:"goal,omitempty"`   // of the sweep's recommendation
	OpenView string `json:"seen,omitempty"`
	Theme    string `json:"theme,omitempty"` // "" if not chosen by the user
}

// Estimator is the user's choice of arithmetic.
type Estimator struct {
	Framework string             `json:"framework"`
	Name      string             `json:"adv_estimator"`
	Scale     string             `json:"scale"`
	Options   estimators.Options `json:"options,omitempty"`
}

// EstimatorOf returns the estimator of some settings.
func EstimatorOf(set model.Settings) Estimator {
	return Estimator{set.Framework, set.Estimator, string(set.Scale), set.Options}
}

// ApplyTo returns set with the saved values, except those that isSet reports as set on the
// command line, by option name. Framework, estimator, scale and options count as one value; options of the command line are added. Saved
// values that are invalid are ignored.
func (v *View) ApplyTo(set model.Settings, isSet func(option string) bool) model.Settings {
	if v == nil {
		return set
	}
	isGiven := isSet("framework") || isSet("adv_estimator") || isSet("scale")
	if e := v.Estimator; e != nil && !isGiven {
		candidate := set
		candidate.Framework, candidate.Estimator = e.Framework, e.Name
		candidate.Scale, candidate.Options = estimators.Scale(e.Scale), e.Options
		for key, value := range set.Options.All() {
			candidate.Options = candidate.Options.With(key, value)
		}
		if candidate.Effective().Validate() == nil {
			set = candidate
		}
	}
	if !isSet("keep_pos_ratio") && isRatio(v.KeepPos) {
		set.KeepPos = v.KeepPos
	}
	if !isSet("keep_neg_ratio") && isRatio(v.KeepNeg) {
		set.KeepNeg = v.KeepNeg
	}
	if !isSet("compute_new_adv") {
		set.Recompute = v.Recompute
	}
	return v.applyNamed(set, isSet)
}

func (v *View) applyNamed(set model.Settings, isSet func(option string) bool) model.Settings {
	named := []model.Option{
		{Name: "solved_at", Value: v.SolvedAt},
		{Name: "truncated", Value: cmp.Or(v.Truncated, "train")},
		{Name: "overlong", Value: v.Overlong},
		{Name: "group_filter", Value: v.GroupFilter},
		{Name: "off_policy", Value: v.OffPolicy},
		{Name: "loss", Value: v.Loss},
	}
	for _, option := range v.StageOptions.List() {
		named = append(named, model.Option{Name: "option", Value: option})
	}
	for _, saved := range named {
		if isSet(saved.Name) {
			continue
		}
		if with, err := set.Set(saved.Name, saved.Value); err == nil && with.Effective().Validate() == nil {
			set = with
		}
	}
	return set
}

func isRatio(x float64) bool { return x >= 0 && x <= 1 }

// version is the version of the file format. A file of another version is left alone.
const version = 1

// MaxFile is the maximum size of a session file in bytes.
const MaxFile = 2 << 20

type sessionFile struct {
	Vantage int      `json:"vantage"`
	Run     []string `json:"run"`
	Session
}

// Encode returns the session file of the run at these paths.
func Encode(run []string, s Session) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(sessionFile{version, run, s}); err != nil {
		return nil, err
	}
	if b.Len() > MaxFile {
		return nil, fmt.Errorf("the session of the run has %d bytes, but at most %d are saved", b.Len(), MaxFile)
	}
	return b.Bytes(), nil
}

// Decode parses what Encode returned for the same run. Anything else is an error, so that
// the caller does not overwrite it.
func Decode(data []byte, run []string) (Session, error) {
	var f sessionFile
	dec := json.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&f); err != nil {
		return Session{}, fmt.Errorf("not a session file: %w", err)
	}
	switch {
	case dec.More():
		return Session{}, errors.New("data after the end")
	case f.Vantage != version:
		return Session{}, fmt.Errorf("version %d, but this program reads version %d", f.Vantage, version)
	case !slices.Equal(f.Run, run):
		return Session{}, fmt.Errorf("session of another run: %q", f.Run)
	}
	return f.Session, nil
}

// HasMarks reports whether data is a session file with marks of an earlier release.
func HasMarks(data []byte) bool {
	f, _ := parse(data)
	return len(f.Marks) > 0
}

// IsSession reports whether data is a session file of this version.
func IsSession(data []byte) bool {
	_, ok := parse(data)
	return ok
}

func parse(data []byte) (sessionFile, bool) {
	var f sessionFile
	if err := json.Unmarshal(data, &f); err != nil || f.Vantage != version || len(f.Run) == 0 {
		return sessionFile{}, false
	}
	return f, true
}

// RunOf returns the paths of the run whose session file data is, nil if it is none.
func RunOf(data []byte) []string {
	f, _ := parse(data)
	return f.Run
}
