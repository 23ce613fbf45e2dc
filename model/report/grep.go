package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/textsearch"
	"vantage/model/units"
)

// Grep is the samples whose texts match a pattern.
type Grep struct {
	*textsearch.Result
	Pattern string
	In      []textsearch.Part
	Where   string // which samples were asked, a query; "" for all
	By      string // what the matches are counted by, "" for nothing
}

// GrepFacts say how many samples match, and what the match is worth.
func GrepFacts(g *Grep) []Fact {
	in := strings.Join(model.Mapped(g.In, func(p textsearch.Part) string { return string(p) }), " or ")
	all := g.With.Samples + g.Without.Samples
	facts := []Fact{fact("matches", fmt.Sprintf("%s samples in %s hold “%s” in %s", units.Fraction(g.With.Samples, all),
		units.Plural(g.Steps, "steps"), g.Pattern, in))}
	if g.Where != "" {
		facts = append(facts, fact("selected", "only samples where "+g.Where))
	}
	worth := func(text func(float64) string, of func(*textsearch.Tally) textsearch.Moments) string {
		if g.Without.Samples == 0 {
			return text(of(&g.With).Mean()) + " with it, which every sample has"
		}
		difference, err := of(&g.With).Less(of(&g.Without))
		return fmt.Sprintf("%s with it, %s without: %s ± %s", text(of(&g.With).Mean()), text(of(&g.Without).Mean()),
			units.SignedOrMissing(difference), meanText(err))
	}
	if g.With.Samples > 0 {
		facts = append(facts,
			fact("reward", worth(meanText, func(t *textsearch.Tally) textsearch.Moments { return t.Reward })),
			fact("advantage", worth(units.SignedOrMissing, func(t *textsearch.Tally) textsearch.Moments { return t.Advantage })))
	}
	if g.Unread > 0 {
		facts = append(facts, fact("unread", fmt.Sprintf("the text of %s cannot be read again: %s", units.Plural(g.Unread, "samples"),
			g.WhyUnread)))
	}
	return facts
}

// GrepLines returns a head and a line per match, or per count, of at most w columns.
func GrepLines(g *Grep, w int) []string {
	if g.By != "" {
		columns := []textColumn[*textsearch.Count]{
			{"matches", -18, 0, func(c *textsearch.Count) string { return units.Fraction(c.With.Samples, c.Samples) }},
			{"reward", 7, 0, func(c *textsearch.Count) string { return meanText(c.With.Reward.Mean()) }},
			{"advantage", 9, 0, func(c *textsearch.Count) string { return units.SignedOrMissing(c.With.Advantage.Mean()) }},
			{g.By, -4, 0, func(c *textsearch.Count) string { return sanitize.Line(c.Name) }},
		}
		return textTable(columns, "  ", g.Counts)
	}
	columns := []textColumn[textsearch.Match]{
		{"step", 7, 0, func(m textsearch.Match) string { return fmt.Sprint(m.Step) }},
		{"group", -8, 0, func(m textsearch.Match) string { return cut(sanitize.Line(m.Group), 8) }},
		{"reward", 7, 0, func(m textsearch.Match) string { return meanText(m.Reward) }},
		{"adv", 6, 0, func(m textsearch.Match) string { return units.SignedOrMissing(m.Advantage) }},
		{"in", -6, 0, func(m textsearch.Match) string { return string(m.In) }},
	}
	lines := textTable(columns, " ", g.Matches)
	for i, m := range g.Matches {
		text := strings.TrimSpace(squeezed(m.Before) + "«" + squeezed(m.Text) + "»" + squeezed(m.After))
		room := max(0, w-len([]rune(lines[i+1]))-2)
		if before := len([]rune(strings.TrimLeft(squeezed(m.Before), " "))); before > room/3 { // the match stands in the first half
			text = "…" + string([]rune(text)[before-room/3:])
		}
		lines[i+1] += "  " + cut(text, room)
	}
	return lines
}

// squeezed returns a text as one safe line, each stretch of white space as one blank.
func squeezed(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	if r, _ := utf8.DecodeRuneInString(text); unicode.IsSpace(r) {
		line = " " + line
	}
	if r, _ := utf8.DecodeLastRuneInString(text); unicode.IsSpace(r) {
		line += " "
	}
	return sanitize.Line(line)
}

// GrepText writes what the match is worth, and the matches or the counts.
func GrepText(w io.Writer, g *Grep) error {
	out := bufio.NewWriter(w)
	writeFacts(out, 10, GrepFacts(g)...)
	shown := len(g.Matches)
	if g.By != "" {
		shown = len(g.Counts)
	}
	if shown > 0 {
		fmt.Fprintln(out)
		for _, line := range GrepLines(g, promptTextWidth) {
			fmt.Fprintln(out, strings.TrimRight(line, " "))
		}
	}
	fmt.Fprintf(out, "\ncomplete: %s\n", g.shown())
	return out.Flush()
}

func (g *Grep) shown() string {
	if g.By != "" {
		return units.Plural(len(g.Counts), "rows") + ", by " + g.By
	}
	return fmt.Sprintf("%s of %s", units.Count(len(g.Matches)), units.Plural(g.With.Samples, "matches"))
}

// GrepTable is the matches, or the counts, for other programs.
func GrepTable(g *Grep) Table {
	if g.By != "" {
		t := Table{Title: "matches by " + g.By, Columns: []string{g.By, "samples", "matches", "reward_mean", "advantage_mean"}}
		for _, c := range g.Counts {
			t.Rows = append(t.Rows, []any{c.Name, c.Samples, c.With.Samples, c.With.Reward.Mean(), c.With.Advantage.Mean()})
		}
		return t
	}
	t := Table{Title: "matches", Columns: []string{"step", "group", "index", "reward", "advantage", "in", "before", "match", "after"}}
	for _, m := range g.Matches {
		t.Rows = append(t.Rows, []any{
			m.Step, quotedCell(m.Group), m.Index, m.Reward, m.Advantage, string(m.In), quotedCell(m.Before),
			quotedCell(m.Text), quotedCell(m.After),
		})
	}
	return t
}

// GrepJSON writes the object that the schema grep@1 describes.
func GrepJSON(w io.Writer, g *Grep) error {
	tally := func(t *textsearch.Tally) object {
		return object{{"samples", t.Samples}, {"reward_mean", t.Reward.Mean()}, {"advantage_mean", t.Advantage.Mean()}}
	}
	reward, rewardErr := g.With.Reward.Less(g.Without.Reward)
	advantage, advantageErr := g.With.Advantage.Less(g.Without.Advantage)
	key := "matches"
	table := GrepTable(g)
	if g.By != "" {
		key, table.Columns[0] = "counts", "value"
	}
	return writeDocument(w, "vantage/grep@1", object{
		{"pattern", g.Pattern},
		{"in", g.In},
		{"where", some(g.Where)},
		{"by", some(g.By)},
		{"steps", g.Steps},
		{"with", tally(&g.With)},
		{"without", tally(&g.Without)},
		{"difference", object{{"reward", reward}, {"reward_err", rewardErr}, {"advantage", advantage}, {"advantage_err", advantageErr}}},
		{"unread", g.Unread},
		{key, table},
	})
}
