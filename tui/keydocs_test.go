package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// The page lists the keys of the views that a person is in most; -update writes them. The manual and the help have all.
func TestPagesShowTheKeys(t *testing.T) {
	t.Parallel()
	repotest.Part(t, ".github/docs/keys.md", "keys", keysAsMarkdown(Keys()))
	repotest.Part(t, ".github/docs/keys.md", "commands", commandsAsMarkdown())
}

func commandsAsMarkdown() string {
	var b strings.Builder
	for _, c := range lineCommands() {
		fmt.Fprintf(&b, "* `:%s`: %s\n", strings.TrimSpace(c.name+" "+c.args), c.doc)
	}
	return strings.TrimSpace(b.String())
}

// inLists are the keys that mean the same in several views.
const inLists = "in lists and texts"

// onPage are the views whose keys the page has.
func onPage(view string) bool {
	return slices.Contains([]string{"overview", "group", "sweep", "steps", "run at a glance", "finding", "settings", "program", "mouse"}, view)
}

// keysAsMarkdown lists the keys of each view of the page, and first those that mean the same in four views or more.
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
		if len(g.Keys) == 0 || g.Name != inLists && !onPage(g.Name) {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\n", g.Name)
		for _, k := range g.Keys {
			fmt.Fprintf(&b, "* `%s`: %s\n", strings.ReplaceAll(k.Key, " ", "` `"), k.Doc)
		}
	}
	return strings.TrimSpace(b.String())
}
