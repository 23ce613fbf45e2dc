package diagnosis

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// The page on what ails runs has by what each kind is found; -update rewrites it. The program has how, and the gallery what each is.
func TestDiagnosisPage(t *testing.T) {
	links := map[string][]string{}
	for _, k := range Kinds() {
		where := "the samples alone"
		switch {
		case k.Name.OfScalars():
			where = "the trainer's own metrics"
		case k.Name.OfLogProbs():
			where = "log-probs of tokens"
		case k.ofAdvantages:
			where = "logged advantages"
		case k.texts:
			where = "samples with their texts"
		}
		links[where] = append(links[where], fmt.Sprintf("[%s](gallery.md#%s)", k.Name, k.Name))
	}
	var page strings.Builder
	for _, where := range []string{"the samples alone", "samples with their texts", "logged advantages", "log-probs of tokens", "the trainer's own metrics"} {
		fmt.Fprintf(&page, "* **%s**: %s\n", where, strings.Join(links[where], ", "))
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
