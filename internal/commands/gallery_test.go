package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
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
vantage demo --ill reward_hacking --write hacking && vantage summary hacking
` + "```" + `

The second line writes the log of such a run as its trainer would, and shows its summary. Each run has 60 steps of a few groups of eight answers; its illness
mostly begins at step 31. ` + "`--seed N`" + ` makes other runs, ` + "`--ill healthy`" + ` one without an illness. The pictures show the finding on the screen
(` + "`0`, then `Enter`" + `). [Is my run healthy?](diagnosis.md#the-kinds) has how each is found, and healthy runs that look like it.
`)
	for _, k := range diagnosis.Kinds() {
		name := string(k.Name)
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", name, k.What)
		if hasSamples := name != "nothing_trains"; hasSamples {
			fmt.Fprintf(&b, "![%s](../pictures/ill-%s.svg)\n\n", k.Name.Words(), name)
		}
		lines := strings.Split(runCommand(t, "summary", writeIll(t, name, 1)), "\n")
		found := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "alarm ") || strings.HasPrefix(line, "watch ") })
		fmt.Fprintf(&b, "```text\n%s\n```\n\n**What to do.** %s.\n", strings.Join(finding(lines[found:]), "\n"), upperFirst(k.Advice))
	}
	repotest.Page(t, ".github/docs/gallery.md", b.String())
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// finding is the first finding of a summary, at most six lines of it, without a group to look at, its cost and what to do.
func finding(lines []string) (shown []string) {
	for i, line := range lines {
		if i > 0 && !strings.HasPrefix(line, " ") || len(shown) == 6 {
			break
		}
		text := strings.TrimSpace(line)
		isElsewhere := strings.HasPrefix(text, "do: ") || strings.HasPrefix(text, "look at ") || strings.HasPrefix(text, "generated since then")
		if !isElsewhere {
			shown = append(shown, line)
		}
	}
	return shown
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
