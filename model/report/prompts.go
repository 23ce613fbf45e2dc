package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/ledger"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Prompts is the accounts of the prompts of a run: those that a query selects, in an order.
type Prompts struct {
	*ledger.Ledger
	Selected []*ledger.Prompt
	Where    string // the query; "" for all
	Order    string // the figure by which they are sorted, with - before it for the least first
	Shown    int    // of the rows of the text
	Solved   []string
}

// DefaultPromptOrder is the figure by which prompts are sorted, the greatest first.
const DefaultPromptOrder = "per_1k"

// Select keeps the prompts that match a query, and sorts them by a figure: the greatest first, with - before its name the least. What
// is not known comes last, and of equal ones that which came first. It fails if there is no such figure.
func (p *Prompts) Select(where figures.Query, order string) error {
	name, least := strings.CutPrefix(order, "-")
	of, found := figures.Find(figures.Prompts(), name)
	if !found {
		names := model.Mapped(figures.Prompts(), func(f figures.Of[*ledger.Prompt]) string { return f.Name() })
		return fmt.Errorf("there is no metric %q of a prompt: choose %s", name, strings.Join(names, ", "))
	}
	p.Order = order
	var values []figures.Number
	p.Selected = p.Selected[:0]
	for i := range p.Prompts {
		if one := &p.Prompts[i]; where.MatchesPrompt(one) {
			p.Selected, values = append(p.Selected, one), append(values, of.Value(one))
		}
	}
	p.Selected = model.Mapped(figures.Ranked(values, least), func(i int) *ledger.Prompt { return p.Selected[i] })
	return nil
}

// PromptFacts say what the accounts are of.
func PromptFacts(p *Prompts) []Fact {
	by := "prompts"
	if p.ByID {
		by = "ids of groups, because the log has no prompts (--prompt NAME names the column of prompts)"
	}
	byState, all := ledger.Sums(p.Selected)
	facts := []Fact{fact("prompts", fmt.Sprintf("%s in %s, by %s", units.Count(len(p.Prompts)), units.Plural(p.Steps, "steps"), by))}
	if p.Where != "" {
		facts = append(facts, fact("selected", fmt.Sprintf("%s: those where %s", units.Fraction(len(p.Selected), len(p.Prompts)), p.Where)))
	}
	for _, text := range p.Solved {
		facts = append(facts, fact("solved", text))
	}
	if p.Open > 0 {
		facts = append(facts, fact("open", units.Plural(p.Open, "steps")+" still being written, not counted"))
	}
	if p.Nameless > 0 {
		facts = append(facts, fact("left out", units.Plural(p.Nameless, "groups")+" without a prompt"))
	}
	byDegrees := 0
	for _, one := range p.Selected {
		byDegrees += model.Count01(one.Known && one.OfMean())
	}
	if byDegrees > 0 {
		facts = append(facts, fact("~", units.Fraction(byDegrees, len(p.Selected))+" are graded by degrees: their rate is the mean "+
			"reward, from 0 (wrong) to 1 (full marks)"))
	}
	for _, text := range []string{p.AwayNote(), p.TwinNote()} {
		if text != "" {
			facts = append(facts, fact("note", text))
		}
	}
	for _, s := range byState {
		facts = append(facts, fact(string(s.State), s.Saves(&all, p.Unit)))
	}
	return facts
}

// PromptCounts says how many prompts are in each state.
func PromptCounts(p *Prompts) string {
	byState, all := ledger.Sums(p.Selected)
	parts := []string{units.Plural(all.Prompts, "prompts")}
	for _, s := range byState {
		parts = append(parts, units.Count(s.Prompts)+" "+string(s.State))
	}
	return strings.Join(parts, " · ")
}

// promptColumn is a column of the table for people.
type promptColumn = textColumn[*ledger.Prompt]

// PromptTable returns the lines of a table of at most w columns, behind which the prompt follows if there is room: a head, and a line
// per prompt.
func PromptTable(prompts []*ledger.Prompt, unit model.LengthUnit, w int) []string {
	head := "rate"
	if len(prompts) > 0 && !prompts[0].Known {
		head = "reward"
	}
	interval := 13
	for _, p := range prompts { // of rewards below 0 it is wider
		interval = max(interval, utf8.RuneCountInString(intervalText(p)))
	}
	figure := func(name string, width, rank int) promptColumn {
		of := figures.Select(figures.Prompts(), name)[0]
		return promptColumn{head: name, width: width, rank: rank, text: func(p *ledger.Prompt) string { return of.Value(p).String() }}
	}
	cost := figure("tokens", 7, 0)
	cost.head = lengthHead(unit)
	columns := []promptColumn{
		figure("state", -9, 0),
		{"name", -8, 3, func(p *ledger.Prompt) string { return cut(sanitize.Line(p.Name()), 8) }},
		figure("seen", 5, 0),
		figure("samples", 7, 4),
		{head, 6, 0, func(p *ledger.Prompt) string {
			if p.Known && p.OfMean() {
				return "~" + meanText(p.Rate())
			}
			return meanText(p.Rate())
		}},
		{"95%", interval, 2, intervalText},
		figure("trend", 6, 1),
		{"signal", 7, 1, func(p *ledger.Prompt) string { return fmt.Sprintf("%s/%s", units.Count(p.Signal), units.Count(p.Seen)) }},
		{"Σ|A|", 6, 0, func(p *ledger.Prompt) string { return units.Short(p.Abs) }},
		cost,
		{"Σ|A|/1k", 7, 0, func(p *ledger.Prompt) string { return meanText(p.PerThousand()) }},
		{"last", 6, 3, func(p *ledger.Prompt) string { return fmt.Sprint(p.Last) }},
	}
	const least = 27 // of the prompt
	lines := textTable(fitting(columns, w-least), " ", prompts)
	for i := range lines {
		text, room := "prompt", w-len([]rune(lines[i]))-2
		if i > 0 {
			text = sanitize.Line(strings.Join(strings.Fields(prompts[i-1].Preview), " "))
		}
		if room >= len("prompt") {
			lines[i] += "  " + cut(text, room)
		}
	}
	return lines
}

func intervalText(p *ledger.Prompt) string {
	low, high := p.Interval()
	return meanText(low) + " – " + meanText(high)
}

const promptTextWidth = 120

// PromptsText writes what the prompts of each state cost and gave, a row for the first prompts, and the evidence against suspects among
// these.
func PromptsText(w io.Writer, p *Prompts) error {
	out := bufio.NewWriter(w)
	writeFacts(out, 10, PromptFacts(p)...)
	fmt.Fprintln(out)
	shown := p.Selected[:min(p.Shown, len(p.Selected))]
	for _, line := range PromptTable(shown, p.Unit, promptTextWidth) {
		fmt.Fprintln(out, line)
	}
	between := "\n"
	for _, one := range shown {
		if one.Doubt != nil {
			fmt.Fprintf(out, "%s %-9s %s\n", between, cut(sanitize.Line(one.Name()), 8), sanitize.Line(one.Why()))
			between = ""
		}
	}
	fmt.Fprintf(out, "\ncomplete: %s of %s, by %s\n", units.Count(len(shown)), units.Plural(len(p.Selected), "prompts"), p.Order)
	return out.Flush()
}

// PromptsTable is the accounts for other programs: a row per prompt, with every figure.
func PromptsTable(p *Prompts) Table {
	names := model.Mapped(figures.Prompts(), func(f figures.Of[*ledger.Prompt]) string { return f.Name() })
	columns := figures.Select(figures.Prompts(), names...)
	t := Table{Title: "prompts", Columns: names}
	for _, one := range p.Selected {
		t.Rows = append(t.Rows, cellsOf(columns, one))
	}
	return t
}

// PromptsJSON writes the object that the schema prompts@1 describes. Its prompts have the columns of the table.
func PromptsJSON(w io.Writer, p *Prompts) error {
	byState, all := ledger.Sums(p.Selected)
	states := model.Mapped(append(byState, all), func(s ledger.Sum) object {
		return object{
			{"state", some(string(s.State))},
			{"prompts", s.Prompts},
			{"groups", s.Groups},
			{"signal_groups", s.Signal},
			{"samples", s.Samples},
			{"tokens", s.Tokens},
			{"abs_advantage", s.Abs},
		}
	})
	by := "prompt"
	if p.ByID {
		by = "group id"
	}
	return writeDocument(w, "vantage/prompts@1", object{
		{"by", by},
		{"where", some(p.Where)},
		{"order", p.Order},
		{"length_unit", p.Unit.String()},
		{"steps", p.Steps},
		{"open_steps", some(p.Open)},
		{"groups_without_prompt", some(p.Nameless)},
		{"solved", p.Solved},
		{"twins", some(p.TwinNote())},
		{"answers_away", some(p.AwayNote())},
		{"texts_read", some(p.Read)},
		{"texts", unless(p.Read == 0, p.tries())},
		{"states", states},
		{"prompts", PromptsTable(p)},
	})
}

// tries are how many answers the prompts of the ledger have.
func (p *Prompts) tries() (n int) {
	for i := range p.Prompts {
		n += p.Prompts[i].Tries
	}
	return n
}

// Retired is prompts that a trainer should drop or weigh less, and the texts by which it knows them.
type Retired struct {
	Prompts []*ledger.Prompt
	IDs     []string // of these: their names, or the values of a column of the log
	Texts   []model.Text
	Weight  float64
}

// RetiredTable is a row per prompt.
func RetiredTable(r *Retired) Table {
	t := Table{
		Title: "retired prompts", Columns: []string{
			"id", "state", "weight", "seen", "solve_rate", "reward", "state_why", "prompt",
			"ground_truth",
		},
	}
	for i, p := range r.Prompts {
		t.Rows = append(t.Rows, []any{
			r.IDs[i], string(p.State()), r.Weight, p.Seen, p.SolveRate(), p.Reward(), p.Why(), r.Texts[i].Prompt,
			r.Texts[i].Truth,
		})
	}
	return t
}

// RetiredIDs writes an id per line.
func RetiredIDs(w io.Writer, r *Retired) error {
	out := bufio.NewWriter(w)
	for _, id := range r.IDs {
		fmt.Fprintln(out, sanitize.Line(id))
	}
	return out.Flush()
}
