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
	repotest.Part(t, "README.md", "keys", keysAsMarkdown(firstKeys()))
	repotest.Part(t, ".github/docs/screen.md", "keys", keysAsMarkdown(Keys()[1:]))
	repotest.Part(t, ".github/docs/screen.md", "keys of the list of runs", keysAsMarkdown(Keys()[:1]))
	repotest.Part(t, ".github/docs/screen.md", "commands", commandsAsMarkdown())
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

// firstKeys returns the keys in the hints and in the header: those to begin with.
func firstKeys() []KeyGroup {
	first := KeyGroup{Name: "key"}
	for _, s := range append([]keySection{overviewKeys()}, commonKeys()...) {
		for _, b := range s.bindings {
			if b.hint != "" || strings.Contains("fespPmMr]", b.keys[0]) {
				first.Keys = append(first.Keys, KeyDoc{b.label, b.doc})
			}
		}
	}
	return []KeyGroup{first}
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
