package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/sanitize"
)

// CheckState is what a check found, for [CheckPrometheus].
type CheckState struct {
	Path   string
	Result check.Result // without findings if the log could not be checked
	Log    check.Log
	Newest *analysis.StepFigures // the newest complete step; nil if there is none
}

// gauge is a metric with its samples: labels, as name and value in turn, and the value.
type gauge struct {
	name, help string
	samples    []gaugeSample
}

type gaugeSample struct {
	labels []string
	value  float64
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
			fmt.Fprintf(out, "%s{%s} %s\n", g.name, labelList(append([]string{"path", s.Path}, x.labels...)), strconv.FormatFloat(x.value, 'g', -1, 64))
		}
	}
	return out.Flush()
}

// labelList returns labels, as name and value in turn, in the syntax of Prometheus.
func labelList(labels []string) string {
	var list []string
	for i := 0; i < len(labels); i += 2 {
		list = append(list, labels[i]+`="`+labelEscapes.Replace(sanitize.Line(labels[i+1]))+`"`)
	}
	return strings.Join(list, ",")
}

// labelEscapes are those of a label value.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (s *CheckState) gauges() []gauge {
	if len(s.Result.Findings) == 0 {
		return []gauge{checked(0)}
	}
	all := append([]gauge{checked(1)}, s.ruleGauges()...)
	all = append(all, gaugeOf("vantage_log_rows", "Rows of the log, with those that could not be read.", float64(s.Log.Rows)),
		gaugeOf("vantage_log_unreadable_rows", "Rows of the log that could not be read.", float64(s.Log.Unreadable)))
	if !s.Log.LastWrite.IsZero() {
		all = append(all, gaugeOf("vantage_log_last_write_timestamp_seconds", "When the log was last written, in seconds since 1970.", float64(s.Log.LastWrite.UnixMilli())/1000))
	}
	if n := s.Newest; n != nil {
		all = append(all, stepGauges(n)...)
	}
	return all
}

// checked says whether the log could be checked.
func checked(x float64) gauge {
	return gaugeOf("vantage_check_success", "Whether the log could be read and checked, whatever the rules say.", x)
}

func gaugeOf(name, help string, x float64) gauge {
	return gauge{name, help, []gaugeSample{{nil, x}}}
}

func (s *CheckState) ruleGauges() []gauge {
	failed := gauge{name: "vantage_rule_failed", help: "Whether a rule of the check fails."}
	steps := gauge{name: "vantage_rule_failed_steps", help: "Steps at which a rule of the check fails."}
	seen := map[string]bool{} // the same sample twice would make node_exporter refuse the file
	for i := range s.Result.Findings {
		f := &s.Result.Findings[i]
		if f.Passed() && !f.Evaluated() || seen[f.Rule.String()] {
			continue
		}
		seen[f.Rule.String()] = true
		x, labels := 0.0, []string{"rule", f.Rule.String()}
		if !f.Passed() {
			x = 1
		}
		failed.samples = append(failed.samples, gaugeSample{labels, x})
		steps.samples = append(steps.samples, gaugeSample{labels, float64(len(f.Failed))})
	}
	return []gauge{failed, steps}
}

// stepGauges are the figures of the newest complete step.
func stepGauges(n *analysis.StepFigures) []gauge {
	fates := gauge{name: "vantage_step_groups_by_fate", help: "Groups of the newest complete step by what became of them."}
	for _, f := range model.Fates() {
		fates.samples = append(fates.samples, gaugeSample{[]string{"fate", f.Key()}, float64(n.Fates[f])})
	}
	all := []gauge{
		gaugeOf("vantage_step", "Number of the newest complete step.", float64(n.Step)),
		gaugeOf("vantage_step_samples", "Samples of the newest complete step.", float64(n.Rows)),
		gaugeOf("vantage_step_nonzero_samples", "Samples of the newest complete step that train: their advantage is not 0.", float64(n.Nonzero)),
		gaugeOf("vantage_step_groups", "Groups of the newest complete step.", float64(n.Groups)),
		gaugeOf("vantage_step_signal_groups", "Groups of the newest complete step that carry signal.", float64(n.Signal)),
		fates,
	}
	for _, m := range []struct{ metric, name, help string }{
		{"critic/score/mean", "vantage_step_reward_mean", "Mean reward of the samples of the newest complete step that the log holds."},
		{"response_length/mean", "vantage_step_length_mean", "Mean length of the responses of the newest complete step, in the unit of the log."},
	} {
		if x := n.Metric(m.metric); x == x {
			all = append(all, gaugeOf(m.name, m.help, x))
		}
	}
	return all
}
