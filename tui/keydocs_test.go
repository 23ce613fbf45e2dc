package tui

import (
	"fmt"
	"slices"
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

// inLists are the keys that mean the same in several views.
const inLists = "in lists and texts"

// keysAsMarkdown lists the keys of each view, and first those that mean the same in four views or more.
func keysAsMarkdown(groups []KeyGroup) string {
	views := map[KeyDoc]int{}
	for _, g := range groups {
		for _, k := range g.Keys {
			views[k]++
		}
	}
	common := KeyGroup{Name: inLists}
	rest := []KeyGroup{}
	for _, g := range groups {
		own := KeyGroup{Name: g.Name}
		for _, k := range g.Keys {
			switch {
			case views[k] < 4:
				own.Keys = append(own.Keys, k)
			case !slices.Contains(common.Keys, k):
				common.Keys = append(common.Keys, k)
			}
		}
		rest = append(rest, own)
	}
	var b strings.Builder
	for _, g := range append([]KeyGroup{common}, rest...) {
		if len(g.Keys) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", g.Name)
		for _, k := range g.Keys {
			fmt.Fprintf(&b, "* `%s`: %s\n", strings.ReplaceAll(k.Key, " ", "` `"), k.Doc)
		}
	}
	return strings.TrimSpace(b.String())
}
