package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// The page on what ails runs has how each kind is found; -update rewrites it. The gallery has what each is and what to do.
func TestDiagnosisPage(t *testing.T) {
	var page strings.Builder
	for _, k := range Kinds() {
		fmt.Fprintf(&page, "### %s\n\n", k.Name)
		fmt.Fprintf(&page, "* **How it is found.**\n")
		for _, sentence := range k.How {
			fmt.Fprintf(&page, "  * %s\n", sentence)
		}
		fmt.Fprintf(&page, "* **Healthy, but looks like it.** %s\n", k.LooksLike)
		if len(k.follows) > 0 {
			names := make([]string, len(k.follows))
			for i, f := range k.follows {
				names[i] = "`" + string(f) + "`"
			}
			fmt.Fprintf(&page, "* **Consequences**: %s.\n", strings.Join(names, ", "))
		}
		links := make([]string, len(k.Sources))
		for i, s := range k.Sources {
			links[i] = "[" + s.Title + "](" + s.Address + ")"
		}
		fmt.Fprintf(&page, "* **Described in** %s.\n\n", strings.Join(links, "; "))
	}
	repotest.Part(t, ".github/docs/diagnosis.md", "kinds", strings.TrimRight(page.String(), "\n"))
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// Every kind says all that it has to say, in sentences that fit where they stand.
func TestKindsHaveWords(t *testing.T) {
	seen := map[Kind]bool{}
	for _, k := range Kinds() {
		for _, sentence := range append([]string{k.What, k.LooksLike}, k.How...) {
			if !strings.HasSuffix(sentence, ".") || strings.HasSuffix(sentence, "..") {
				t.Errorf("%s: %q is no sentence", k.Name, sentence)
			}
		}
		for _, sentence := range k.How {
			if n := len(strings.Fields(sentence)); n > 30 || upperFirst(sentence) != sentence {
				t.Errorf("%s: %d words in a sentence of how it is found: %q", k.Name, n, sentence)
			}
		}
		if k.Advice == "" || strings.HasSuffix(k.Advice, ".") || len(k.Advice) > 240 || upperFirst(k.Advice) == k.Advice {
			t.Errorf("%s: advice %q", k.Name, k.Advice)
		}
		if len(k.How) == 0 || len(k.Sources) == 0 || seen[k.Name] || k.detect == nil {
			t.Errorf("%s: %d sources, seen before: %v", k.Name, len(k.Sources), seen[k.Name])
		}
		seen[k.Name] = true
		for _, f := range k.follows {
			if f == k.Name {
				t.Errorf("%s follows from itself", f)
			}
		}
	}
}

// What a kind is told by is in its name's methods as in the list that has its words.
func TestKindsAreOfTheirLists(t *testing.T) {
	t.Parallel()
	for _, k := range Kinds() {
		isNamed := func(list []KindInfo) bool {
			return slices.ContainsFunc(list, func(o KindInfo) bool { return o.Name == k.Name })
		}
		if k.Name.OfScalars() != isNamed(scalarKinds()) || k.Name.OfLogProbs() != isNamed(logProbKinds()) {
			t.Errorf("%s: of scalars is %v, of log-probs %v", k.Name, k.Name.OfScalars(), k.Name.OfLogProbs())
		}
	}
}
