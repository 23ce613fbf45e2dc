package report

import (
	"fmt"
	"io"
	"strings"

	"vantage/estimators/overlong"
)

// OverlongList writes a line per shaping of rewards by length: framework, name and formula.
func OverlongList(w io.Writer, list []*overlong.Shaping) error {
	var b strings.Builder
	for _, s := range list {
		formula := s.Formula
		if s.NotComputable != "" {
			formula = "not from token counts: " + formula
		}
		fmt.Fprintf(&b, "%-16s %-24s %s\n", s.Framework, s.Name, formula)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// OverlongPages writes the full description of each shaping.
func OverlongPages(w io.Writer, list []*overlong.Shaping) error {
	return writePages(w, list, func(b *strings.Builder, s *overlong.Shaping) {
		fmt.Fprintf(b, "%s %s\n", s.Framework, s.Name)
		writePart(b, "reward", s.Formula)
		writePart(b, "notes", s.Doc)
		writePart(b, "setting", overlongSetting(s))
		writePart(b, "needs", overlongNeeds(s))
		writeOptions(b, s.Options)
		writePart(b, "source", s.Source)
	})
}

func overlongSetting(s *overlong.Shaping) string {
	if s.Value == "" {
		return s.Key
	}
	return s.Key + "=" + s.Value
}

func overlongNeeds(s *overlong.Shaping) string {
	if s.NotComputable != "" {
		return s.NotComputable
	}
	return "response lengths"
}

type overlongJSON struct {
	Framework     string       `json:"framework"`
	Name          string       `json:"name"`
	Key           string       `json:"key"`
	Value         string       `json:"value"`
	Formula       string       `json:"formula"`
	Doc           string       `json:"doc"`
	Needs         string       `json:"needs"`
	Computable    bool         `json:"computable"`
	FilterSeesRaw bool         `json:"filter_sees_raw"`
	Options       []optionJSON `json:"options"`
	Source        string       `json:"source"`
}

// OverlongJSON writes the shapings as a list (see writeList), objects of framework, name, key and value (what switches
// it on), formula, doc, needs, computable (from token counts), filter_sees_raw (the framework's filter of
// groups looks at the reward before), options (key, values, default, meaning) and source.
func OverlongJSON(w io.Writer, list []*overlong.Shaping) error {
	all := []overlongJSON{}
	for _, s := range list {
		all = append(all, overlongJSON{
			s.Framework, s.Name, s.Key, s.Value, s.Formula, s.Doc, overlongNeeds(s), s.NotComputable == "",
			s.FilterSeesRaw, optionsJSON(s.Options), s.Source,
		})
	}
	return writeList(w, "overlong", all)
}
