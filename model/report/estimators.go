package report

import (
	"fmt"
	"io"
	"strings"

	"vantage/estimators"
)

// EstimatorList writes a line per estimator: name, scales, formula, and what it needs
// besides rewards and groups.
func EstimatorList(w io.Writer, list []*estimators.Estimator) error {
	var b strings.Builder
	framework := ""
	for _, e := range list {
		if e.Framework != framework {
			framework = e.Framework
			fmt.Fprintf(&b, "%s\n", framework)
		}
		fmt.Fprintf(&b, "  %-30s %-17s %s\n", e.Name, strings.Join(scaleNames(e), " "), formulaText(e))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func formulaText(e *estimators.Estimator) string {
	if !e.Computable() {
		return "not from rewards alone: " + e.Formula
	}
	if needs := needNames(e); len(needs) > 0 {
		return e.Formula + "  [needs " + strings.Join(needs, ", ") + "]"
	}
	return e.Formula
}

// EstimatorPages writes the full description of each estimator.
func EstimatorPages(w io.Writer, list []*estimators.Estimator) error {
	return writePages(w, list, func(b *strings.Builder, e *estimators.Estimator) {
		fmt.Fprintf(b, "%s %s\n", e.Framework, e.Name)
		for _, part := range [][2]string{
			{"formula", e.Formula},
			{"notes", e.Doc},
			{"scales", strings.Join(scaleNames(e), ", ")},
			{"precision", e.Precision()},
			{"needs", strings.Join(append([]string{"reward", "group"}, needNames(e)...), ", ")},
			{"filter", filterText(e)},
			{"source", e.Source},
		} {
			writePart(b, part[0], part[1])
		}
		writeOptions(b, e.Options)
	})
}

// writePages writes the description of each entry of a list, with an empty line between two.
func writePages[T any](w io.Writer, list []T, write func(*strings.Builder, T)) error {
	var b strings.Builder
	for i, entry := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		write(&b, entry)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writePart(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, "  %-13s%s\n", name, strings.Join(wrap(text, 80), "\n"+strings.Repeat(" ", 15)))
}

func filterText(e *estimators.Estimator) string {
	switch {
	case e.TrainerFilters:
		return "keep_pos_ratio, keep_neg_ratio and compute_new_adv, as its trainer has them"
	case e.CanFilter:
		return "can be tried here; its trainer has no such filter"
	case e.Selects():
		return "none: it leaves out samples by itself"
	}
	return "none"
}

func needNames(e *estimators.Estimator) []string {
	var names []string
	for _, n := range []struct {
		name string
		is   bool
	}{
		{"response lengths", e.Needs.Lengths},
		{"reward components", e.Needs.Components},
		{"greedy baselines", e.Needs.Baselines},
		{"more than rewards", e.Needs.NotComputable != ""},
	} {
		if n.is {
			names = append(names, n.name)
		}
	}
	for _, c := range e.Needs.Columns.List() {
		names = append(names, c.String())
	}
	return names
}

func scaleNames(e *estimators.Estimator) []string {
	names := make([]string, len(e.Scales))
	for i, s := range e.Scales {
		names[i] = string(s)
	}
	return names
}

// wrap breaks text between words into lines of at most w characters.
func wrap(text string, w int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > w {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

type estimatorJSON struct {
	Framework  string       `json:"framework"`
	Name       string       `json:"name"`
	Scales     []string     `json:"scales"`
	Formula    string       `json:"formula"`
	Doc        string       `json:"doc"`
	Precision  int          `json:"precision"`
	Tolerance  float64      `json:"tolerance"`
	Runtime    string       `json:"runtime"`
	Needs      []string     `json:"needs"`
	Computable bool         `json:"computable"`
	Filter     bool         `json:"filter"`
	Source     string       `json:"source"`
	NoCode     bool         `json:"no_public_code,omitempty"`
	Options    []optionJSON `json:"options,omitempty"`
}

type optionJSON struct {
	Key     string   `json:"key"`
	Aliases []string `json:"aliases,omitempty"`
	Values  string   `json:"values"`
	Default string   `json:"default"`
	Meaning string   `json:"meaning"`
}

func optionsJSON(list []estimators.Option) []optionJSON {
	var out []optionJSON
	for _, o := range list {
		out = append(out, optionJSON{o.Key, o.Aliases, o.Kind.String(), o.Default, o.Meaning})
	}
	return out
}

// EstimatorJSON writes the estimators as a list (see writeList), objects of framework, name, scales,
// formula, doc, precision (32 or 64 bits), tolerance (0 if equal to the framework's in
// every bit, else relative to the largest advantage of the batch), runtime (of which that
// holds; empty without advantages or code to compare with), needs, computable (from
// what a reward log can hold), filter (its trainer has one), source, no_public_code (true if
// the source is a paper or a document, so there is no code to compare with), options (key, values it
// takes, default and meaning of each).
func EstimatorJSON(w io.Writer, list []*estimators.Estimator) error {
	all := []estimatorJSON{}
	for _, e := range list {
		all = append(all, estimatorJSON{
			e.Framework, e.Name, scaleNames(e), e.Formula, e.Doc, int(e.Float), e.Tolerance, e.Runtime(),
			append([]string{"reward", "group"}, needNames(e)...), e.Computable(), e.TrainerFilters, e.Source, e.NoPublicCode, optionsJSON(e.Options),
		})
	}
	return writeList(w, "estimators", all)
}
