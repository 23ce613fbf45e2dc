package ledger

import (
	"context"
	"fmt"
	"hash/maphash"
	"regexp"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Twin is a prompt that differs from another only in white space or in a time stamp.
type Twin struct{ Prompt, Of *Prompt }

// Limits of twins.
const (
	twinTexts       = 4096 // prompts that are compared by their whole text
	fullPreview     = 150  // bytes, from which a preview may be only the beginning of a prompt
	comparedPreview = 120  // of such a one so many are compared: white space moves where it ends
)

// stamps finds dates, with the time of day if there is one, times with seconds, and seconds since 1970.
func stamps() *regexp.Regexp {
	const months = `(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*`
	return regexp.MustCompile(`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|\d?\d ` + months + ` \d{4}|` + months + ` \d?\d,? \d{4}|\b\d?\d:\d\d:\d\d\b|\b1[5-9]\d{8}\b`)
}

// findTwins compares prompts that begin alike, by their whole text.
func (l *Ledger) findTwins(ctx context.Context, read analysis.ReadTexts) error {
	find := stamps()
	plain := func(text string) string {
		return strings.Join(strings.Fields(find.ReplaceAllString(text, "(time)")), " ")
	}
	alike := l.alike(plain)
	if len(alike) == 0 || read == nil {
		return nil
	}
	slices.SortFunc(alike, func(x, y *Prompt) int { return x.Place.Compare(y.Place) })
	texts := make([]string, len(alike))
	places := model.Mapped(alike, func(p *Prompt) model.Place { return p.Place })
	err := read(ctx, places, nil, func(i int, t model.Text, err error) {
		if err == nil && t.Prompt != "" {
			texts[i] = plain(t.Prompt) + "\x00" + t.Truth
		}
	})
	first := map[string]*Prompt{}
	for i, p := range alike {
		if of := first[texts[i]]; of != nil && texts[i] != "" {
			l.Twins = append(l.Twins, Twin{p, of})
		} else {
			first[texts[i]] = p
		}
	}
	return err
}

// alike returns prompts whose beginnings differ only in white space or in a time stamp from that of another. A preview has no runs of white space, so
// that equal ones are of such prompts too, or, if they are long, of any that begin alike: those come last.
func (l *Ledger) alike(plain func(string) string) (alike []*Prompt) {
	seed := maphash.MakeSeed()
	forms := make([]uint64, len(l.Prompts)) // hashes, since there may be millions
	first := make(map[uint64]int32, len(l.Prompts))
	isAlike := map[uint64]bool{} // by form, if several prompts have it: whether not only their long beginnings do
	for k := range l.Prompts {
		preview := l.Prompts[k].Preview
		form := strings.Join(strings.Fields(preview), " ")
		if mayHaveStamp(form) {
			form = plain(form)
		}
		if len(preview) >= fullPreview {
			form = form[:min(len(form), comparedPreview)]
		}
		forms[k] = maphash.String(seed, form)
		of, found := first[forms[k]]
		if !found {
			first[forms[k]] = int32(k)
		} else {
			isAlike[forms[k]] = isAlike[forms[k]] || l.Prompts[of].Preview != preview || len(preview) < fullPreview
		}
	}
	for _, wanted := range []bool{true, false} {
		for k := range l.Prompts {
			if is, found := isAlike[forms[k]]; found && is == wanted && len(alike) < twinTexts {
				alike = append(alike, &l.Prompts[k])
			}
		}
	}
	return alike
}

// mayHaveStamp reports whether a text has what every time stamp has: a digit, a dash or a colon and a digit; a year; or ten digits.
func mayHaveStamp(text string) bool {
	digits := 0
	for i := range len(text) {
		c := text[i]
		isDigit := c >= '0' && c <= '9'
		year := digits == 4 && (text[i-4:i-2] == "20" || text[i-4:i-2] == "19")
		switch {
		case isDigit:
			digits++
		case year, digits == 10, (c == '-' || c == ':') && digits > 0 && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
			return true
		default:
			digits = 0
		}
	}
	return digits == 10 || digits == 4
}

// TwinNote offers to join the twins; "" if there are none.
func (l *Ledger) TwinNote() string {
	if len(l.Twins) == 0 {
		return ""
	}
	t := l.Twins[0]
	return fmt.Sprintf("%s: they differ from another prompt only in white space or in a time stamp, such as %s from %s; --join counts each as that one", units.Plural(len(l.Twins), "prompts"), t.Prompt.Name(), t.Of.Name())
}
