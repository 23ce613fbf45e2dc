package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"vantage/estimators"
	"vantage/estimators/groupfilter"
	"vantage/estimators/lossweight"
	"vantage/estimators/offpolicy"
	"vantage/estimators/overlong"
	"vantage/model"
	"vantage/model/figures"
	"vantage/model/units"
)

// Catalogue is how a list of what the frameworks do is printed, as `vantage list estimators` does.
type Catalogue[T estimators.Described] struct {
	Name string // of the command, and of the list in JSON

	line    func(T) string   // of an entry in the list
	noHeads bool             // lines have the framework; else it has a line of its own
	foot    string           // below the list
	details func(T) []detail // what else is said of an entry, on its page and in JSON
}

// detail is what is said of an entry: under a label on its page, unless that is empty, and under a key in JSON,
// unless that is. The value is a text, several, [options] or, in JSON alone, anything.
type detail struct {
	label, key string
	value      any
}

// List writes a line per entry.
func (c Catalogue[T]) List(w io.Writer, list []T) error {
	out, framework := bufio.NewWriter(w), ""
	for _, x := range list {
		if of := x.About().Framework; of != framework && !c.noHeads {
			framework = of
			fmt.Fprintln(out, named(framework, framework))
		}
		fmt.Fprintln(out, c.line(x))
	}
	fmt.Fprint(out, c.foot)
	return out.Flush()
}

// named is a text by the names that commands take, and whose it is where the name of the framework does not tell people.
func named(framework, text string) string {
	if title := estimators.Title(framework); !strings.EqualFold(title, framework) {
		return text + ", of " + title
	}
	return text
}

// Pages writes the full description of each entry, with an empty line between two.
func (c Catalogue[T]) Pages(w io.Writer, list []T) error {
	out := bufio.NewWriter(w)
	for i, x := range list {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, named(x.About().Framework, x.About().Framework+" "+x.About().Name))
		for _, d := range c.details(x) {
			for _, text := range d.texts() {
				fmt.Fprintf(out, "  %-13s%s\n", d.label, units.Wrap(text, 80, 15))
			}
		}
	}
	return out.Flush()
}

// texts are what a page says under the label, each time that it has it.
func (d detail) texts() []string {
	if d.label == "" {
		return nil
	}
	switch value := d.value.(type) {
	case string:
		return []string{value}
	case []string:
		return []string{strings.Join(value, ", ")}
	case options:
		var texts []string
		for _, o := range value {
			text := o.String()
			if o.Aliases != nil {
				text += "; also " + strings.Join(o.Aliases, ", ")
			}
			texts = append(texts, text)
		}
		return texts
	}
	return nil
}

// JSON writes the entries as a list. What the keys mean is in the schema of its name.
func (c Catalogue[T]) JSON(w io.Writer, list []T) error {
	all := model.Mapped(list, func(x T) object {
		o := object{{"framework", x.About().Framework}, {"name", x.About().Name}}
		for _, d := range c.details(x) {
			if d.key != "" {
				o = append(o, member{d.key, d.value})
			}
		}
		return o
	})
	return writeDocument(w, "vantage/"+c.Name+"@1", object{{c.Name, all}})
}

type options []estimators.Option

func (list options) objects() (all []object) {
	for _, o := range list {
		all = append(all, object{
			{"key", o.Key},
			{"aliases", some(o.Aliases)},
			{"values", o.Kind.String()},
			{"default", o.Default},
			{"meaning", o.Meaning},
			{"no_effect_in", some(o.Unheard)},
		})
	}
	return all
}

// Estimators is the catalogue of estimators.
func Estimators() Catalogue[*estimators.Estimator] {
	return Catalogue[*estimators.Estimator]{
		Name: "estimators",
		line: func(e *estimators.Estimator) string {
			return fmt.Sprintf("  %-30s %-17s %s", e.Name, strings.Join(e.ScaleNames(), " "),
				formulaText(&e.Entry, "rewards alone", estimatorNeeds(e)))
		},
		details: func(e *estimators.Estimator) []detail {
			return []detail{
				{"", "scales", e.ScaleNames()},
				{"formula", "formula", e.Formula},
				{"notes", "doc", e.Doc},
				{"scales", "", e.ScaleNames()},
				{"precision", "", e.Precision()},
				{"", "precision", int(e.Float)},
				{"", "tolerance", e.Tolerance},
				{"", "runtime", e.Runtime()},
				{"needs", "needs", append([]string{"reward", "group"}, estimatorNeeds(e)...)},
				{"", "computable", e.Computable()},
				{"filter", "", filterText(e)},
				{"", "filter", e.TrainerFilters},
				{"source", "source", e.Source},
				{"", "no_public_code", some(e.NoPublicCode)},
				{"option", "options", some(options(e.Options))},
			}
		},
	}
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

func estimatorNeeds(e *estimators.Estimator) []string {
	names := needed([]need{
		{"response lengths", e.Needs.Lengths},
		{"reward components", e.Needs.Components},
		{"greedy baselines", e.Needs.Baselines},
		{"more than rewards", e.NotComputable != ""},
	})
	for _, c := range e.Needs.Columns.List() {
		names = append(names, c.String())
	}
	return names
}

// Filters is the catalogue of group filters.
func Filters() Catalogue[*groupfilter.Filter] {
	return Catalogue[*groupfilter.Filter]{
		Name: "filters",
		line: func(f *groupfilter.Filter) string {
			return fmt.Sprintf("  %-38s %-9s %s", f.Name, f.Dropped, f.Formula)
		},
		details: func(f *groupfilter.Filter) []detail {
			dropped := "are refilled: other prompts are generated until the batch is full"
			switch f.Dropped {
			case groupfilter.Removed:
				dropped = "are not trained on, and nothing takes their place"
			case groupfilter.Masked:
				dropped = "stay in the batch with a loss mask of 0, and count where the loss counts rows"
			case groupfilter.Refilled:
			}
			source := f.Source
			if f.NoPublicCode {
				source += "; by the description, no public code to compare with"
			}
			return []detail{
				{"keeps", "keeps", f.Formula},
				{"notes", "doc", f.Doc},
				{"dropped rows", "", dropped},
				{"", "dropped", f.Dropped.String()},
				{"needs", "needs", append([]string{"reward", "group"}, needed([]need{
					{"rewards before shaping by length", f.SeesRaw},
					{"advantages", f.NeedsAdvantages},
					{"response lengths, for masks by length", f.NeedsLengths},
				})...)},
				{"turned on by", "turned_on_by", f.Setting()},
				{"source", "", source},
				{"", "source", f.Source},
				{"", "no_public_code", some(f.NoPublicCode)},
				{"option", "options", some(options(f.Options))},
			}
		},
	}
}

// Losses is the catalogue of losses. The default of a framework is marked in the list.
func Losses() Catalogue[*lossweight.Loss] {
	needs := func(l *lossweight.Loss) []string {
		return needed([]need{
			{"response lengths", l.NeedsLengths},
			{"advantages", l.NeedsAdvantages},
			{l.NotComputable, l.NotComputable != ""},
		})
	}
	return Catalogue[*lossweight.Loss]{
		Name: "losses",
		line: func(l *lossweight.Loss) string {
			mark := " "
			if l.Default {
				mark = "*"
			}
			return fmt.Sprintf("%s %-30s %s", mark, l.Name, formulaText(&l.Entry, "a log", needs(l)))
		},
		foot: "* the framework's default. l tokens of the row; T tokens and N rows of the optimizer step\n",
		details: func(l *lossweight.Loss) []detail {
			setting := l.Setting()
			if l.Default {
				setting += ", the default"
			}
			return []detail{
				{"", "default", l.Default},
				{"", "key", l.Key},
				{"", "value", l.Value},
				{"weight", "formula", l.Formula},
				{"notes", "doc", l.Doc},
				{"setting", "", setting},
				{"needs", "needs", append([]string{"group"}, needs(l)...)},
				{"", "computable", l.NotComputable == ""},
				{"option", "options", options(l.Options)},
				{"source", "source", l.Source},
			}
		},
	}
}

// Overlong is the catalogue of shapings of rewards by length.
func Overlong() Catalogue[*overlong.Shaping] {
	return Catalogue[*overlong.Shaping]{
		Name: "overlong", noHeads: true,
		line: func(s *overlong.Shaping) string {
			return fmt.Sprintf("%-16s %-24s %s", s.Framework, s.Name, formulaText(&s.Entry, "token counts", nil))
		},
		details: func(s *overlong.Shaping) []detail {
			return []detail{
				{"", "key", s.Key},
				{"", "value", s.Value},
				{"reward", "formula", s.Formula},
				{"notes", "doc", s.Doc},
				{"setting", "", s.Setting()},
				{"needs", "needs", cmp.Or(s.NotComputable, "response lengths")},
				{"", "computable", s.NotComputable == ""},
				{"", "filter_sees_raw", s.FilterSeesRaw},
				{"option", "options", options(s.Options)},
				{"source", "source", s.Source},
			}
		},
	}
}

// OffPolicyRules is the catalogue of corrections for samples of another policy.
func OffPolicyRules() Catalogue[*offpolicy.Rule] {
	needs := func(r *offpolicy.Rule) []string {
		return needed([]need{
			{"log-probs of sampler and trainer", !r.Versions},
			{"log-probs within the update", r.Policy},
			{"advantages", r.Advantages},
			{"policy versions", r.Versions},
			{r.NotComputable, r.NotComputable != ""},
		})
	}
	return Catalogue[*offpolicy.Rule]{
		Name: "off-policy-rules",
		line: func(r *offpolicy.Rule) string {
			return fmt.Sprintf("  %-28s %-38s %s", r.Name, r.Level, r.Bounds)
		},
		foot: "the level that a bound looks at, and the bounds at the trainer's defaults\n",
		details: func(r *offpolicy.Rule) []detail {
			when := "after the advantages"
			if r.BeforeAdvantages {
				when = "before the advantages"
			}
			return []detail{
				{"rule", "formula", r.Formula},
				{"level", "level", r.Level},
				{"bounds", "bounds", r.Bounds},
				{"notes", "doc", r.Doc},
				{"changes", "changes", offPolicyChanges(r)},
				{"when", "when", when},
				{"denominator", "denominator", r.Denominator},
				{"needs", "needs", needs(r)},
				{"turned on by", "turned_on_by", r.Setting()},
				{"usual", "usual", some(r.Usual.List())},
				{"option", "options", some(options(r.Options))},
				{"source", "source", r.Source},
			}
		},
	}
}

// offPolicyChanges are what a rule changes of a batch.
func offPolicyChanges(r *offpolicy.Rule) []string {
	return needed([]need{{"weights", r.ChangesWeights}, {"the loss mask", r.ChangesMask}, {"rows", r.DropsRows}})
}

func formulaText(e *estimators.Entry, from string, needs []string) string {
	switch {
	case e.NotComputable != "":
		return "not from " + from + ": " + e.Formula
	case len(needs) > 0:
		return e.Formula + "  [needs " + strings.Join(needs, ", ") + "]"
	}
	return e.Formula
}

// need is the name of what an entry may need, and whether it does.
type need struct {
	name string
	is   bool
}

func needed(list []need) []string {
	var names []string
	for _, n := range list {
		if n.is {
			names = append(names, n.name)
		}
	}
	return names
}

// Format describes a log format to a user.
type Format struct {
	Name   string `json:"name"`   // value of --input-format
	Doc    string `json:"doc"`    // who writes it, and what it looks like
	Writes string `json:"writes"` // the trainer's option that writes it

	File    string `json:"file"`    // where it is then: "DIR/{step}.jsonl"
	Command string `json:"command"` // the first one for it: "vantage DIR"
}

// formatsFoot is said below any list of formats.
const formatsFoot = "\n" +
	"DIR is the folder that you gave the trainer; {x} is filled in by the trainer.\n" +
	"Files may be compressed with gzip, zstd or bzip2; tables of Arrow are read as lines of JSON. Files of averages\n" +
	"(W&B run files, TensorBoard, metrics.jsonl, trainer_state.json) are judged by `summary`, `report` and `check`;\n" +
	"other commands name the place of the samples.\n" +
	"A log may be on another machine: host:path, s3://, gs://, hf://, or a table of ClickHouse, clickhouse://,\n" +
	"which `vantage list formats clickhouse` describes.\n"

// FormatText writes which logs can be read, and the trainers' options that write them.
func FormatText(w io.Writer, list []Format) error {
	out := bufio.NewWriter(w)
	for _, f := range list {
		fmt.Fprintf(out, "%-20s%s\n", f.Name, units.Wrap(f.Doc, 90, 20))
		fmt.Fprintf(out, "%20swritten with: %s\n", "", units.Wrap(f.Writes, 76, 34))
		fmt.Fprintf(out, "%20swritten as:   %s\n%20sthen:         %s\n", "", f.File, "", f.Command)
	}
	fmt.Fprint(out, formatsFoot)
	return out.Flush()
}

// FormatJSON writes the formats as a list of objects.
func FormatJSON(w io.Writer, list []Format) error {
	return writeDocument(w, "vantage/formats@1", object{{"formats", append([]Format{}, list...)}})
}

// MetricsList writes a line for each metric, below the place where it is shown.
func MetricsList(w io.Writer, sections []figures.Section) error {
	out := bufio.NewWriter(w)
	for _, s := range sections {
		fmt.Fprintf(out, "%s: %s\n", s.Place, strings.ToLower(s.Title[:1])+s.Title[1:])
		for _, e := range s.Entries {
			fmt.Fprintf(out, "  %-28s %s\n", e.Name(), units.Wrap(strings.ReplaceAll(e.Meaning, "`", ""), 80, 31))
		}
	}
	return out.Flush()
}

// MetricsText writes all about each metric: its names, unit, formula, and what trainers call it.
func MetricsText(w io.Writer, sections []figures.Section) error {
	out := bufio.NewWriter(w)
	for _, s := range sections {
		fmt.Fprintf(out, "%s (%s). %s\n", s.Title, s.Place, units.Wrap(strings.ReplaceAll(s.Intro, "`", ""), 80, 0))
		for _, e := range s.Entries {
			fmt.Fprintf(out, "\n%s\n", strings.Join(e.Names, ", "))
			for _, line := range [][2]string{{"meaning", e.Meaning}, {"formula", e.Formula}, {"unit", e.Unit}, {"trainers", e.Trainers}} {
				if line[1] != "" && line[1] != "–" {
					fmt.Fprintf(out, "  %-10s%s\n", line[0], units.Wrap(strings.ReplaceAll(line[1], "`", ""), 80, 12))
				}
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, units.Wrap(figures.Symbols, 92, 0))
	return out.Flush()
}
