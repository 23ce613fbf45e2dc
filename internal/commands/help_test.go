package commands

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"
)

// The help of each command fits a terminal of 80 columns, names its own flags, and says of those of several commands where they are:
// a page of their own, which names them.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	p := &program{}
	var settings bytes.Buffer
	p.helpSettings(&settings)
	fits := func(name, text string) {
		for line := range strings.Lines(text) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 80 {
				t.Errorf("%s: %q", name, line)
			}
		}
	}
	fits("settings", settings.String())
	for _, c := range leaves(p.all()) {
		var out bytes.Buffer
		c.SetOut(&out)
		p.help(c, nil)
		fits(c.Name(), out.String())
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			isShared := topicOf(p.sharedFlags(), f) >= 0
			switch {
			case f.Hidden:
			case !isShared && !strings.Contains(out.String(), "--"+f.Name):
				t.Errorf("%s: --%s is missing", c.Name(), f.Name)
			case isShared && (!strings.Contains(out.String(), "`vantage help settings`") || !strings.Contains(settings.String(), "  --"+f.Name)):
				t.Errorf("%s: neither it nor the page of settings leads to --%s", c.Name(), f.Name)
			}
		})
	}
}
