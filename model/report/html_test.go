package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/glance"
	"vantage/model/sweep"
)

// hostile are texts that a log may hold, each of which would do something in a page that did not escape it.
func hostile() []string {
	return []string{
		"<script>alert(1)</script>", "</title></style></textarea><script>alert(2)</script>", `"><img src=x onerror=alert(3)>`, `' onmouseover='alert(4)`,
		"<!--", "]]>", "&lt;b&gt;", "\x1b]0;owned\a\x1b[2J", "left\u202eright\u2066", "zero\u200bwidth\ufeff", "\xff\xfe", "javascript:alert(5)", "a\nb\tc\r\nd",
	}
}

// hostileReport returns a report of a run in which every text is hostile, with answers of n groups.
func hostileReport(t *testing.T, n int) *Report {
	t.Helper()
	store := model.NewStore()
	for step, text := range hostile() {
		chunk := &model.Chunk{Format: "synthetic" + text, Provenance: text, LengthUnit: model.LengthTokens, HasTruth: true, Files: []string{text}}
		chunk.Problems = []model.Problem{{File: text, Line: 3, Reason: text}}
		for i := range 8 {
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step + 1), Prompt: uint64(i / 4), Preview: text, Group: text + fmt.Sprint(i/4), Reward: float64(i / 4 * (i % 2)), Advantage: math.NaN(), Length: int32(10 + i),
			})
		}
		store.Append(chunk)
	}
	snap := store.Snapshot()
	snap.Run.Config, snap.Run.Notes = hostile()[0], hostile()
	r := newPageReport(t, snap, model.DefaultSettings())
	r.Head = Head{Path: strings.Join(hostile(), " "), Date: time.Unix(0, 0), Version: hostile()[1], Command: strings.Join(hostile(), " ")}
	r.Parts.Texts = n
	r.Parts.Text = func(model.Place) (model.Text, error) {
		all := strings.Join(hostile(), "\n")
		return model.Text{Prompt: all, Response: all, Truth: all}, nil
	}
	return r
}

// newPageReport returns a report with a sweep.
func newPageReport(t *testing.T, snap model.Snapshot, set model.Settings) *Report {
	t.Helper()
	r, err := New(t.Context(), snap, set)
	if err != nil {
		t.Fatal(err)
	}
	steps := make([]int, len(snap.Steps))
	for i := range steps {
		steps[i] = i
	}
	grid, err := sweep.Run(t.Context(), snap, steps, set, sweep.Ratios{Pos: []float64{0, 0.5, 1}, Neg: []float64{0, 0.5, 1}})
	if err != nil {
		t.Fatal(err)
	}
	r.Parts.Sweep = &Sweep{Grid: grid, Recompute: []bool{false, true}, Goal: sweep.DefaultGoal()}
	return r
}

// sameSteps returns a run whose steps all have groups with these rewards.
func sameSteps(steps int, groups ...[]float64) model.Snapshot {
	store := model.NewStore()
	for step := range steps {
		chunk := &model.Chunk{Format: "synthetic", LengthUnit: model.LengthTokens, HasTruth: true}
		for g, rewards := range groups {
			for i, r := range rewards {
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(g + 1), Preview: "what?", Reward: r, Advantage: math.NaN(), Length: 10, Offset: int64(i),
				})
			}
		}
		store.Append(chunk)
	}
	return store.Snapshot()
}

func pageOf(t *testing.T, r *Report) string {
	t.Helper()
	var out bytes.Buffer
	if _, err := HTML(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// element is an element of a parsed page.
type element struct {
	name       string
	attributes map[string]string
	text       string // of all that it holds, without style and script
	inner      string // of style and script
}

// parsePage returns the elements of a page in their order; the first holds all text.
func parsePage(t *testing.T, page string) []element {
	t.Helper()
	var all []element
	var open []int
	decoder := xml.NewDecoder(strings.NewReader(page))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attributes: map[string]string{}}
			for _, a := range token.Attr {
				e.attributes[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) == 0 {
				continue
			}
			if inner := &all[open[len(open)-1]]; inner.name == "style" || inner.name == "script" {
				inner.inner += string(token)
				continue
			}
			for _, i := range open {
				all[i].text += string(token)
			}
		}
	}
}

// Whatever a log holds, the page has the elements and attributes that it writes itself and no others, and shows the
// text as text.
func TestHTMLHoldsHostileTexts(t *testing.T) {
	page := pageOf(t, hostileReport(t, 5))
	names := strings.Fields("html head meta title style body a header p h1 ul li span dl div dt dd nav main section h2 h3 h4 ol code q bdi strong b figure figcaption svg g path rect text title table caption thead tbody tr th td details summary pre footer script")
	attributes := strings.Fields("lang charset http-equiv content name class id href tabindex role title aria-label aria-labelledby aria-hidden dir open scope data-kind viewBox preserveAspectRatio d x y width height rx fill-opacity stroke-width")
	elements := parsePage(t, page)
	scripts := 0
	for _, e := range elements {
		if !slices.Contains(names, e.name) {
			t.Errorf("an element %s", e.name)
		}
		for name, value := range e.attributes {
			if !slices.Contains(attributes, name) {
				t.Errorf("%s has an attribute %s=%q", e.name, name, value)
			}
			if name == "href" && !strings.HasPrefix(value, "#") {
				t.Errorf("a link to %q", value)
			}
			for _, r := range value {
				if r == '\x1b' || r == '\u202e' || r == '\u200b' {
					t.Errorf("%s of %s holds %U", name, e.name, r)
				}
			}
		}
		if e.name == "script" {
			scripts++
		}
	}
	if scripts != 1 {
		t.Errorf("%d scripts", scripts)
	}
	for _, text := range hostile() {
		if want := visible(text); strings.Count(elements[0].text, want) < 5 {
			t.Errorf("%q is shown %d times", want, strings.Count(elements[0].text, want))
		}
	}
	for _, hidden := range []string{"\x1b", "\u202e", "\u200b", "\ufeff", "\xff"} {
		if strings.Contains(page, hidden) {
			t.Errorf("the page holds %q", hidden)
		}
	}
}

// The policy of the page allows its own style and script by their hashes, and nothing else.
func TestHTMLPolicy(t *testing.T) {
	elements := parsePage(t, pageOf(t, hostileReport(t, 0)))
	policy := ""
	for _, e := range elements {
		if e.attributes["http-equiv"] == "Content-Security-Policy" {
			policy = e.attributes["content"]
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	for _, e := range elements {
		if e.name != "style" && e.name != "script" {
			continue
		}
		sum := sha256.Sum256([]byte(e.inner))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(policy, e.name+"-src 'sha256-"+hash+"'") {
			t.Errorf("the policy %q does not allow the %s of hash %s", policy, e.name, hash)
		}
	}
}

// The page can be read with a keyboard and a screen reader: links lead somewhere, ids are unique, tables have captions
// and scopes, pictures say what they show, and no coordinate is missing.
func TestHTMLIsAccessible(t *testing.T) {
	many := make([][]float64, 3)
	for i := range many {
		many[i] = []float64{1, 0, math.NaN(), math.Inf(1), float64(i)}
	}
	set := model.DefaultSettings()
	set.KeepNeg, set.Recompute = 0.5, true
	reports := map[string]*Report{
		"hostile": hostileReport(t, 3), "nothing": reportOf(t, 1, model.DefaultSettings(), []float64{math.NaN()}), "one": reportOf(t, 1, model.DefaultSettings(), []float64{1, 0}),
		"many": reportOf(t, 700, set, many...), "huge": reportOf(t, 3, model.DefaultSettings(), []float64{1e308, -1e308, 5e-324}), "tiny": reportOf(t, 2, model.DefaultSettings(), []float64{5e-324, 0}),
	}
	for name, r := range reports {
		elements := parsePage(t, pageOf(t, r))
		ids := map[string]bool{}
		for _, e := range elements {
			if id := e.attributes["id"]; id != "" {
				if ids[id] {
					t.Errorf("%s: two elements have the id %q", name, id)
				}
				ids[id] = true
			}
		}
		captions, tables := 0, 0
		for _, e := range elements {
			if target, ok := strings.CutPrefix(e.attributes["href"], "#"); ok && !ids[target] {
				t.Errorf("%s: a link to #%s, which is not there", name, target)
			}
			if by := e.attributes["aria-labelledby"]; by != "" && !ids[by] {
				t.Errorf("%s: labelled by %s, which is not there", name, by)
			}
			switch e.name {
			case "a":
				if strings.TrimSpace(e.text) == "" {
					t.Errorf("%s: a link to %s without a word", name, e.attributes["href"])
				}
			case "table":
				tables++
			case "caption":
				captions++
			case "th":
				if e.attributes["scope"] == "" {
					t.Errorf("%s: the head %q has no scope", name, e.text)
				}
			case "svg":
				if e.attributes["aria-label"] == "" && e.attributes["aria-hidden"] == "" {
					t.Errorf("%s: a picture without a label", name)
				}
			}
			for _, key := range []string{"d", "x", "y", "width", "height", "viewBox", "fill-opacity"} {
				if v := e.attributes[key]; strings.Contains(v, "NaN") || strings.Contains(v, "Inf") || strings.Contains(v, "nan") {
					t.Errorf("%s: %s=%q of %s", name, key, v, e.name)
				}
			}
		}
		if tables == 0 || captions != tables {
			t.Errorf("%s: %d captions of %d tables", name, captions, tables)
		}
		if !strings.Contains(elements[0].text, "complete: ") {
			t.Errorf("%s: nothing says that the page is not cut", name)
		}
	}
}

// A page of 200 steps can be attached to anything: it has less than 300 kB. One of many more is bounded.
func TestHTMLIsSmall(t *testing.T) {
	repotest.OneGoroutine(t)
	var groups [][]float64
	for i := range 32 {
		groups = append(groups, []float64{1, 0, float64(i % 2), 0.5})
	}
	for steps, most := range map[int]int{200: 300_000, 3000: 600_000} {
		r := newPageReport(t, reportOf(t, steps, model.DefaultSettings(), groups...).Snap, model.DefaultSettings())
		if n := len(pageOf(t, r)); n > most {
			t.Errorf("%d bytes for %d steps", n, steps)
		}
	}
}

// The page says the figures that a person counts: 2 steps of a group with signal and one that is all solved.
func TestHTMLFigures(t *testing.T) {
	r := newPageReport(t, sameSteps(2, []float64{1, 0}, []float64{1, 1}), model.DefaultSettings())
	r.Head = Head{Path: "runs/a", Date: time.Unix(0, 0), Version: "v1", Command: "vantage report runs/a --format=html"}
	text := parsePage(t, pageOf(t, r))[0].text
	for _, want := range []string{
		"runs/a · vantage report", "2 steps · 8 samples · 4 groups", "reward0.750", "groups with signal50%2 of 4", "samples that train50%4 of 8",
		"alive 2/4 (50%)", "all correct 2/4 (50%)", "1970-01-01 00:00:00 UTC by vantage v1", "vantage report runs/a --format=html", "complete: 2 rows, one per step",
		"length penaltyoffno reward is lowered", "algorithm.adv_estimator=grpo",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "Answers") {
		t.Error("the page has answers that nobody asked for")
	}
}

// The page has the worst steps, the worst first, and says what they are ranked by.
func TestHTMLWorstSteps(t *testing.T) {
	r := newPageReport(t, sameSteps(9, []float64{1, 0}), model.DefaultSettings())
	if text := parsePage(t, pageOf(t, r))[0].text; strings.Contains(text, "Worst steps") {
		t.Error("a run without any has worst steps")
	}
	trend := &analysis.Trend{Settings: model.DefaultSettings()}
	for step := range int64(21) { // of three two are bad
		s := analysis.StepFigures{Step: step, Groups: 4, Signal: 1, Rows: 16, Nonzero: 3}
		s.Fates[model.FateAlive], s.Fates[model.FateAllWrong] = 1, 3
		if step%3 == 2 {
			s.Fates = [model.FateCount]int{model.FateAlive: 4}
		}
		trend.Steps = append(trend.Steps, s)
	}
	r.Parts.Worst = func(*analysis.Trend) []glance.Span { return glance.Of(trend, diagnosis.Answers{}, model.Run{}).Spans }
	text := parsePage(t, pageOf(t, r))[0].text
	for _, want := range []string{"Ranked " + glance.Order(), "The worst 5, the worst first; 2 more are less bad", "0–1All wrong (6 of 8 groups)2/8 (25%)6/32 (19%)", "12–13All wrong"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "15–16") {
		t.Error("the page has more than the five worst")
	}
}

// Where rewards are missing, the page says what its two means are of: the trainer counts NaN as 0.
func TestHTMLMeanOfMissingRewards(t *testing.T) {
	text := parsePage(t, pageOf(t, newPageReport(t, sameSteps(1, []float64{1, math.NaN(), 0.5, 0.5}), model.DefaultSettings())))[0].text
	for _, want := range []string{"reward0.500mean with 1 NaN or missing as the trainer counts them; 0.667 without", "mean 0.667, without 1 NaN or missing"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}

// The best and the worst answer are those of the extreme rewards; what cannot be read any more is said, and a long text
// is cut in the middle.
func TestHTMLTexts(t *testing.T) {
	r := newPageReport(t, sameSteps(1, []float64{0.25, 1, 0, 0.5}), model.DefaultSettings())
	r.Parts.Texts = 1
	r.Parts.Text = func(at model.Place) (model.Text, error) {
		return model.Text{Prompt: "what?", Response: fmt.Sprintf("answer %d", at.Offset) + strings.Repeat("x", maxAnswerText)}, nil
	}
	text := parsePage(t, pageOf(t, r))[0].text
	for _, want := range []string{"best: reward 1, advantage +1.32, 2508 characters", "worst: reward 0, advantage -1.02, 2508 characters", "answer 1xxx", "answer 2xxx", "[8 characters]"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text[strings.Index(text, "Answers"):])
		}
	}
	r.Parts.Text = func(model.Place) (model.Text, error) { return model.Text{}, errors.New("<gone>") }
	if text := parsePage(t, pageOf(t, r))[0].text; !strings.Contains(text, "No texts: <gone>.") {
		t.Error("a text that cannot be read is not said")
	}
}

// A page of a trend, as the screen has it, has neither groups nor a distribution, and is a page all the same.
func TestHTMLOfTrendAndWithoutSweep(t *testing.T) {
	r := reportOf(t, 3, model.DefaultSettings(), []float64{1, 0})
	r.Parts.NoSweep = "the estimator has no filter"
	text := parsePage(t, pageOf(t, r))[0].text
	if !strings.Contains(text, "No sweep: the estimator has no filter.") {
		t.Error("nothing says why there is no sweep")
	}
}

// A page to be sent names no folder of this machine, has equal answers once, and no sweep where the trainer has no filter.
func TestHTMLToBeSent(t *testing.T) {
	r := hostileReport(t, 1)
	r.Head = Head{Path: "/home/ada/runs/qwen", Command: "vantage report /home/ada/runs/qwen --output=/home/ada/x.html", Folders: []string{"/home/ada/runs/", "/home/ada/"}}
	r.Parts.Text = func(model.Place) (model.Text, error) { return model.Text{Response: "one and the same"}, nil }
	r.Parts.Sweep, r.Parts.NoSweep = nil, ""
	page := pageOf(t, r)
	if strings.Contains(page, "/home") || !strings.Contains(page, "vantage report qwen --output=x.html") {
		t.Error("the page names folders of this machine")
	}
	if !strings.Contains(page, "The same text as the ") || strings.Count(page, "one and the same") > 1 {
		t.Errorf("equal answers are there %d times", strings.Count(page, "one and the same"))
	}
	if strings.Contains(page, "No sweep") || strings.Contains(page, "What a filter would do") {
		t.Error("there is a section for a sweep")
	}
}

// A line of many points is smoothed, and its caption is of tenths of the run: the reward of 100 steps, from 0 to 99, is 4.5 in the first
// tenth, 94.5 in the newest and 49.5 over all.
func TestHTMLCaptionsAreOfTheRun(t *testing.T) {
	l := trendLine{Values: make([]float64, 100), sums: make([]float64, 100), counts: slices.Repeat([]int{1}, 100)}
	for i := range l.Values {
		l.Values[i], l.sums[i] = float64(i), float64(i)
	}
	if got := l.overRun(); got != "4.50 → 94.5 · mean 49.5" {
		t.Error(got)
	}
	if at, smooth := l.smooth(l.Values); at[1] != 3 || smooth[1] != 3 || smooth[0] != 1 { // the mean of 1 to 5, and of 0 to 2
		t.Errorf("%g at %g, and %g", smooth[1], at[1], smooth[0])
	}
}

// Of each fate the newest groups are kept, whatever the number of steps, and those that need attention come first.
func TestWorstGroups(t *testing.T) {
	w := worstGroups{most: 3}
	err := analysis.Each(t.Context(), sameSteps(40, []float64{0, 0}, []float64{1, 1}, []float64{1, 0}, []float64{1, 0, 0, 0}), model.DefaultSettings(), func(a *analysis.Analysis) error {
		w.add(a)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, g := range w.ranked() {
		got = append(got, fmt.Sprintf("%s %d %.2f", g.Fate, g.Step, g.RewardMean))
	}
	want := []string{
		"all wrong 40 0.00", "all wrong 39 0.00", "all wrong 38 0.00", "all correct 40 1.00", "all correct 39 1.00", "all correct 38 1.00",
		"alive 40 0.25", "alive 39 0.25", "alive 38 0.25",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// An error of the writer is not lost, although all is computed before it is written.
func TestHTMLFailingWriter(t *testing.T) {
	if _, err := HTML(failingWriter{}, reportOf(t, 3, model.DefaultSettings(), []float64{1, 0})); !errors.Is(err, errWrite) {
		t.Error(err)
	}
}
