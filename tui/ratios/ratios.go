// Package ratios is the line in which the two keep ratios are typed exactly.
package ratios

import (
	"fmt"
	"strings"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/view"
)

// Ratio is one of the two ratios of the filter.
type Ratio int

// The ratios.
const (
	Positive Ratio = iota // keep_pos_ratio
	Negative              // keep_neg_ratio
	count
)

// Option is the name of the ratio among the settings.
func (r Ratio) Option() string { return [count]string{"keep_pos_ratio", "keep_neg_ratio"}[r] }

// Of is where settings have it.
func (r Ratio) Of(s *model.Settings) *float64 {
	if r == Negative {
		return &s.KeepNeg
	}
	return &s.KeepPos
}

// View is the line: one of the ratios is typed, the other waits for Tab.
type View struct {
	view.LastLine
	field Ratio
	texts [count]string
}

// Text and the others make it a view with a line.
func (v *View) Text() *string { return &v.texts[v.field] }

// Limit is that of a number.
func (*View) Limit() int { return view.MaxTyped }

// Edited leaves of what was typed what a ratio is written with.
func (v *View) Edited(env.Env, bool) view.Want {
	text := &v.texts[v.field]
	*text = strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789.", r) {
			return r
		}
		return -1
	}, *text)
	return nil
}

// Keys of the line.
func (*View) Keys() view.Section {
	return view.Section{Name: "exact ratios", Bindings: []view.Binding{
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter apply", Doc: "set the ratios that were typed", Do: view.Key((*View).apply)},
		{Keys: []string{"tab", "shift+tab"}, Label: "Tab", Hint: "Tab other", Doc: "the other ratio", Do: view.Key((*View).other)},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc leave", Doc: "cancel", Do: view.Ask(view.CloseLine{})},
	}}
}

// other goes to the field of the other ratio. What was typed in this one stays.
func (v *View) other(env.Env) view.Want {
	v.field = (v.field + 1) % count
	return view.ToLineEnd{}
}

// apply wants the ratios that were typed. If one is wrong, the line stays, to be corrected.
func (v *View) apply(e env.Env) view.Want {
	set := e.Settings.Now
	for r, text := range v.texts {
		if text == "" {
			continue
		}
		var err error
		if set, err = set.Set(Ratio(r).Option(), text); err != nil {
			return view.Say(err.Error())
		}
	}
	if err := set.Validate(); err != nil {
		return view.Say(err.Error())
	}
	if set == e.Settings.Now {
		return view.CloseLine{}
	}
	return view.All{view.CloseLine{}, view.Use{Settings: set}}
}

// Prompt returns the line in w cells.
func (v *View) Prompt(e env.Env, w int) string {
	t, typed := e.Display.Theme, e.Typing
	line := ""
	for r := range count {
		switch {
		case r == v.field:
			line += t.Paint(themes.Accent, fmt.Sprintf(" %s = %s ", r.Option(), typed.Shown(w/4)))
		case v.texts[r] != "":
			line += fmt.Sprintf(" %s = %s ", r.Option(), v.texts[r])
		default:
			line += t.Paint(themes.Dim, fmt.Sprintf(" %s %.2f ", r.Option(), *r.Of(&e.Settings.Now)))
		}
	}
	return cells.JoinFitting(
		w, "· ", line, e.Display.MarkKey("tab", "Tab the other "), e.Display.MarkKey("enter", "Enter apply "),
		e.Display.MarkKey("esc", "Esc leave"),
	)
}
