package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/model/units"
)

// IllnessesList writes a line for each kind of illness.
func IllnessesList(w io.Writer, kinds []diagnosis.KindInfo) error {
	out := bufio.NewWriter(w)
	for _, k := range kinds {
		fmt.Fprintf(out, "%-22s  %s\n", k.Name, units.Wrap(k.What, 80, 24))
	}
	fmt.Fprintln(out, "\n`vantage list illnesses NAME` has how one is found, `vantage demo --ill NAME` shows one.")
	return out.Flush()
}

// IllnessText writes all about kinds of illnesses: how each is found with its limits, what is healthy and looks like it, what to do, and
// where it is described.
func IllnessText(w io.Writer, kinds []diagnosis.KindInfo) error {
	out := bufio.NewWriter(w)
	for _, k := range kinds {
		fmt.Fprintf(out, "%s\n", k.Name)
		line := func(label, text string) {
			fmt.Fprintf(out, "  %-13s%s\n", label, units.Wrap(text, 80, 15))
		}
		line("what", k.What)
		label := "found if"
		for _, sentence := range k.How {
			line(label, "* "+sentence)
			label = ""
		}
		line("not if", k.LooksLike)
		line("do", k.Advice)
		if names := model.Mapped(k.Consequences(), func(k diagnosis.Kind) string { return string(k) }); len(names) > 0 {
			line("may cause", strings.Join(names, ", "))
		}
		label = "sources"
		for _, s := range k.Sources {
			line(label, s.Title)
			line("", s.Address)
			label = ""
		}
	}
	return out.Flush()
}

// IllnessJSON writes the kinds of illnesses as a list of objects.
func IllnessJSON(w io.Writer, kinds []diagnosis.KindInfo) error {
	all := make([]object, len(kinds))
	for i, k := range kinds {
		sources := make([]object, len(k.Sources))
		for j, s := range k.Sources {
			sources[j] = object{{"title", s.Title}, {"address", s.Address}}
		}
		all[i] = object{
			{"kind", k.Name},
			{"what", k.What},
			{"found_if", k.How},
			{"not_if", k.LooksLike},
			{"do", k.Advice},
			{"may_cause", append([]diagnosis.Kind{}, k.Consequences()...)},
			{"sources", sources},
		}
	}
	return writeDocument(w, "vantage/illnesses@1", object{{"illnesses", all}})
}
