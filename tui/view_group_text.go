package tui

import (
	"fmt"
	"strings"

	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
)

// textPane shows the text of the sample under the cursor, or the diff.
func (a App) textPane(w, h int) paneContent {
	c := paneContent{title: " " + a.textTitle(), note: a.textNote(h), target: target{onReading, 1}}
	r := a.sampleReader
	want, ok := a.wantedPage(a.selectedGroup())
	switch {
	case r.source == nil:
		c.lines = a.sentenceLines("This source has no texts: open the log's own file or directory to read prompts and responses.", themes.Warn, w)
	case r.job.value.page == nil && r.job.err == nil, ok && !r.job.of.sameTexts(want):
		c.lines = a.sentenceLines("reading …", themes.Dim, w)
	case r.job.err != nil:
		c.lines = a.sentenceLines(sanitize.Line(r.job.err.Error()), themes.Warn, w)
	default:
		for i := r.scroll; i < min(r.job.value.page.Len(), r.scroll+h); i++ {
			c.lines = append(c.lines, " "+r.job.value.page.Line(a.display.theme, a.display.glyphs.Vertical, i, r.search.matches))
		}
	}
	return c
}

// sentenceLines returns a sentence to show in place of a text.
func (e env) sentenceLines(text string, role themes.Role, w int) []string {
	lines := []string{""}
	for _, line := range cells.Wrap(text, w-4) {
		lines = append(lines, "  "+e.display.theme.Paint(role, line))
	}
	return lines
}

// textTitle says which sample is shown, or what is searched for.
func (a App) textTitle() string {
	t := a.display.theme
	if tally := a.sampleReader.search.status(a.position.view == viewSearch); tally != "" {
		return t.Paint(themes.Accent, sanitize.Line(tally))
	}
	if a.sampleReader.showDiff {
		return a.paneTitle("diff", a.sampleReader.inText) + "  " + t.Paint(themes.Positive, "+") + " best  " + t.Paint(themes.Negative, "−") + fmt.Sprintf(" sample %d", a.loserRow()+1)
	}
	title := a.paneTitle("text", a.sampleReader.inText) + fmt.Sprintf("  sample %d", a.sampleReader.sample+1)
	if a.sampleReader.showRaw {
		title += " · as logged"
	}
	return title
}

// textNote says which lines of the text are in sight.
func (a App) textNote(h int) string {
	r := a.sampleReader
	if r.job.value.page == nil || r.job.err != nil || r.job.value.page.Len() <= h {
		return ""
	}
	last := min(r.job.value.page.Len(), r.scroll+h)
	return fmt.Sprintf("%d–%d/%d", min(r.scroll+1, last), last, r.job.value.page.Len())
}

// loserRow returns the row of the sample that the best one is compared with.
func (a App) loserRow() int {
	if a.sampleReader.sample == 0 {
		return a.selectedGroup().Size() - 1
	}
	return a.sampleReader.sample
}

// sideNames returns the titles of the sides of a diff: the samples with their logged
// figures, not with their advantages, which change with the settings.
func (a App) sideNames() (winner, loser string) {
	g := a.selectedGroup()
	order, figures := a.rankedSamples(g), a.sampleColumns(g)
	name := func(row int) string {
		text := fmt.Sprintf("sample %d", row+1)
		for _, f := range figures[:len(figures)-advantageColumns] {
			value, _ := f.cell(order[row])
			text += "  " + f.name + " " + strings.TrimSpace(value)
		}
		return text
	}
	return name(0), name(a.loserRow())
}
