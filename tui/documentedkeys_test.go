package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vantage/internal/testkit/repotest"
	"vantage/tui/env"
)

// documentedRow is a key of a view as the page on keys and the help have it.
type documentedRow struct{ section, label, doc string }

// documentedRows returns all keys but those of the list of runs.
func documentedRows() (rows []documentedRow) {
	for _, g := range Keys()[1:] {
		for _, k := range g.Keys {
			rows = append(rows, documentedRow{g.Name, k.Key, k.Doc})
		}
	}
	return rows
}

// pressed is what a key did.
type pressed struct {
	before, after string // the screen without styles
	styledBefore  string // with them
	styledAfter   string
	messages      []string // the types of messages that are for Bubble Tea, such as tea.QuitMsg
}

// pressLabel presses a key by the label in the documents.
func (d *driver) pressLabel(label string) pressed {
	p := pressed{before: ansi.Strip(d.frame()), styledBefore: d.frame()}
	next, cmd := d.app.Update(keyPress(keyOfLabel(label)))
	d.app = next.(App)
	p.messages = d.outward(cmd)
	p.after, p.styledAfter = ansi.Strip(d.frame()), d.frame()
	return p
}

// outward runs a command like run, and returns the types of its messages that are for Bubble Tea.
func (d *driver) outward(cmd tea.Cmd) []string {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		var all []string
		for _, c := range msg {
			all = append(all, d.outward(c)...)
		}
		return all
	default:
		name := fmt.Sprintf("%T", msg)
		if strings.HasPrefix(name, "tea.") {
			return []string{name}
		}
		d.run(func() tea.Msg { return msg })
	}
	return nil
}

// keyOfLabel returns the key that a label names, as keyPress takes it.
func keyOfLabel(label string) string {
	if name, ok := map[string]string{
		"⏎": "enter", "⌫": "backspace", "Tab": "tab", "⇧Tab": "shift+tab", "Esc": "esc", "↓": "down", "↑": "up", "←": "left", "→": "right", "Del": "delete",
	}[label]; ok {
		return name
	}
	if letter, held := strings.CutPrefix(label, "^"); held {
		return "ctrl+" + strings.ToLower(letter)
	}
	if letter, held := strings.CutPrefix(label, "Alt-"); held {
		return "alt+" + letter
	}
	return label
}

// keyEffect is what a person sees after a key of the documents: one of its fields that are set.
type keyEffect struct {
	first   []string // keys that are pressed before, in the place of the section
	shows   string   // a text that was not on the screen
	hides   string   // a text that no longer is
	looks   bool     // another style alone: what is focused
	message string   // what Bubble Tea is told
}

// missing says what the key did not do, "" if it did all.
func (e keyEffect) missing(p pressed) string {
	switch {
	case e.shows == "" && e.hides == "" && !e.looks && e.message == "":
		return "nothing is said of what it does"
	case e.shows != "" && (strings.Contains(p.before, e.shows) || !strings.Contains(p.after, e.shows)):
		return fmt.Sprintf("it does not bring %q to the screen", e.shows)
	case e.hides != "" && (!strings.Contains(p.before, e.hides) || strings.Contains(p.after, e.hides)):
		return fmt.Sprintf("it does not take %q from the screen", e.hides)
	case e.looks && p.styledBefore == p.styledAfter:
		return "the screen looks as before"
	case e.message != "" && !slices.Contains(p.messages, e.message):
		return fmt.Sprintf("it sends %v, not %s", p.messages, e.message)
	}
	return ""
}

// Every line of the tables of keys in the documents does what it says, in the view that it is of. A new line
// needs one in keyEffects.
func TestDocumentedKeysDoWhatIsWritten(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	bySection := map[string][]documentedRow{}
	for _, r := range documentedRows() {
		seen[r.name()] = true
		bySection[r.section] = append(bySection[r.section], r)
	}
	delete(bySection, "mouse") // no key does it: see the tests of the mouse
	for section, rows := range bySection {
		place, known := keyPlaces()[section]
		if !known {
			t.Errorf("keyPlaces has no %q: where is %s?", section, rows[0].name())
			continue
		}
		place.open(t, func(there *driver) {
			for _, r := range rows {
				r.press(t, there)
			}
		})
	}
	for name := range keyEffects() {
		if !seen[name] {
			t.Errorf("the documents have no line %q any more", name)
		}
	}
}

// press presses each key of a row on the screen as it is there, and asks what a person sees.
func (r documentedRow) press(t *testing.T, there *driver) {
	t.Helper()
	e, told := keyEffects()[r.name()]
	if !told && r.doc == "back" {
		e, told = keyEffect{shows: "groups  24"}, true // of the overview
	}
	if !told {
		t.Errorf("keyEffects has no %q: what does a person see after %s, %s?", r.name(), r.label, r.doc)
		return
	}
	for _, label := range strings.Fields(r.label) {
		d := *there
		d.press(e.first...)
		if p := d.pressLabel(label); e.missing(p) != "" {
			t.Errorf("%s, %s: %s: %s\n%s", r.section, label, r.doc, e.missing(p), p.after)
		}
	}
}

func (r documentedRow) name() string { return r.section + ": " + r.label }

// helpRow is a line of the help: the label of a key, and the beginning of what it does.
var helpRow = regexp.MustCompile(`^ ? {0,6}(\S{1,4}(?: \S{1,3})?)  (\S.*?) *$`)

// The help lists no key that the documents do not have.
func TestHelpListsDocumentedKeys(t *testing.T) {
	t.Parallel()
	rows := map[string]string{}
	for _, r := range documentedRows() {
		rows[r.section+": "+strings.Fields(r.label)[0]] = r.doc
	}
	listed := 0
	for section, place := range keyPlaces() {
		if place.typing {
			continue
		}
		place.h, place.w = 600, 71 // one column
		place.open(t, func(d *driver) {
			d.press("?")
			under := ""
			for line := range strings.Lines(ansi.Strip(d.frame())) {
				line = strings.TrimRight(line, " \n")
				if name := strings.TrimSpace(line); strings.HasPrefix(name, "keys: ") {
					under = strings.TrimPrefix(name, "keys: ")
				} else if line == "" {
					under = ""
				}
				row := helpRow.FindStringSubmatch(line)
				if under == "" || row == nil {
					continue
				}
				listed++
				label, _, _ := strings.Cut(strings.Fields(row[1])[0], "–") // of several keys, explained together
				if doc, ok := rows[under+": "+label]; !ok || !strings.HasPrefix(doc, row[2]) && !strings.HasPrefix(row[2], doc+";") {
					t.Errorf("%s: the help lists %s, %s under %s, the documents say %q", section, row[1], row[2], under, doc)
				}
			}
		})
	}
	if listed < 100 {
		t.Errorf("only %d lines of the help were found", listed)
	}
}

// Keys of every view do something in each: at least they say why not.
func TestCommonKeysAnswerInEveryView(t *testing.T) {
	t.Parallel()
	n := 0
	for section, place := range keyPlaces() {
		if n++; place.typing || n%4 >= repotest.Times(1, 4) {
			continue
		}
		place.open(t, func(there *driver) {
			for _, r := range documentedRows() {
				if !slices.Contains([]string{"settings", "program"}, r.section) && !strings.ContainsAny(r.label, "[]{}F") || r.label == "Esc" {
					continue
				}
				d := *there // each key is pressed on the screen as it is there
				if p := d.pressLabel(strings.Fields(r.label)[0]); p.styledBefore == p.styledAfter && len(p.messages) == 0 {
					t.Errorf("%s: %s (%s) does nothing\n%s", section, r.label, r.doc, p.after)
				}
			}
		})
	}
}

// keyPlace is where the keys of a section are pressed.
type keyPlace struct {
	w, h int               // of the screen; 0: 120x36
	keys []string          // that lead there from the overview
	find func(*driver)     // that leads there; nil: keys do
	two  bool              // two runs are open
	from func() env.Source // nil: a run of 15 steps with texts

	typing bool   // keys are typed there, or choose from a line: ? is no help
	frames string // the name of its golden frames; "": a scene of scenes shows it
}

// scene is what the place looks like.
func (p keyPlace) scene() scene {
	s := scene{name: p.frames, source: p.from, compareTwo: p.two, keys: p.keys, setUp: p.find}
	if s.source == nil {
		s.source = func() env.Source { return madeRunWithTexts(15, proofText) }
	}
	return s
}

// open starts the program there.
func (p keyPlace) open(t *testing.T, f func(*driver)) {
	t.Helper()
	w, h := p.w, p.h
	if w == 0 {
		w, h = 120, 36
	}
	there := func(d *driver) {
		d.app.outside.files = &memoryFiles{}
		d.press(p.keys...)
		if p.find != nil {
			p.find(d)
		}
		f(d)
	}
	switch {
	case p.two:
		driveTwoRuns(t, w, h, there)
	case p.from != nil:
		drive(t, p.from(), w, h, filterSettings(), there)
	default:
		drive(t, madeRunWithTexts(15, proofText), w, h, filterSettings(), there)
	}
}

// keyPlaces returns the place of each section of the documents. With frames it is a scene too: all that the tests must be told of a new view
// is in keyPlaces and keyEffects.
func keyPlaces() map[string]keyPlace {
	return map[string]keyPlace{
		"overview":            {keys: []string{}},
		"list of estimators":  {keys: []string{"E"}, typing: true},
		"group":               {w: 100, h: 18, keys: []string{"G", "enter", "j"}},
		"search in the text":  {keys: withText("G", "enter", "tab", "/", "red"), typing: true},
		"sweep":               {keys: []string{"S"}},
		"filter":              {keys: withText("/", "f"), typing: true},
		"steps":               {w: 120, h: 24, keys: []string{"3", "3", "k", "k", "k"}},
		"all metrics":         {keys: []string{"3", "3", "tab", "l", "j"}},
		"list of metrics":     {keys: withText("D", "length"), typing: true},
		"log and problems":    {w: 80, h: 16, keys: []string{"!", "j", "j"}, from: func() env.Source { return runWithProblems() }},
		"copy":                {keys: []string{"y"}, typing: true},
		"command line":        {keys: withText(":", "step 1"), typing: true},
		"line of input":       {keys: slices.Concat(withText(":", "step 4"), []string{"enter"}, withText(":", "step 3"), []string{"enter"}, withText(":", "step 12x"), []string{"left"}), typing: true},
		"exact ratios":        {keys: withText("=", ".25"), typing: true},
		"two runs":            {w: 120, h: 16, keys: []string{"c", "j", "j"}, two: true},
		"answers of two runs": {w: 100, h: 16, keys: []string{"c", "j", "enter"}, two: true},
		"chain":               {w: 80, h: 16, keys: []string{"C", "j", "j", "right"}},
		"group size":          {w: 80, h: 16, keys: append(withText(":", "groupsize"), "enter"), frames: "groupsize"},
		"run at a glance":     {w: 80, h: 16, keys: []string{"0", "j", "j"}},
		"finding":             {find: makeIll("0", "enter")},
		"matches":             {w: 120, h: 24, keys: append(withText(":", "grep 1"), "enter", "j")},
		"prompts":             {w: 120, h: 24, keys: []string{"L", "j"}},
		"filter of prompts":   {keys: withText("L", "/", "seen>0"), typing: true},
		"breakdown":           {w: 60, h: 16, keys: append(withText(":", "by step"), "enter")},
		"off-policy":          {w: 80, h: 24, keys: []string{"R", "g", "j"}, from: func() env.Source { return staleRun(8) }},
		"settings":            {keys: []string{}},
		"program":             {keys: []string{}},
	}
}

// keyEffects returns what a person sees after each line of the tables of keys in the documents.
func keyEffects() map[string]keyEffect {
	return map[string]keyEffect{
		"overview: j ↓":  {shows: "2/24"},
		"overview: k ↑":  {first: []string{"j", "j"}, shows: "2/24"},
		"overview: ⏎":    {shows: "group 1/24"},
		"overview: ^D":   {hides: " 1/24"},
		"overview: ^U":   {first: []string{"G"}, hides: " 24/24"},
		"overview: g":    {first: []string{"G"}, shows: " 1/24"},
		"overview: G":    {shows: "24/24"},
		"overview: /":    {shows: "Enter keep"},
		"overview: o":    {shows: "by prompt"},
		"overview: O":    {shows: "fate▲"},
		"overview: v":    {shows: "rewards  all over kept"},
		"overview: V":    {first: []string{"v", "v"}, shows: "rewards  all over kept"},
		"overview: #":    {looks: true},
		"overview: h ←":  {shows: "above"},
		"overview: l →":  {shows: "above"},
		"overview: w":    {shows: ">4 warnings"},
		"overview: W":    {shows: ">4 warnings"},
		"overview: z":    {hides: "2 advantages"},
		"overview: Tab":  {shows: ">2 advantages"},
		"overview: ⇧Tab": {shows: ">5 metrics"},
		"overview: 1":    {first: []string{"2"}, shows: ">1 groups"},
		"overview: 2":    {shows: ">2 advantages"},
		"overview: 3":    {shows: ">3 steps"},
		"overview: 4":    {shows: ">4 warnings"},
		"overview: 5":    {shows: ">5 metrics"},

		"list of estimators: ↓":   {shows: "╮╭ EasyR1 (Brian's fork) rloo"},
		"list of estimators: ↑":   {first: []string{"down", "down"}, shows: "╮╭ EasyR1 (Brian's fork) rloo"},
		"list of estimators: ^D":  {hides: "╮╭ EasyR1 (Brian's fork) grpo"},
		"list of estimators: ^U":  {first: []string{"pgdown"}, shows: "╮╭ EasyR1 (Brian's fork) grpo"},
		"list of estimators: Tab": {shows: "all that is known of it is on the screen"},
		"list of estimators: ⏎":   {first: []string{"down"}, shows: "e rloo"},
		"list of estimators: Esc": {shows: "groups  24"},

		"group: j ↓":   {shows: "sample 3"},
		"group: k ↑":   {shows: "sample 1"},
		"group: J":     {first: []string{"K"}, shows: "group 24/24"},
		"group: K":     {shows: "group 23/24"},
		"group: Tab ⏎": {looks: true},
		"group: /":     {shows: "type to search"},
		"group: n":     {first: append(withText("/", "red"), "enter"), shows: "/red 2 of"},
		"group: N":     {first: append(withText("/", "red"), "enter", "n"), shows: "/red 1 of"},
		"group: d":     {shows: "diff  + best"},
		"group: T":     {shows: "▾ thought"},
		"group: I":     {shows: "as logged"},
		"group: 1":     {first: []string{"tab", "G"}, shows: "prompt  34 characters"},
		"group: 2":     {first: []string{"tab", "G"}, shows: "response  "},
		"group: 3":     {shows: "ground truth"},
		"group: ^D":    {first: []string{"tab"}, shows: "10–16/23"},
		"group: ^U":    {first: []string{"tab", "G"}, hides: "ground truth  4"},
		"group: g":     {shows: "sample 1"},
		"group: G":     {shows: "sample 8"},
		"group: Esc":   {shows: "groups  24"},

		"search in the text: ⏎":   {hides: "/red▏"},
		"search in the text: ↓":   {shows: "/red▏ 2 of 2"},
		"search in the text: ↑":   {shows: "/red▏ 2 of 2"},
		"search in the text: Esc": {hides: "/red▏"},

		"sweep: h ←": {shows: "keep_pos 0.70  keep_neg 0.45"},
		"sweep: l →": {shows: "keep_pos 0.70  keep_neg 0.55"},
		"sweep: j ↓": {shows: "keep_pos 0.65  keep_neg 0.50"},
		"sweep: k ↑": {shows: "keep_pos 0.75  keep_neg 0.50"},
		"sweep: v":   {shows: "push, ΣA/Σ|A|"},
		"sweep: V":   {shows: "flips, % of samples"},
		"sweep: o":   {shows: "most Σ|A|"},
		"sweep: *":   {shows: "keep_pos 1.00  keep_neg 1.00"},
		"sweep: y":   {shows: "copied pair.txt", message: "tea.RawMsg"},
		"sweep: Y":   {shows: "t table"},
		"sweep: >":   {shows: "10 steps, 6 to 15"},
		"sweep: <":   {first: []string{">"}, shows: " · step 15 · "},
		"sweep: ⏎":   {first: []string{"h"}, shows: "0.45  r recompute"},
		"sweep: Esc": {shows: "groups  24"},

		"filter: ⏎":   {hides: "f▏"},
		"filter: Tab": {shows: "fate:▏"},
		"filter: Esc": {shows: "groups  24"},

		"steps: j ↓":   {shows: "step 13 "},
		"steps: k ↑":   {shows: "step 11 "},
		"steps: ^D":    {shows: "step 15 "},
		"steps: ^U":    {shows: "step 2 "},
		"steps: g":     {shows: "step 1 "},
		"steps: G":     {shows: "step 15 "},
		"steps: v":     {shows: "vantage/signal 0."},
		"steps: V":     {hides: "critic/score/mean 0."},
		"steps: +":     {shows: "╌╌ critic/score/mean"},
		"steps: w":     {shows: "step 1 "},
		"steps: W":     {shows: "step 1 "},
		"steps: ⏎":     {shows: "groups  24"},
		"steps: Esc 3": {shows: "groups  24"},

		"log and problems: j ↓": {hides: "by prompt and ground truth"},
		"log and problems: k ↑": {shows: "made for a test"},
		"log and problems: ^D":  {shows: "10 places could not be read"},
		"log and problems: ^U":  {shows: "1 file · 3 steps"},
		"log and problems: g":   {shows: "1 file · 3 steps"},
		"log and problems: G":   {shows: "made.jsonl:40"},
		"log and problems: Esc": {shows: "groups  24"},

		"copy: t":   {shows: "copied groups.tsv", message: "tea.RawMsg"},
		"copy: g":   {shows: "copied group.tsv", message: "tea.RawMsg"},
		"copy: s":   {shows: "copied screen.txt", message: "tea.RawMsg"},
		"copy: f":   {shows: "copied flags.txt", message: "tea.RawMsg"},
		"copy: Esc": {hides: "t table"},

		"command line: ⏎":   {shows: "step 1 "},
		"command line: Tab": {first: []string{"2"}, shows: ":step 12 ▏"},
		"command line: Esc": {hides: ":step 1▏"},

		"two runs: j ↓": {looks: true},
		"two runs: k ↑": {looks: true},
		"two runs: ^D":  {shows: "13/24"},
		"two runs: ^U":  {shows: "1/24"},
		"two runs: g":   {shows: "1/24"},
		"two runs: G":   {shows: "24/24"},
		"two runs: ⏎":   {shows: "prompt  mean reward"},
		"two runs: o":   {shows: "best for new first"},
		"two runs: Esc": {shows: "groups of base  24"},

		"answers of two runs: j ↓": {shows: "6–12/"},
		"answers of two runs: k ↑": {shows: "4–10/"},
		"answers of two runs: l →": {shows: "base 2/16"},
		"answers of two runs: h ←": {first: []string{"l"}, shows: "base 1/16"},
		"answers of two runs: Tab": {looks: true},
		"answers of two runs: J":   {shows: "3/24"},
		"answers of two runs: K":   {shows: "1/24"},
		"answers of two runs: d ⏎": {shows: "diff  + new"},
		"answers of two runs: n":   {first: []string{"d"}, looks: true},
		"answers of two runs: N":   {first: []string{"d", "n", "n"}, looks: true},
		"answers of two runs: T":   {shows: "▾ thought"},
		"answers of two runs: I":   {shows: "<think>"},
		"answers of two runs: ^D":  {hides: "▸ thought"},
		"answers of two runs: ^U":  {shows: "prompt  34 characters"},
		"answers of two runs: g":   {shows: "prompt  34 characters"},
		"answers of two runs: G":   {shows: "ground truth"},
		"answers of two runs: Esc": {shows: "prompts  24"},

		"line of input: ⌫":     {shows: ":step 1▏x"},
		"line of input: Del":   {hides: "▏x"},
		"line of input: ←":     {shows: ":step 1▏2x"},
		"line of input: →":     {shows: ":step 12x▏"},
		"line of input: ^A":    {shows: ":▏step 12x"},
		"line of input: ^E":    {shows: ":step 12x▏"},
		"line of input: Alt-b": {shows: ":step ▏12x"},
		"line of input: Alt-f": {shows: ":step 12x▏"},
		"line of input: ^W":    {shows: ":step ▏x"},
		"line of input: Alt-d": {hides: "▏x"},
		"line of input: ^U":    {shows: ":▏x"},
		"line of input: ^K":    {hides: "▏x"},
		"line of input: ↑":     {shows: ":step 3▏"},
		"line of input: ↓":     {first: []string{"up", "up"}, shows: ":step 3▏"},

		"exact ratios: ⏎":   {shows: "0.25  m keep_neg"},
		"exact ratios: Tab": {shows: "keep_neg_ratio ="},
		"exact ratios: Esc": {hides: "keep_pos_ratio ="},

		"chain: j ↓": {shows: "╭ samples kept"},
		"chain: k ↑": {shows: "╭ length penalty"},
		"chain: →":   {shows: "ms-swift/dynamic_sample"},
		"chain: ←":   {hides: "verl/filter_groups"},
		"chain: ^D":  {hides: "admitted if"},
		"chain: ^U":  {first: []string{"pgdown"}, shows: "admitted if"},
		"chain: -":   {hides: "verl/filter_groups"},
		"chain: i":   {shows: "breakdown by difficulty"},

		"run at a glance: j ↓":   {shows: "4/15 "},
		"run at a glance: k ↑":   {shows: "2/15 "},
		"run at a glance: ^D":    {shows: "13/15 "},
		"run at a glance: ^U":    {first: []string{"G"}, hides: "15/15 "},
		"run at a glance: g":     {shows: "1/15 "},
		"run at a glance: G":     {shows: "15/15 "},
		"run at a glance: ⏎":     {shows: "worst first"},
		"run at a glance: Esc 1": {shows: "worst first"},

		"finding: j ↓": {shows: "step 12 "},
		"finding: k ↑": {shows: "format  1 at step 10"},
		"finding: ^D":  {shows: "step 15 "},
		"finding: ^U":  {shows: "step 1 "},
		"finding: g":   {shows: "format  1 at step 10"},
		"finding: ⏎":   {shows: "text  sample 1"},
		"finding: w":   {shows: "2/3"},
		"finding: W":   {shows: "3/3"},
		"finding: Esc": {shows: "the run at a glance"},

		"group size: j ↓": {hides: "all correct"},
		"group size: k ↑": {first: []string{"j"}, shows: "all correct"},
		"group size: ^D":  {hides: "all correct"},
		"group size: ^U":  {first: []string{"pgdown"}, shows: "all correct"},
		"group size: g":   {first: []string{"G"}, shows: "all correct"},
		"group size: G":   {hides: "all correct"},

		"off-policy: j ↓": {shows: " 3/"},
		"off-policy: k ↑": {shows: " 1/"},
		"off-policy: ^D":  {hides: " 2/"},
		"off-policy: ^U":  {first: []string{"pgdown"}, shows: " 2/"},
		"off-policy: g":   {shows: " 1/"},
		"off-policy: G":   {shows: " 35/35"},
		"off-policy: v":   {shows: "k3 over the steps"},
		"off-policy: V":   {shows: "lag over the steps"},
		"off-policy: →":   {shows: "by probability"},
		"off-policy: ←":   {shows: "by sign"},
		"off-policy: Tab": {shows: "sweep: verl/rollout_rs"},
		"off-policy: ⏎":   {shows: "is worst by mean |d|"},

		"settings: L":            {shows: "prompts — which of them teach"},
		"prompts: j ↓":           {shows: "3/"},
		"prompts: k ↑":           {shows: "1/"},
		"prompts: ^D":            {hides: " 2/"},
		"prompts: ^U":            {shows: " 1/"},
		"prompts: g":             {shows: " 1/"},
		"prompts: G":             {hides: " 2/"},
		"prompts: ⏎":             {shows: "groups  24"},
		"prompts: o":             {shows: "prompts by Σ|A|"},
		"prompts: O":             {shows: "by Σ|A|/1k, least first"},
		"prompts: /":             {shows: "state:hopeless"},
		"filter of prompts: ⏎":   {shows: "where seen>0"},
		"filter of prompts: Esc": {hides: "seen>0"},

		"matches: j ↓": {shows: " 3/"},
		"matches: k ↑": {shows: " 1/"},
		"matches: ^D":  {hides: " 2/"},
		"matches: ^U":  {shows: " 1/"},
		"matches: g":   {shows: " 1/"},
		"matches: G":   {hides: " 2/"},
		"matches: ⏎":   {shows: "response"},

		"breakdown: j ↓": {hides: "1–10/20"},
		"breakdown: k ↑": {first: []string{"j"}, shows: "1–10/20"},
		"breakdown: ^D":  {hides: "1–10/20"},
		"breakdown: ^U":  {first: []string{"pgdown"}, shows: "1–10/20"},
		"breakdown: g":   {first: []string{"G"}, shows: "1–10/20"},
		"breakdown: G":   {shows: "11–20/20"},
		"breakdown: →":   {hides: "by step"},
		"breakdown: ←":   {shows: "by fate"},
		"breakdown: <":   {first: []string{"<"}, shows: "by step — step 15"},
		"breakdown: >":   {first: []string{"<", "<"}, shows: "by step — steps 6-15"},

		"settings: f":  {shows: "f Twinkle"},
		"settings: e":  {shows: "e rloo"},
		"settings: E":  {shows: "type to narrow the list"},
		"settings: s":  {first: []string{"f"}, shows: "s batch"},
		"settings: p":  {shows: "0.65  m"},
		"settings: P":  {shows: "0.75  m"},
		"settings: m":  {shows: "0.45  r"},
		"settings: M":  {shows: "0.55  r"},
		"settings: =":  {shows: "keep_pos_ratio = ▏"},
		"settings: r":  {shows: "r recompute off"},
		"settings: b":  {shows: "A baseline"},
		"settings: B":  {first: []string{"b", "p", "p"}, shows: "0.70  m"},
		"settings: C":  {shows: "the chain of step 15"},
		"settings: c":  {shows: "one run is open"}, // with two: scene compare
		"settings: R":  {shows: "This source has no log-probs of tokens"},
		"settings: S":  {shows: "no pair beats it"},
		"settings: u":  {first: []string{"p"}, shows: "0.70  m"},
		"settings: ^R": {first: []string{"p", "u"}, shows: "0.65  m"},

		"steps: [":   {shows: "step 11 "},
		"steps: ]":   {shows: "step 13 "},
		"steps: {":   {shows: "step 2 "},
		"steps: }":   {shows: "step 15 "},
		"steps: F":   {shows: "step 15 "},
		"steps: Tab": {shows: "all metrics  "},
		"steps: z":   {hides: "all steps  "},
		"steps: /":   {shows: "type a part of its name"},
		"steps: D":   {shows: "type a part of its name"},
		"steps: x":   {shows: "steps 8–15 of 1–15"},
		"steps: X":   {first: []string{"x"}, hides: " of 1–15"},
		"steps: ,":   {first: []string{"x"}, shows: "steps 4–11 of 1–15"},
		"steps: .":   {first: []string{"x", ","}, shows: "steps 8–15 of 1–15"},
		"steps: A":   {shows: "moving average 0.6"},
		"steps: h ←": {first: []string{"x"}, shows: "steps 4–11 of 1–15"},
		"steps: l →": {first: []string{"x", ","}, shows: "steps 8–15 of 1–15"},

		"all metrics: h ←": {shows: " 4/55"},
		"all metrics: l →": {shows: " 6/55"},
		"all metrics: j ↓": {shows: " 8/55"},
		"all metrics: k ↑": {shows: " 2/55"},
		"all metrics: ^D":  {shows: " 20/55"},
		"all metrics: ^U":  {shows: " 1/55"},
		"all metrics: g":   {shows: " 1/55"},
		"all metrics: G":   {shows: " 55/55"},
		"all metrics: z":   {hides: "all metrics  "},
		"all metrics: ⏎":   {shows: "all steps  "},
		"all metrics: /":   {shows: "type a part of its name"},
		"all metrics: x":   {shows: " of 1–15"},
		"all metrics: X":   {first: []string{"x"}, hides: " of 1–15"},
		"all metrics: ,":   {first: []string{"[", "[", "x"}, looks: true},
		"all metrics: .":   {first: []string{"x", ","}, looks: true},
		"all metrics: A":   {shows: "moving average 0.6"},
		"all metrics: Esc": {shows: "all steps  "},

		"list of metrics: ↓":   {shows: " 2/"},
		"list of metrics: ↑":   {first: []string{"down", "down"}, shows: " 2/"},
		"list of metrics: ^D":  {shows: " 11/"},
		"list of metrics: ^U":  {first: []string{"pgdown"}, shows: " 1/"},
		"list of metrics: ⏎":   {shows: "all steps  "},
		"list of metrics: Esc": {shows: "groups  24"},

		"steps: >": {shows: "steps 3-12"},
		"steps: <": {first: []string{">"}, hides: "steps 3-12"},

		"program: 0":    {shows: "the run at a glance"},
		"program: :":    {shows: ":▏"},
		"program: y":    {shows: "t table"},
		"program: !":    {shows: "how the log was read"},
		"program: t":    {shows: "theme: "},
		"program: ?":    {shows: "type to search all of it"},
		"program: Esc":  {first: []string{"2"}, shows: ">1 groups"},
		"program: ^L":   {message: "tea.clearScreenMsg"},
		"program: ^Z":   {shows: "there is no shell to resume from"}, // with one: TestSuspend
		"program: q ^C": {message: "tea.QuitMsg"},
	}
}
