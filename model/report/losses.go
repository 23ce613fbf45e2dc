package report

import (
	"fmt"
	"io"
	"strings"

	"vantage/estimators"
	"vantage/estimators/lossweight"
)

// LossList writes a line per loss: name, the weight of a row, and what it needs. The default of a
// framework is marked.
func LossList(w io.Writer, list []*lossweight.Loss) error {
	var b strings.Builder
	framework := ""
	for _, l := range list {
		if l.Framework != framework {
			framework = l.Framework
			fmt.Fprintf(&b, "%s\n", framework)
		}
		mark := " "
		if l.Default {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %-30s %s\n", mark, l.Name, lossFormula(l))
	}
	b.WriteString("* what the framework does if it is told nothing. l tokens of the row; T tokens and N rows of the optimizer step\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func lossFormula(l *lossweight.Loss) string {
	if l.NotComputable != "" {
		return "not from a log: " + l.Formula
	}
	if needs := lossNeeds(l); len(needs) > 0 {
		return l.Formula + "  [needs " + strings.Join(needs, ", ") + "]"
	}
	return l.Formula
}

func lossNeeds(l *lossweight.Loss) []string {
	var needs []string
	if l.NeedsLengths {
		needs = append(needs, "response lengths")
	}
	if l.NeedsAdvantages {
		needs = append(needs, "advantages")
	}
	if l.NotComputable != "" {
		needs = append(needs, l.NotComputable)
	}
	return needs
}

// LossPages writes the full description of each loss.
func LossPages(w io.Writer, list []*lossweight.Loss) error {
	return writePages(w, list, func(b *strings.Builder, l *lossweight.Loss) {
		fmt.Fprintf(b, "%s %s\n", l.Framework, l.Name)
		writePart(b, "weight", l.Formula)
		writePart(b, "notes", l.Doc)
		writePart(b, "setting", lossSetting(l))
		writePart(b, "needs", strings.Join(append([]string{"group"}, lossNeeds(l)...), ", "))
		writeOptions(b, l.Options)
		writePart(b, "source", l.Source)
	})
}

func lossSetting(l *lossweight.Loss) string {
	setting := l.Key + "=" + l.Value
	if l.Default {
		setting += ", the default"
	}
	return setting
}

func writeOptions(b *strings.Builder, options []estimators.Option) {
	for _, o := range options {
		text := o.String()
		if o.Aliases != nil {
			text += "; also " + strings.Join(o.Aliases, ", ")
		}
		writePart(b, "option", text)
	}
}

type lossJSON struct {
	Framework  string       `json:"framework"`
	Name       string       `json:"name"`
	Default    bool         `json:"default"`
	Key        string       `json:"key"`
	Value      string       `json:"value"`
	Formula    string       `json:"formula"`
	Doc        string       `json:"doc"`
	Needs      []string     `json:"needs"`
	Computable bool         `json:"computable"`
	Options    []optionJSON `json:"options"`
	Source     string       `json:"source"`
}

// LossJSON writes the losses as a list (see writeList), objects of framework, name, default (what the framework does
// if it is told nothing), key and value (how it is told), formula, doc, needs, computable (a row has a
// weight), options (key, values, default, meaning) and source.
func LossJSON(w io.Writer, list []*lossweight.Loss) error {
	all := []lossJSON{}
	for _, l := range list {
		all = append(all, lossJSON{
			l.Framework, l.Name, l.Default, l.Key, l.Value, l.Formula, l.Doc,
			append([]string{"group"}, lossNeeds(l)...), l.NotComputable == "", optionsJSON(l.Options), l.Source,
		})
	}
	return writeList(w, "losses", all)
}
