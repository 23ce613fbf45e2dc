package report

import (
	"fmt"
	"strings"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/report/markup"
	"vantage/model/units"
)

// maxPromptShown is how many characters of a prompt a table shows.
const maxPromptShown = 120

// writeGroups writes what became of all groups, and a table of those that need a look.
func (h *htmlPage) writeGroups() error {
	h.fateBar()
	groups := h.worst.listed()
	if len(groups) == 0 {
		return nil
	}
	h.beginTable("groups", fmt.Sprintf("Groups that need a look: the newest %d of each fate, and of those that are alive the ones with the most flips or the worst rewards", groupsPerFate), groupColumns())
	texts := h.Parts.Texts
	for i := range groups {
		h.groupRow(&groups[i], h.textID(&groups[i], texts))
	}
	h.endTable()
	return nil
}

// fateWidth is how wide the bar of fates is, in its own units.
const fateWidth = 1000

// fateBar draws the share of each fate, with a list of them.
func (h *htmlPage) fateBar() {
	all := h.total.summary()
	h.Open("svg", markup.Class("fates"), markup.A("viewBox", fmt.Sprintf("0 0 %d 14", fateWidth)), markup.A("preserveAspectRatio", "none"), markup.A("role", "img"),
		markup.A("aria-label", "Groups by fate: "+strings.Join(fateCounts(all), ", ")))
	x := 0.0
	for i := model.FateCount - 1; i >= 0; i-- {
		fate := model.Fate(i)
		if width := float64(all.Fates[fate]) / float64(max(1, all.Groups)) * fateWidth; width > 0 {
			h.Open("g", fateClass(fate))
			h.Element("title", units.Fraction(all.Fates[fate], all.Groups)+" "+fate.String())
			h.rect(x, 0, width, 14)
			h.Close()
			x += width
		}
	}
	h.Close()
	h.Open("ul", markup.Class("legend"))
	for i := model.FateCount - 1; i >= 0; i-- {
		fate := model.Fate(i)
		if all.Fates[fate] == 0 {
			continue
		}
		h.Open("li")
		h.fate(fate)
		h.Text(" " + units.Fraction(all.Fates[fate], all.Groups) + " ")
		h.Element("span", fate.Doc(), markup.Class("hint"))
		h.Close()
	}
	h.Close()
}

// fate writes the name of a fate with its colour.
func (h *htmlPage) fate(f model.Fate) {
	h.Open("span", markup.Class("fate"))
	h.Open("svg", fateClass(f), markup.A("viewBox", "0 0 8 8"), markup.A("aria-hidden", "true"))
	h.Void("rect", markup.A("width", "8"), markup.A("height", "8"), markup.A("rx", "2"))
	h.Close()
	h.Text(f.String())
	h.Close()
}

// fateClass returns the colour of a fate: blue has signal, orange needs a look, grey has nothing to learn from.
func fateClass(f model.Fate) markup.Attribute {
	switch f {
	case model.FateAlive:
		return markup.Class("plus")
	case model.FateShort, model.FateKilled, model.FateInvalid, model.FateNoise:
		return markup.Class("minus")
	case model.FateAllWrong:
		return markup.Class("wrong")
	case model.FateAllCorrect:
		return markup.Class("solved")
	default:
		return markup.Class("none")
	}
}

// tableColumn is a column of a table of the page.
type tableColumn struct {
	head string
	kind string // what is sorted: "number", "share" or "text"
	doc  string
}

func groupColumns() []tableColumn {
	return withDocs(figures.Group, []tableColumn{
		{"step", "number", ""},
		{"fate", "text", "what the settings make of the group"},
		{"prompt", "text", ""},
		{"why", "text", "the reason for its fate"},
		{"n", "number", "samples"},
		{"kept", "text", ""},
		{"flips", "number", ""},
		{"reward", "number", "mean of its rewards"},
		{"std", "number", "of its rewards"},
	})
}

// withDocs explains columns from the glossary that have no explanation of their own.
func withDocs(place figures.Place, columns []tableColumn) []tableColumn {
	for i, c := range columns {
		if e, ok := figures.Explain(place, c.head); ok && c.doc == "" {
			columns[i].doc = e.Explanation()
		}
	}
	return columns
}

// beginTable begins a table that scrolls by itself, with a row of heads.
func (h *htmlPage) beginTable(name, caption string, columns []tableColumn) {
	h.Open("div", markup.Class("scroll"), markup.A("tabindex", "0"), markup.A("role", "region"), markup.A("aria-label", caption))
	h.Open("table", markup.A("id", name+"-table"))
	h.Element("caption", caption)
	h.Open("thead")
	h.Open("tr")
	for _, c := range columns {
		attributes := []markup.Attribute{markup.A("scope", "col"), markup.A("data-kind", c.kind)}
		if c.doc != "" {
			attributes = append(attributes, markup.A("title", c.doc))
		}
		if c.kind == "text" {
			attributes = append(attributes, markup.Class("t"))
		}
		h.Element("th", c.head, attributes...)
	}
	h.Close()
	h.Close()
	h.Open("tbody")
	h.Break()
}

func (h *htmlPage) endTable() {
	for range 3 {
		h.Close()
	}
	h.Break()
}

// groupRow writes the row of a group; id is that of its answers, "" if they are not shown.
func (h *htmlPage) groupRow(g *worstGroup, id string) {
	h.Open("tr")
	h.Element("th", fmt.Sprint(g.Step), markup.A("scope", "row"))
	h.Open("td", markup.Class("t"))
	h.fate(g.Fate)
	h.Close()
	h.Open("td", markup.Class("t prompt"))
	label := cut(groupLabel(g.Prompt, g.Name), maxPromptShown)
	if id == "" {
		h.Element("span", label, markup.A("dir", "auto"))
	} else {
		h.Element("a", label, markup.To(id), markup.A("dir", "auto"))
	}
	h.Close()
	h.Element("td", g.Cause, markup.Class("t why"))
	h.Element("td", g.Size)
	h.Element("td", g.Kept, markup.Class("t"))
	h.Element("td", units.Count(g.FlipCount))
	h.Element("td", meanText(g.Mean))
	h.Element("td", meanText(g.Std))
	h.Close()
	h.Break()
}
