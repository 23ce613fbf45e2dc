package commands

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// The help of each command names all its flags, and fits a terminal of 80 columns.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	p := &Program{}
	for _, c := range p.All() {
		var out bytes.Buffer
		c.SetOut(&out)
		p.Help(c, nil)
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: %q", c.Name(), line)
			}
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !strings.Contains(out.String(), "--"+f.Name) {
				t.Errorf("%s: --%s is missing", c.Name(), f.Name)
			}
		})
	}
}
