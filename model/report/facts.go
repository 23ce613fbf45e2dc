package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"vantage/model"
	"vantage/model/match"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Head says what a report is of, when it was written and by which version of the program, so that a page
// which was sent says so by itself. What is empty is left out.
type Head struct {
	Path    string
	Date    time.Time
	Version string
	Command string   // that writes the same report again, to be run in a shell; only the HTML page has it
	Folders []string // of this machine, with the separator at their end, which a page to be sent does not name
}

func (h Head) withoutFolders(text string) string {
	for _, folder := range h.Folders {
		text = strings.ReplaceAll(text, folder, "")
	}
	return text
}

// written returns the date with the version: "2026-01-02 03:04:05 UTC by vantage v1.2.3"; "" without a date.
func (h Head) written() string {
	if h.Date.IsZero() {
		return ""
	}
	text := h.Date.UTC().Format(time.DateTime) + " UTC"
	if h.Version != "" {
		text += " by vantage " + sanitize.Line(h.Version)
	}
	return text
}

// line returns path, date and version in one line; "" if there is neither.
func (h Head) line() string {
	parts := []string{sanitize.Line(h.Path), h.written()}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// Fact is something that was read or assumed of a run. Texts of the log in it are not sanitised.
type Fact struct {
	Key   string // by which a page selects it
	Label string
	Text  string
	Doubt bool   // the text, or the proof, is in doubt
	Proof string // what says so, with its sign; "" if nothing has to
	Sure  bool   // the proof
}

// Facts returns what was read of a run and how, and by whose arithmetic it is computed. The parts of the settings are
// divided by a separator. What is not known has no fact.
func Facts(snap model.Snapshot, set model.Settings, c match.Choice, grouping model.Grouping, separator string) []Fact {
	run := snap.Run
	settings := append([]string{estimatorText(set, c), "scale " + string(set.Scale)}, filterTexts(set)...)
	facts := []Fact{
		{Key: "log", Text: run.Format + " · " + units.Plural(len(snap.Steps), "steps") + " · " + units.Plural(snap.Rows, "samples") +
			attemptText(run.Attempts)},
		{Key: "read", Text: run.Provenance},
		{Key: "groups", Text: grouping.Evidence},
		{Key: "doubt", Label: "groups", Text: grouping.Doubt, Doubt: true},
		{Key: "statuses", Text: snap.StatusEvidence()},
		{Key: "rollouts", Text: snap.RolloutEvidence(set)},
		{Key: "lengths", Text: run.LengthUnit.Doc()},
		{Key: "config", Text: run.Config},
		{Key: "settings", Text: strings.Join(settings, separator)},
		{
			Key: "estimator", Text: set.Computes() + ", scale " + string(set.Scale), Proof: c.Reason(),
			Doubt: c.Differs() || c.Origin == match.Assumed, Sure: c.Confirmed(),
		},
		{Key: "overlong", Text: set.Overlong},
		{Key: "groups by", Text: set.GroupFilter},
		{Key: "off-policy", Text: set.OffPolicy},
		{Key: "loss", Text: set.Loss},
		{Key: "stage options", Label: " ", Text: set.StageOptions.String()},
		{Key: "options", Text: set.Options.String()},
		{Key: "reward", Text: rewardText(set, c.Rewards)},
	}
	for _, note := range run.Notes {
		facts = append(facts, Fact{Key: "left out", Text: note, Doubt: true})
	}
	return facts
}

// fact is something else that a page says behind a label.
func fact(label, text string) Fact { return Fact{Label: label, Text: text} }

// writeFacts writes a line for each fact that has a text, behind labels of some width.
func writeFacts(w io.Writer, width int, facts ...Fact) {
	for _, f := range facts {
		if f.Text != "" {
			fmt.Fprintf(w, "%-*s %s\n", width, f.Label, sanitize.Line(f.Text))
		}
	}
}

func (p *page) facts(separator string, keys ...string) []Fact {
	all := Facts(p.Snap, p.Settings, p.Choice, p.Grouping, separator)
	written := p.Head.written()
	all = append(all, Fact{Key: "path", Text: p.Head.Path}, Fact{Key: "report of", Text: written})
	if written != "" {
		all = append(all, Fact{Key: "report", Text: "of " + written})
	}
	if at := p.lastWrite(time.Local, time.DateTime); at != "" {
		all = append(all,
			Fact{Key: "last row", Label: "file", Text: "written " + at},
			Fact{Key: "freshness", Label: "file", Text: p.freshness()})
	}
	for _, note := range p.Snap.SolvedNotes(p.rewardScales) {
		all = append(all, Fact{Key: "solved", Text: note})
	}
	var selected []Fact
	for _, key := range keys {
		for _, f := range all {
			if f.Key != key || f.Text == "" {
				continue
			}
			if f.Key == "rollouts" && p.Per == PerGroup {
				f.Text += "; n is rollouts/rows"
			}
			f.Label = cmp.Or(f.Label, f.Key)
			selected = append(selected, f)
		}
	}
	return selected
}

// freshness says when the newest file was written, and whether the log still grew when the report was written.
func (p *page) freshness() string {
	at := "written " + p.lastWrite(time.UTC, time.DateTime) + " UTC"
	if p.Head.Date.IsZero() {
		return at
	}
	state, _ := p.Snap.Run.Progress.FreshnessText(p.Head.Date)
	return at + "; the run was " + state
}

// lastWrite returns when the newest file with samples was written; "" if the log is no file.
func (p *page) lastWrite(zone *time.Location, layout string) string {
	progress := p.Snap.Run.Progress
	if progress.LastWrite.IsZero() || progress.BytesAll == 0 {
		return ""
	}
	return progress.LastWrite.In(zone).Format(layout)
}

// attemptText says which of several attempts is reported.
func attemptText(a model.RunAttempts) string {
	if !a.Several() {
		return ""
	}
	return " · " + a.String()
}

// estimatorText names framework and estimator, and says who chose them if that is known.
func estimatorText(set model.Settings, c match.Choice) string {
	if c.Origin == "" {
		return set.Computes()
	}
	return c.String()
}

func filterTexts(set model.Settings) []string {
	all := []string{
		"keep_pos_ratio " + units.Fixed(set.KeepPos, 2), "keep_neg_ratio " + units.Fixed(set.KeepNeg, 2),
		"compute_new_adv " + units.OnOff(set.Recompute),
	}
	if set.Truncated != "" {
		all = append(all, "truncated "+set.Truncated)
	}
	return all
}

func rewardText(set model.Settings, r match.Rewards) string {
	return sanitize.Line(cmp.Or(r.String(), set.Reward+string(set.Weights)))
}
