package report

import (
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
	"vantage/model/diagnosis"
)

// The page on what ails runs shows what is listed of one kind; -update writes it.
func TestDiagnosisPageShowsAKind(t *testing.T) {
	t.Parallel()
	kinds := diagnosis.Kinds()
	one := slices.IndexFunc(kinds, func(k diagnosis.KindInfo) bool { return k.Name == diagnosis.LengthExplosion })
	var out strings.Builder
	if err := IllnessText(&out, kinds[one:one+1]); err != nil {
		t.Fatal(err)
	}
	repotest.Part(t, ".github/docs/diagnosis.md", "kind", "```text\n"+out.String()+"```")
}

// Whatever a kind is found by is in its text, with a source that a person can open.
func TestIllnessTextHasAll(t *testing.T) {
	t.Parallel()
	for _, k := range diagnosis.Kinds() {
		var out strings.Builder
		if err := IllnessText(&out, []diagnosis.KindInfo{k}); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(out.String()), " ")
		for _, part := range append([]string{k.What, k.LooksLike, k.Advice, k.Sources[0].Address}, k.How...) {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %q:\n%s", k.Name, part, out.String())
			}
		}
	}
}
