package tui

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vantage/estimators"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/diagnosis"
	"vantage/themes"
	"vantage/tui/chart"
	"vantage/tui/job"
	"vantage/tui/pane"
	"vantage/tui/reader"
	"vantage/tui/samples"
)

// textSource is a made run whose samples have texts.
type textSource struct {
	*madeSource
	text        func(model.Record) (model.Text, error)
	records     map[int64]model.Record // by offset
	reads       int                    // how often a text was read
	lastContext context.Context        // of the last read
}

func (s *textSource) Text(ctx context.Context, at model.Place) (model.Text, error) {
	s.reads++
	s.lastContext = ctx
	if s.text == nil {
		return model.Text{}, errors.New("no texts were made")
	}
	return s.text(s.records[at.Offset])
}

// madeRunWithTexts is madeRun with two reward components and the texts that text returns.
func madeRunWithTexts(steps int, text func(model.Record) (model.Text, error)) *textSource {
	s := &textSource{madeSource: madeRun(steps), text: text, records: map[int64]model.Record{}}
	for _, chunk := range s.chunks {
		chunk.ComponentNames = []string{"accuracy", "rewards/format"}
		for i := range chunk.Records {
			r := &chunk.Records[i]
			r.Offset = 1000*r.Step + r.Line
			r.Components = []float64{r.Reward, float64(i % 2)}
			s.records[r.Offset] = *r
		}
	}
	return s
}

// toolText returns a conversation in which the assistant calls a tool.
func toolText(model.Record) (model.Text, error) {
	return model.Text{
		Prompt: "<|im_start|>system\nUse the tools.<|im_end|>\n<|im_start|>user\nHow high is the Zugspitze?<|im_end|>\n<|im_start|>assistant\n",
		Response: "<think>I look it up.</think>\n<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"Zugspitze\"}}\n</tool_call><|im_end|>\n" +
			"<|im_start|>user\n<tool_response>\nZugspitze, 2962 m\n</tool_response><|im_end|>\n<|im_start|>assistant\nIt is **2962 m** high.<|im_end|>",
		Truth: "2962",
	}, nil
}

// proofText returns a proof that is wrong from its second line on if the reward is below 0.5.
func proofText(r model.Record) (model.Text, error) {
	second := `2. Of the $9$ left, $3$ are red: $\frac{3}{9} = \frac{1}{3}$.`
	end := `3. Together $\frac{2}{5} \cdot \frac{1}{3} = \boxed{\frac{2}{15}}$.`
	if r.Reward < 0.5 {
		second = `2. The second is red with probability $\frac{2}{5}$ again.`
		end = `3. Together $\frac{2}{5} \cdot \frac{2}{5} = \boxed{\frac{4}{25}}$.`
	}
	return model.Text{
		Prompt: "一个盒子里有四个红球和六个蓝球，取出两个，两个都是红球的概率是多少？",
		Response: "<think>\nTwo draws without replacement. " + strings.Repeat("Hmm, let me see. ", int(r.Offset%7)) + "\n</think>\n## Solution\n\n" +
			"1. The first marble is red with probability $\\frac{4}{10} = \\frac{2}{5}$.\n" + second + "\n" + end +
			"\n\nIn **code**:\n\n```python\nprint(Fraction(4, 10) * Fraction(3, 9))  # 和\n```\n",
		Truth:  "2/15",
		Fields: []model.Field{{Name: "uid", Value: fmt.Sprint(r.Offset)}},
	}, nil
}

// displayVariants returns the ways in which a frame can be drawn.
func displayVariants() map[string]func(*pane.Display) {
	return map[string]func(*pane.Display){
		"mono":   func(*pane.Display) {},
		"colour": func(l *pane.Display) { l.Theme, l.NoColor = themes.Default(true), false },
		"ascii":  func(l *pane.Display) { l.Glyphs = chart.ASCII() },
	}
}

func TestGroupViewShowsTexts(t *testing.T) {
	t.Parallel()
	source := madeRunWithTexts(2, proofText)
	drive(t, source, 120, 36, filterSettings(), func(d *driver) {
		d.press("j", "enter")
		d.wantText("accuracy", "format", "tokens", "一个盒子里", "▾ thought", "Two draws without replacement.", "4/10 = 2/5", "ground truth", "zero variance at the worst", "1/8")
		d.press("T")
		d.wantText("▸ thought  132 characters · T unfolds")
		d.press("j", "k", "T")
		d.wantText("▾ thought", "Two draws without replacement.")
		d.press("I")
		d.wantText("<think>", `$\frac{4}{10} = \frac{2}{5}$`, "as logged")
		d.press("I", "T", "j", "j", "k")
		d.wantText("sample 2/8", "text  sample 2")
		d.press("J")
		d.wantText("sample 1/8", "group 3/24")
		d.press("K", "K", "K")
		d.wantText("group 1/24", "no further group")
		d.press("esc")
		d.wantText("1 groups")
	})
}

// A large screen shows below a text how it differs from the best answer, the best one from the worst, where rewards differ and it fits.
func TestTextIsComparedWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(1, proofText), 200, 60, filterSettings(), func(d *driver) {
		lacksDiff := func() {
			t.Helper()
			if frame := ansi.Strip(d.frame()); strings.Contains(frame, "against the") {
				t.Errorf("there is a diff:\n%s", frame)
			}
		}
		d.press("G", "enter")
		d.wantText("text  sample 1", "against the worst answer", "+ sample 1  reward 0.9", "− sample 8  reward 0.1", "[+Of the 9 left, 3 are red: 3/9 = 1/3]")
		d.press("j", "j")
		d.wantText("text  sample 3", "against the best answer", "+ sample 1  reward 0.9", "− sample 3  reward 0.8")
		d.press("/", "2")
		lacksDiff()
		d.press("esc", "I")
		lacksDiff()
		d.press("I", "K", "1", "G")
		d.wantText("against the best answer")
		d.press("d")
		lacksDiff()
		d.press("d", "g", "esc", "g", "enter") // all of whose rewards are equal
		d.wantText("zero variance")
		lacksDiff()
	})
}

// Keys scroll the text and go to its parts; a notice says which part there is not.
func TestTextKeysScroll(t *testing.T) {
	t.Parallel()
	long := func(model.Record) (model.Text, error) {
		return model.Text{Prompt: "q", Response: strings.Repeat("line\n", 300) + "the last", Truth: "42"}, nil
	}
	drive(t, madeRunWithTexts(1, long), 80, 24, filterSettings(), func(d *driver) {
		d.press("enter", "tab", "j", "j")
		if d.app.views.sampleReader.Scroll != 2 || d.app.views.sampleReader.Sample != 0 {
			t.Errorf("two lines down is line %d of sample %d", d.app.views.sampleReader.Scroll, d.app.views.sampleReader.Sample)
		}
		d.press("3")
		d.wantText("ground truth", "42", "the last")
		d.press("g")
		d.wantText("prompt  1 character")
		d.press("G", "j", "j")
		end := d.app.views.sampleReader.Scroll
		d.press("k")
		if d.app.views.sampleReader.Scroll != end-1 {
			t.Error("the text can be walked past its end")
		}
		d.press("n")
		d.wantText("no search: / starts one")
		d.press("d", "2", "1")
		d.wantText("a diff has only the responses")
	})
}

func TestSearchFindsMatches(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(1, proofText), 120, 36, filterSettings(), func(d *driver) {
		d.press("enter", "/")
		d.wantText("type to search")
		d.press("H", "m", "m")
		if want := int(d.app.views.sampleReader.Job.Of.Texts[0].Place.Offset % 7); d.app.views.sampleReader.Search.Matches.Len() != want {
			t.Errorf("%d matches in a folded thought, want %d", d.app.views.sampleReader.Search.Matches.Len(), want)
		}
		d.press("backspace", "backspace", "backspace", "红", "球")
		d.wantText("/红球▏ 1 of 2")
		d.press("enter", "n")
		d.wantText("/红球 2 of 2")
		d.press("n", "N", "N")
		d.wantText("/红球 1 of 2")
		d.press("/", "q", "x", "enter")
		d.wantText("/qx not found")
		d.press("/", "esc")
		d.wantText("text  sample 1")
	})
}

// d compares with the best sample; on the best the cursor goes to the worst.
func TestDiffComparesWithTheBestSample(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(1, proofText), 120, 36, filterSettings(), func(d *driver) {
		for d.app.env.SelectedGroup() == nil || d.app.env.SelectedGroup().RewardStd < 1e-9 {
			d.press("j")
		}
		d.press("enter", "d")
		d.wantText("diff  + best  − sample 8", "sample 8/8", "+ sample 1  reward")
		d.press("k")
		d.wantText("− sample 7")
		d.press("d")
		d.wantText("text  sample 7")
	})
}

// The request of a text that is no longer shown is cancelled and its answer dropped; the last
// texts are not read again.
func TestTextsAreReadOnce(t *testing.T) {
	t.Parallel()
	source := madeRunWithTexts(1, proofText)
	o := Options{Settings: filterSettings(), Look: foundBefore(&diagnosis.Diagnosis{Steps: 100})} // which reads none
	driveWith(t, source, 120, 36, o, func(d *driver) {
		d.press("enter", "j", "j", "k", "k", "T", "I")
		if source.reads != 3 {
			t.Errorf("three samples were read %d times", source.reads)
		}
		first := source.lastContext
		d.press("j", "j", "j")
		if first.Err() == nil {
			t.Error("what was asked for before is not cancelled")
		}
		page := d.app.views.sampleReader.Page(0)
		d.send(job.Answer[reader.PagesKey, reader.TextPages]{Number: d.app.views.sampleReader.Job.Number - 1, Err: errors.New("late")})
		if d.app.views.sampleReader.Page(0) != page || d.app.views.sampleReader.Job.Err != nil {
			t.Error("a late text is on the screen")
		}
		d.press("esc")
		if source.lastContext.Err() == nil {
			t.Error("the text is read on after the group was left")
		}
	})
}

func TestSourceWithoutTexts(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 80, 24, filterSettings(), func(d *driver) {
		d.press("enter")
		d.wantText("This source has no texts: open the log")
		d.press("d", "n", "/", "x", "enter", "1", "G", "T") // none of which fails
	})
	gone := func(model.Record) (model.Text, error) {
		return model.Text{}, errors.New("a.jsonl has changed:\x1b[2J the sample is not there any more")
	}
	drive(t, madeRunWithTexts(1, gone), 80, 24, filterSettings(), func(d *driver) {
		d.press("enter")
		d.wantText("a.jsonl has changed:␛[2J the sample is not there any more")
	})
}

// While a group is open its step stays; afterwards the newest is followed again.
func TestOpenGroupHoldsItsStep(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(2, proofText), 120, 36, filterSettings(), func(d *driver) {
		d.press("j", "j", "enter")
		name := d.app.env.SelectedGroup().Name
		d.send(chunkMsg{chunk: madeRunWithTexts(3, proofText).chunks[2]})
		if d.app.env.Result.Analysis.Step != 2 || d.app.env.SelectedGroup().Name != name {
			t.Errorf("the screen went to step %d", d.app.env.Result.Analysis.Step)
		}
		d.press("esc")
		if d.app.env.Result.Analysis.Step != 3 {
			t.Errorf("after the group was left the screen is at step %d", d.app.env.Result.Analysis.Step)
		}
		d.press("[", "enter", "esc")
		if d.app.env.Result.Analysis.Step != 2 {
			t.Errorf("leaving a group of step 2 went to step %d", d.app.env.Result.Analysis.Step)
		}
		d.press("F", "enter", "[", "esc")
		if d.app.env.Result.Analysis.Step != 2 {
			t.Errorf("leaving the step that was gone to went to step %d", d.app.env.Result.Analysis.Step)
		}
		d.press("F", "enter", "E", "esc", "esc")
		if !d.app.env.Place.Follow {
			t.Error("the newest step is not followed after the list of estimators")
		}
	})
}

// ownEscapes matches the escape sequences of styles.
var ownEscapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Every control sequence in a text is shown, never sent to the terminal.
func TestTextsDoNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for c := range 0x100 {
		if c < ' ' || c >= 0x7f {
			fmt.Fprintf(&all, "%c %s ", rune(c), []byte{byte(c)})
		}
	}
	for _, s := range []string{
		"\x1b]52;c;ZXZpbA==\a", "\x1b]52;c;ZXZpbA==\x1b\\", "\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "\x1b]0;title\a", "\x9d0;title\x9c",
		"\x1b[2J\x1b[H", "\u009b31m", "\x1b[?1049l", "\x1bP+q544e\x1b\\", "\x1b_Gf=24;\x1b\\", "\x1bc",
		"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c", "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u115f\u3164\U000e0041",
		"<think>\x1b[2J</think>", "$\x1b[2J \\frac{\x1b]0;x\a}{\u202e}$", "**\x1b[2J**", "`\x1b[2J`", "```\n\x1b[2J\n```", "# \x1b[2J", "- \x1b[2J", "| \x1b[2J |",
	} {
		all.WriteString(s + " x\n")
	}
	for name, hostile := range map[string]string{
		"controls":         all.String(),
		"marks":            "e" + strings.Repeat("\u0301\u0489\u20dd", repotest.Times(1, 10)<<20/7), // on one letter
		"marks, no letter": strings.Repeat("\u0301", repotest.Times(1, 10)<<19),
		"escapes":          strings.Repeat("\x1b[2J", repotest.Times(1, 10)<<20/10),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := func(model.Record) (model.Text, error) {
				return model.Text{Prompt: hostile, Response: hostile, Truth: hostile, Fields: []model.Field{{Name: all.String(), Value: hostile}}}, nil
			}
			source := madeRunWithTexts(1, text)
			source.chunks[0].Records = source.chunks[0].Records[2*8 : 4*8] // two groups: what looks at the run reads the texts of all
			for i := range source.chunks[0].Records {
				source.chunks[0].Records[i].Preview = all.String()
			}
			source.chunks[0].ComponentNames[0] = all.String()
			drive(t, source, 120, 36, filterSettings(), func(d *driver) {
				d.app.env.Display.Theme = themes.Default(true)
				for _, key := range []string{"enter", "T", "I", "I", "d", "tab", "G", "/", "x", "enter", "2", "3"} {
					d.press(key)
					for range 20 {
						checkHarmless(t, key, d.frame())
						d.app.views.sampleReader.ScrollLines(d.app.env, 7)
					}
				}
			})
		})
	}
}

// checkHarmless fails if a frame has a control, direction or invisible character, an escape
// sequence that is not a style, or more than three combining marks on a letter.
func checkHarmless(t *testing.T, key, frame string) {
	t.Helper()
	marks := 0
	for _, r := range ownEscapes.ReplaceAllString(frame, "") {
		if r != '\n' && unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Fatalf("after %s: %U reaches the terminal", key, r)
		}
		if marks++; !unicode.Is(unicode.M, r) {
			marks = 0
		}
		if marks > 3 {
			t.Fatalf("after %s: a stack of marks reaches the terminal", key)
		}
	}
}

// The frame fills the screen exactly, whatever the size, the text and the keys.
func TestGroupFillsTheScreen(t *testing.T) {
	t.Parallel()
	keys := []string{"j", "k", "J", "K", "tab", "/", "x", "enter", "n", "N", "d", "T", "I", "1", "2", "3", "g", "G", "esc", "[", "]", "p", "?", "*", "a"}
	var said string
	text := func(r model.Record) (model.Text, error) {
		return model.Text{Prompt: said, Response: fmt.Sprint(said, r.Offset, "\n三角形 x", said), Truth: said}, nil
	}
	drive(t, madeRunWithTexts(2, text), 120, 36, filterSettings(), func(d *driver) {
		rapid.Check(t, func(t *rapid.T) {
			said = rapid.StringN(0, 80, -1).Draw(t, "text") + rapid.SampledFrom([]string{"", "\x1b[2J", "一二三", "```\na\n```", "$\\frac{1}{2}$", "👩‍👩‍👧🇩🇪", "שלום"}).Draw(t, "more")
			d.app.views.sampleReader.Cached = nil
			d.press("esc", "esc", "esc", "enter")
			w, h := rapid.IntRange(1, 240).Draw(t, "w"), rapid.IntRange(1, 80).Draw(t, "h")
			d.send(tea.WindowSizeMsg{Width: w, Height: h})
			d.press(rapid.SliceOfN(rapid.SampledFrom(keys), 0, 6).Draw(t, "keys")...)
			lines := strings.Split(d.frame(), "\n")
			if len(lines) != h {
				t.Fatalf("%d lines at %d×%d", len(lines), w, h)
			}
			for i, line := range lines {
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("line %d of %d×%d has %d cells: %q", i, w, h, got, line)
				}
			}
		})
	})
}

// The frame to the right of wide characters is straight.
func TestWideCharactersAlign(t *testing.T) {
	t.Parallel()
	drive(t, madeRunWithTexts(1, proofText), 80, 24, filterSettings(), func(d *driver) {
		d.press("enter", "1")
		for _, line := range strings.Split(ansi.Strip(d.frame()), "\n")[4:] {
			if strings.Contains(line, "盒子") && (ansi.StringWidth(line) != 80 || !strings.HasSuffix(line, "│")) {
				t.Errorf("%q", line)
			}
		}
	})
}

// An accent that is a character of its own is on the screen with its letter: the renderer would leave it out.
func TestAccentsStayOnTheirLetters(t *testing.T) {
	t.Parallel()
	text := func(model.Record) (model.Text, error) {
		return model.Text{Prompt: "o u\u0308ber", Response: "cafe\u0301, tie\u0302\u0301ng"}, nil
	}
	drive(t, madeRunWithTexts(1, text), 80, 24, filterSettings(), func(d *driver) {
		d.press("enter")
		d.wantText("café, tiếng", "o über")
	})
}

func TestNumberWriterUsesTheDecimalsNeeded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   string
	}{
		{[]float64{1, 0}, "1 0"},
		{[]float64{0.5, 1}, "0.5 1.0"},
		{[]float64{0.25, math.NaN(), -0.1}, "0.25 nan -0.10"},
		{[]float64{1. / 3, math.Inf(1), 2}, "0.333 inf 2.000"},
		{[]float64{0.1 + 0.2, estimators.MissingReward()}, "0.3 —"},
	} {
		write := samples.NumberWriter(test.values)
		var got []string
		for _, v := range test.values {
			got = append(got, write(v))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v is written %q, want %q", test.values, strings.Join(got, " "), test.want)
		}
	}
}
