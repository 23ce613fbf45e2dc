package formats

import (
	"fmt"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// The page of formats says what the program reads.
func TestFormatsPage(t *testing.T) {
	if names, all := strings.Fields(order), All(); len(names) != len(all) || all[0].Name != names[0] {
		t.Errorf("%d formats, of which the order names %d", len(all), len(names))
	}
	repotest.Part(t, ".github/docs/formats.md", "formats", formatsTable())
}

func formatsTable() string {
	var b strings.Builder
	b.WriteString("| `--input-format` | contents | trainer option | file | then |\n| --- | --- | --- | --- | --- |\n")
	cell := strings.NewReplacer("|", `\|`, "{", "\\{", "<", "\\<", "_", "\\_", "*", "\\*")
	for _, f := range All() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | `%s` |\n", f.Name, cell.Replace(f.Doc), cell.Replace(f.TrainerOption), f.File, f.Command())
	}
	return strings.TrimSuffix(b.String(), "\n")
}
