package tui

import (
	"fmt"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// The pages list the keys of the key table; -update writes them.
func TestPagesShowTheKeys(t *testing.T) {
	t.Parallel()
	repotest.Part(t, ".github/docs/keys.md", "keys", keysAsMarkdown(Keys()[1:]))
	repotest.Part(t, ".github/docs/keys.md", "keys of the list of runs", keysAsMarkdown(Keys()[:1]))
	repotest.Part(t, ".github/docs/keys.md", "commands", commandsAsMarkdown())
}

func commandsAsMarkdown() string {
	var b strings.Builder
	fmt.Fprint(&b, "| commands | |\n|---|---|\n")
	for _, c := range lineCommands() {
		text := strings.ReplaceAll(strings.TrimSpace(c.name+" "+c.args), "|", `\|`)
		fmt.Fprintf(&b, "| `:%s` | %s |\n", text, strings.ReplaceAll(c.doc, "|", `\|`))
	}
	return strings.TrimSpace(b.String())
}

func keysAsMarkdown(groups []KeyGroup) string {
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintf(&b, "\n| %s | |\n|---|---|\n", g.Name)
		for _, k := range g.Keys {
			fmt.Fprintf(&b, "| `%s` | %s |\n", strings.ReplaceAll(k.Key, " ", "` `"), strings.ReplaceAll(k.Doc, "|", `\|`))
		}
	}
	return strings.TrimSpace(b.String())
}
