package formats

import (
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// The page of formats names what the program reads; `vantage list formats` describes each.
func TestFormatsPage(t *testing.T) {
	if names, all := strings.Fields(order), All(); len(names) != len(all) || all[0].Name != names[0] {
		t.Errorf("%d formats, of which the order names %d", len(all), len(names))
	}
	repotest.Part(t, ".github/docs/formats.md", "formats", formatNames())
}

func formatNames() string {
	names := make([]string, 0, len(All()))
	for _, f := range All() {
		names = append(names, "`"+f.Name+"`")
	}
	return strings.Join(names, ", ")
}
