package report

import (
	"fmt"
	"io"
	"strings"

	"vantage/estimators/groupfilter"
)

// FilterList writes a line per group filter: name, what becomes of the rows that it drops, and which
// groups stay.
func FilterList(w io.Writer, list []*groupfilter.Filter) error {
	var b strings.Builder
	framework := ""
	for _, f := range list {
		if f.Framework != framework {
			framework = f.Framework
			fmt.Fprintf(&b, "%s\n", framework)
		}
		fmt.Fprintf(&b, "  %-38s %-9s %s\n", f.Name, f.Fate, f.Rule)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// FilterPages writes the full description of each group filter.
func FilterPages(w io.Writer, list []*groupfilter.Filter) error {
	return writePages(w, list, func(b *strings.Builder, f *groupfilter.Filter) {
		fmt.Fprintf(b, "%s %s\n", f.Framework, f.Name)
		for _, part := range [][2]string{
			{"keeps", f.Rule},
			{"notes", f.Doc},
			{"dropped rows", fateText(f.Fate)},
			{"needs", strings.Join(append([]string{"reward", "group"}, filterNeeds(f)...), ", ")},
			{"turned on by", f.Enable},
			{"source", sourceText(f)},
		} {
			writePart(b, part[0], part[1])
		}
		writeOptions(b, f.Options)
	})
}

func fateText(f groupfilter.Fate) string {
	switch f {
	case groupfilter.Removed:
		return "are not trained on, and nothing takes their place"
	case groupfilter.Masked:
		return "stay in the batch with a loss mask of 0, and count where the loss counts rows"
	default:
		return "are refilled: other prompts are generated until the batch is full"
	}
}

func sourceText(f *groupfilter.Filter) string {
	if f.NoPublicCode {
		return f.Source + "; by the description, no public code to compare with"
	}
	return f.Source
}

func filterNeeds(f *groupfilter.Filter) []string {
	var names []string
	if f.SeesRaw {
		names = append(names, "rewards before shaping by length")
	}
	if f.NeedsAdvantages {
		names = append(names, "advantages")
	}
	if f.NeedsLengths {
		names = append(names, "response lengths, for masks by length")
	}
	return names
}

type filterJSON struct {
	Framework string       `json:"framework"`
	Name      string       `json:"name"`
	Keeps     string       `json:"keeps"`
	Doc       string       `json:"doc"`
	Dropped   string       `json:"dropped"`
	Needs     []string     `json:"needs"`
	TurnedOn  string       `json:"turned_on_by"`
	Source    string       `json:"source"`
	NoCode    bool         `json:"no_public_code,omitempty"`
	Options   []optionJSON `json:"options,omitempty"`
}

// FilterJSON writes the group filters as a list (see writeList), objects of framework, name, keeps (which groups stay),
// doc, dropped (what becomes of the other rows: refilled, removed or masked), needs, turned_on_by (in the
// trainer's configuration), source, no_public_code (true if the source is a paper), and options, each with
// key, values, default and meaning.
func FilterJSON(w io.Writer, list []*groupfilter.Filter) error {
	all := []filterJSON{}
	for _, f := range list {
		all = append(all, filterJSON{
			f.Framework, f.Name, f.Rule, f.Doc, f.Fate.String(), append([]string{"reward", "group"}, filterNeeds(f)...),
			f.Enable, f.Source, f.NoPublicCode, optionsJSON(f.Options),
		})
	}
	return writeList(w, "filters", all)
}
