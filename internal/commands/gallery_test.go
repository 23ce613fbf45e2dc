package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/diagnosis"
)

// The gallery has each kind of illness: the command that writes its log, the beginning of its summary, what it is and what to do, and
// its picture, which package tui draws.
func TestGalleryPage(t *testing.T) {
	t.Parallel()
	repotest.OneGoroutine(t)
	var b strings.Builder
	b.WriteString(`# The illnesses in pictures

` + "```" + `
vantage demo --ill reward_hacking                   # opens the screen on such a run
vantage demo --ill reward_hacking --write hacking   # writes its log as a trainer would, for any command
` + "```" + `

The command next to each picture makes its log, the same one each time; ` + "`--seed N`" + ` makes others. It has 60 steps of a few groups of
eight answers, and one illness sets in, mostly at step 31; that of ` + "`--ill healthy`" + ` has none. The pictures show the finding on the screen (` + "`0`, then `Enter`" + `).
[What ails a run](diagnosis.md) has how each is found, and what looks like it and is healthy.

`)
	b.WriteString(strings.Join(model.Mapped(diagnosis.Kinds(), func(k diagnosis.KindInfo) string {
		return fmt.Sprintf("[%s](#%s)", k.Name.Words(), k.Name)
	}), " ·\n") + "\n")
	for _, k := range diagnosis.Kinds() {
		name := string(k.Name)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", name, k.What)
		if hasSamples := name != "nothing_trains"; hasSamples {
			fmt.Fprintf(&b, "![%s on the screen: the finding, and its course over the steps](../pictures/ill-%s.svg)\n\n", k.Name.Words(), name)
		}
		folder := strings.ReplaceAll(name, "_", "-")
		fmt.Fprintf(&b, "```\nvantage demo --ill %s --write %s && vantage summary %s\n```\n\n", name, folder, folder)
		lines := slices.DeleteFunc(strings.Split(runCommand(t, "summary", writeIll(t, name, 1)), "\n"), func(line string) bool {
			return strings.HasPrefix(strings.TrimSpace(line), "do: ")
		})
		fmt.Fprintf(&b, "```text\n%s\n```\n\n**What to do.** %s.\n", strings.Join(lines[:6], "\n"), strings.ToUpper(k.Advice[:1])+k.Advice[1:])
	}
	repotest.Page(t, ".github/docs/gallery.md", b.String())
}

// README shows part of the summary of a log that the demo writes.
func TestReadmeShowsASummary(t *testing.T) {
	t.Parallel()
	repotest.OneGoroutine(t)
	const width = 130
	var shown []string
	for line := range strings.Lines(runCommand(t, "summary", writeIll(t, "answer_collapse", 1))) {
		line = strings.TrimRight(line, "\n")
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		isPart := slices.Contains([]string{"learning", "alarm", "look", "do:", "samples", "groups", "worst"}, word)
		if isPart && !slices.ContainsFunc(shown, func(s string) bool { return strings.HasPrefix(s, word+" ") }) {
			if r := []rune(line); len(r) > width {
				line = string(r[:width])
				line = strings.TrimRight(line[:strings.LastIndexByte(line, ' ')], " ,:;(") + " …"
			}
			shown = append(shown, line)
		}
	}
	repotest.Part(t, "README.md", "summary", "```text\n"+strings.Join(shown, "\n")+"\n```\n")
}
