package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/sanitize"
)

// CheckState is what a check found, for [CheckPrometheus].
type CheckState struct {
	Path   string
	Result check.Result // without findings if the log could not be checked
	Log    check.Log
	Newest *analysis.StepFigures // the newest complete step; nil if there is none
}

// CheckPrometheus writes gauges in the text format of Prometheus, version 0.0.4, for the textfile collector of
// node_exporter, which reads files that end in .prom and takes no time stamps: it exports their time of change itself,
// as node_textfile_mtime_seconds. Every sample has the label path. A rule that nothing has a value for has no sample.
func CheckPrometheus(w io.Writer, s *CheckState) error {
	out := bufio.NewWriter(w)
	for _, g := range s.gauges() {
		if len(g.samples) == 0 {
			continue
		}
		fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", g.name, g.help, g.name)
		for _, x := range g.samples {
			labels := labelOf("path", s.Path)
			for _, l := range x.labels {
				labels += "," + labelOf(l[0], l[1])
			}
			fmt.Fprintf(out, "%s{%s} %s\n", g.name, labels, strconv.FormatFloat(x.value, 'g', -1, 64))
		}
	}
	return out.Flush()
}

type gauge struct {
	name, help string
	samples    []gaugeSample
}

// gaugeSample is a value, of what labels say, each a name and a value.
type gaugeSample struct {
	value  float64
	labels [][2]string
}

func labelOf(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(sanitize.Line(value)) + `"`
}

// foundGauge is what ails the run, the first of each kind and severity.
func foundGauge(d *diagnosis.Diagnosis) gauge {
	found := gauge{name: "vantage_finding", help: "The step since which something ails the run, by kind and severity."}
	for i := range d.Findings {
		f := &d.Findings[i]
		if !slices.ContainsFunc(d.Findings[:i], func(o diagnosis.Finding) bool { return o.Kind == f.Kind && o.Severity == f.Severity }) {
			found.samples = append(found.samples,
				gaugeSample{float64(f.Since), [][2]string{{"kind", string(f.Kind)}, {"severity", string(f.Severity)}}})
		}
	}
	return found
}

func (s *CheckState) gauges() []gauge {
	one := func(name, help string, x float64) gauge { return gauge{name, help, []gaugeSample{{value: x}}} }
	const success, successHelp = "vantage_check_success", "Whether the log could be read and checked, whatever the result of the rules."
	if len(s.Result.Findings) == 0 {
		return []gauge{one(success, successHelp, 0)}
	}
	failed := gauge{name: "vantage_rule_failed", help: "Whether a rule of the check fails."}
	steps := gauge{name: "vantage_rule_failed_steps", help: "Steps at which a rule of the check fails."}
	seen := map[string]bool{} // the same sample twice would make node_exporter refuse the file
	for i := range s.Result.Findings {
		f := &s.Result.Findings[i]
		rule, x := f.Rule.String(), 0.0
		if f.Passed() && !f.Evaluated() || seen[rule] {
			continue
		}
		if seen[rule] = true; !f.Passed() {
			x = 1
		}
		failed.samples = append(failed.samples, gaugeSample{x, [][2]string{{"rule", rule}}})
		steps.samples = append(steps.samples, gaugeSample{float64(len(f.Failed)), [][2]string{{"rule", rule}}})
	}
	all := []gauge{
		one(success, successHelp, 1), failed, steps,
		one("vantage_log_rows", "Rows of the log, with those that could not be read.", float64(s.Log.Rows)),
		one("vantage_log_unreadable_rows", "Rows of the log that could not be read.", float64(s.Log.Unreadable)),
	}
	if d := s.Log.Diagnosis; d != nil {
		all = append(all, one("vantage_alarms", "How many alarms there are.", float64(d.Alarms())), foundGauge(d))
	}
	if !s.Log.LastWrite.IsZero() {
		all = append(all, one("vantage_log_last_write_timestamp_seconds", "When the log was last written, in seconds since 1970.",
			float64(s.Log.LastWrite.UnixMilli())/1000))
	}
	if s.Newest == nil {
		return all
	}
	for _, g := range []struct{ figure, name, help string }{
		{"step", "vantage_step", "Number of the newest complete step."},
		{"samples", "vantage_step_samples", "Samples of the newest complete step."},
		{"nonzero_samples", "vantage_step_nonzero_samples", "Samples of the newest complete step that train: their advantage is not 0."},
		{"groups", "vantage_step_groups", "Groups of the newest complete step."},
		{"signal_groups", "vantage_step_signal_groups", "Groups of the newest complete step that carry signal."},
		{"", "vantage_step_groups_by_fate", "Groups of the newest complete step by what became of them."},
		{"reward_mean", "vantage_step_reward_mean", "Mean reward of the samples of the newest complete step that the log holds."},
		{"length_mean", "vantage_step_length_mean", "Mean length of the responses of the newest complete step, in the unit of the log."},
	} {
		if g.figure == "" {
			fates := gauge{name: g.name, help: g.help}
			for _, f := range model.Fates() {
				fates.samples = append(fates.samples, gaugeSample{float64(s.Newest.Fates[f]), [][2]string{{"fate", f.Key()}}})
			}
			all = append(all, fates)
		} else if x := figures.Select(figures.Steps(), g.figure)[0].Value(s.Newest).Float(); x == x { // the log may have none
			all = append(all, one(g.name, g.help, x))
		}
	}
	return all
}
