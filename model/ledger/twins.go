package ledger

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Twin is a prompt that differs from another only in white space or in a time stamp.
type Twin struct{ Prompt, Of *Prompt }

// Limits of twins.
const (
	twinTexts   = 4096 // prompts that are compared
	startRunes  = 40   // letters with which prompts begin that are compared
	cutPreviews = 150  // bytes, from which a preview may be only the beginning of a prompt
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
	slices.SortFunc(alike, func(x, y *Prompt) int { return comparePlaces(x.Place, y.Place) })
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

// alike returns prompts whose beginnings differ only in white space or in a time stamp from that of another.
func (l *Ledger) alike(plain func(string) string) (alike []*Prompt) {
	byStart := map[string][]int{} // prompts of different previews
	same := map[string][]int{}    // of each preview
	for k := range l.Prompts {
		preview := l.Prompts[k].Preview
		if same[preview] = append(same[preview], k); len(same[preview]) > 1 {
			continue
		}
		var letters []rune
		for _, r := range preview {
			if unicode.IsLetter(r) && len(letters) < startRunes {
				letters = append(letters, r)
			}
		}
		byStart[string(letters)] = append(byStart[string(letters)], k)
	}
	for start, all := range byStart {
		if start == "" || len(all) < 2 {
			continue
		}
		forms := model.Mapped(all, func(k int) string {
			form := plain(l.Prompts[k].Preview)
			if len(l.Prompts[k].Preview) >= cutPreviews {
				form = form[:min(len(form), cutPreviews/2)] // white space moves where a preview ends
			}
			return form
		})
		count := map[string]int{}
		for _, form := range forms {
			count[form]++
		}
		for i, k := range all {
			if count[forms[i]] < 2 {
				continue
			}
			for _, one := range same[l.Prompts[k].Preview] {
				if len(alike) < twinTexts {
					alike = append(alike, &l.Prompts[one])
				}
			}
		}
	}
	return alike
}

// TwinNote offers to join the twins; "" if there are none.
func (l *Ledger) TwinNote() string {
	if len(l.Twins) == 0 {
		return ""
	}
	t := l.Twins[0]
	return fmt.Sprintf("%s: they differ from another prompt only in white space or in a time stamp, such as %s from %s; --join counts each as that one", units.Plural(len(l.Twins), "prompts"), t.Prompt.Name(), t.Of.Name())
}
