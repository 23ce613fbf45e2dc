package richtext

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/model"
	"vantage/themes"
)

// drawn returns the lines of a page without colours and trailing spaces.
func drawn(p *Page) []string {
	var lines []string
	for i := range p.Len() {
		lines = append(lines, strings.TrimRight(ansi.Strip(p.Line(themes.Mono(), "│", i, Matches{})), " "))
	}
	return lines
}

// body returns the lines of a response at a width, without the headings.
func body(t *testing.T, response string, w int, o Options) []string {
	t.Helper()
	page := Sample(model.Text{Response: response}, o).Wrap(w)
	from, to := page.AnchorLines(AnchorResponse)[0], page.AnchorLines(AnchorTruth)[0]
	first := page.anchors[1].start // of the heading, which may have more than one line
	first += strings.IndexByte(page.text[first:], '\n')
	return drawn(page)[max(from, page.lineOf(first+1)) : to-1]
}

func TestSample(t *testing.T) {
	long := "a long line that has to be broken between its words"
	for name, test := range map[string]struct {
		response string
		w        int
		o        Options
		want     []string
	}{
		"words":            {long, 20, Options{}, []string{"a long line that has", "to be broken between", "its words"}},
		"heading":          {"## Two **words**\ntext", 20, Options{}, []string{"Two words", "text"}},
		"list":             {"- one two three four five\n12. six seven eight nine", 16, Options{}, []string{"• one two three", "  four five", "12. six seven", "    eight nine"}},
		"bold and code":    {"a **b c** d `e**f` g*h", 40, Options{}, []string{"a b c d `e**f` g*h"}},
		"lone marks":       {"2 ** 3 ** 4, a * b", 40, Options{}, []string{"2 ** 3 ** 4, a * b"}},
		"code":             {"```go\nif x {\n\treturn    y // a comment beyond the edge\n}\n```\nend", 24, Options{}, []string{"```go", "│ if x {", "│     return    y // a c", "│ omment beyond the edge", "│ }", "```", "end"}},
		"latex in code":    {"```\n$x^2$\n```\n$x^2$", 24, Options{}, []string{"```", "│ $x^2$", "```", "x²"}},
		"table":            {"| a    | b |", 24, Options{}, []string{"| a    | b |"}},
		"latex":            {"$x_1 \\leq 2$", 24, Options{}, []string{"x₁ ≤ 2"}},
		"latex in ascii":   {"$x_1 \\leq 2$", 24, Options{ASCII: true}, []string{"$x_1 \\leq 2$"}},
		"as logged":        {"# $x$ **b**\n<think>a</think>", 24, Options{Raw: true, Folded: true}, []string{"# $x$ **b**", "<think>a</think>"}},
		"folded":           {"<think>\nhm\n</think>\nyes", 40, Options{Folded: true}, []string{"▸ thought  2 characters · T unfolds", "yes"}},
		"unfolded":         {"<think>\nhm\n</think>\nyes", 40, Options{}, []string{"▾ thought  2 characters", "hm", "</think>", "yes"}},
		"never closed":     {"<think>\nhm, hm", 80, Options{Folded: true}, []string{"▸ thought  6 characters · not closed: <think> without a closing tag · T unfolds"}},
		"closed only":      {"hm</think>yes", 80, Options{Folded: true}, []string{"▸ thought  2 characters · opened by the prompt · T unfolds", "yes"}},
		"two thoughts":     {"<think>a</think>b<think>c</think>d", 40, Options{Folded: true}, []string{"▸ thought  1 character · T unfolds", "b", "▸ thought  1 character · T unfolds", "d"}},
		"chinese":          {"一个盒子里有三个红球和两个蓝球。", 12, Options{}, []string{"一个盒子里有", "三个红球和两", "个蓝球。"}},
		"no line begins ,": {"一个盒子里有，红球", 12, Options{}, []string{"一个盒子里", "有，红球"}},
		"a word too long":  {"abcdefghijklmnopqrstuvwxyz", 10, Options{}, []string{"abcdefghij", "klmnopqrst", "uvwxyz"}},
		"tabs":             {"a\tb\n\tc", 10, Options{}, []string{"a   b", "    c"}},
		"escapes":          {"\x1b]52;c;x\a", 20, Options{}, []string{"␛]52;c;x␇"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, body(t, test.response, test.w, test.o)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A missing text is stated, and other fields are shown.
func TestSectionsOfASample(t *testing.T) {
	doc := Sample(model.Text{Prompt: "q", Truth: "42", Fields: []model.Field{{Name: "acc", Value: "1"}}}, Options{})
	want := []string{
		"prompt  1 character", "q", "", "response  none in the log", "", "ground truth  2 characters", "42", "",
		"other fields of the record", "acc  1", "",
	}
	if diff := cmp.Diff(want, drawn(doc.Wrap(40))); diff != "" {
		t.Error(diff)
	}
	if got := doc.Wrap(40).AnchorLines(AnchorTruth); len(got) != 1 || got[0] != 5 {
		t.Errorf("the truth is on line %v", got)
	}
}

func TestFind(t *testing.T) {
	page := Sample(model.Text{Prompt: "q", Truth: "t", Response: "The area of the triangle\nis THE answer, der Größe nach 三角形 क्षेत्र"}, Options{}).Wrap(12)
	for typed, want := range map[string]int{"the": 3, "The": 1, "THE": 1, "größe": 1, "三角": 1, "क्षेत्र": 1, "area of the triangle": 1, "nowhere": 0, "": 0, "triangle is": 0} {
		if got := page.Find(typed).Len(); got != want {
			t.Errorf("%q is found %d times, want %d", typed, got, want)
		}
	}
	matches := page.Find("area of the triangle") // on two lines
	highlighted := 0
	for i := range page.Len() {
		if page.Line(themes.Default(true), "│", i, matches) != page.Line(themes.Default(true), "│", i, Matches{}) {
			highlighted++
		}
	}
	if highlighted != 2 {
		t.Errorf("the match is highlighted on %d lines, want 2", highlighted)
	}
}

func TestDiff(t *testing.T) {
	for name, test := range map[string]struct {
		winner, loser string
		o             Options
		want          []string
	}{
		"one word":   {"so x = 24.", "so x = 6.", Options{}, []string{"the first 3 words are the same; 4 words in common, of 5 and 5 (n: next difference)", "", "so x = [−6][+24]."}},
		"the same":   {"a b", "a\nb", Options{}, []string{"identical", "", "a b"}},
		"nothing":    {"a", "b", Options{}, []string{"no words in common", "", "[−b][+a]"}},
		"missing":    {"a b c d", "a b c", Options{}, []string{"the first 3 words are the same; 3 words in common, of 4 and 3 (n: next difference)", "", "a b c [+d]"}},
		"first word": {"b is the one", "a is the one", Options{}, []string{"they differ from the first word; 3 words in common, of 4 and 4 (n: next difference)", "", "[−a] [+b] is the one"}},
		"coincidence": {
			"w1 w2 w3 the w4 w5 w6", "l1 l2 l3 the l4 l5 l6",
			Options{},
			[]string{"no words in common", "", "[−l1 l2 l3 the l4 l5 l6][+w1 w2 w3 the w4 w5 w6]"},
		},
		"lines":    {"a\nb\nc d e f", "a\nx\nc d e f", Options{}, []string{"the first word is the same; 5 words in common, of 6 and 6 (n: next difference)", "", "a", "[−x]", "[+b]", "c d e f"}},
		"chinese":  {"答案是四。", "答案是五。", Options{}, []string{"the first 3 words are the same; 4 words in common, of 5 and 5 (n: next difference)", "", "答案是[−五][+四]。"}},
		"thoughts": {"<think>x</think>a", "<think>y</think>a", Options{Folded: true}, []string{"identical", "thinking is left out: T compares it too", "", "a"}},
		"ascii":    {"a", "b", Options{ASCII: true}, []string{"no words in common", "", "[-b][+a]"}},
		"empty":    {"", "", Options{}, []string{"identical", "", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := Diff(Side{"winner", test.winner}, Side{"loser", test.loser}, test.o)
			if diff := cmp.Diff(test.want, drawn(doc.Wrap(100))[2:]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A diff has all words of both sides, in order.
func TestDiffHasAllWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "dd", "三", "=", "\n"}), 0, 40)
		x, y := side.Draw(t, "winner"), side.Draw(t, "loser")
		doc := Diff(Side{"", strings.Join(x, " ")}, Side{"", strings.Join(y, " ")}, Options{})
		var winner, loser strings.Builder
		for i, s := range doc.spans {
			end := len(doc.text)
			if i+1 < len(doc.spans) {
				end = doc.spans[i+1].start
			}
			text := doc.text[s.start:end]
			if s.role == themes.Dim || s.role == themes.Warn {
				winner.Reset() // the summary, before the answers
				loser.Reset()
				continue
			}
			if s.role != themes.Negative {
				winner.WriteString(text)
			}
			if s.role != themes.Positive {
				loser.WriteString(text)
			}
		}
		bare := strings.NewReplacer("[+", " ", "[−", " ", "]", " ")
		if got := strings.Fields(bare.Replace(winner.String())); !cmp.Equal(strings.Join(got, ""), strings.Join(strings.Fields(strings.Join(x, " ")), "")) {
			t.Fatalf("the winner's words are %q in %q", got, doc.text)
		}
		if got := strings.Fields(bare.Replace(loser.String())); !cmp.Equal(strings.Join(got, ""), strings.Join(strings.Fields(strings.Join(y, " ")), "")) {
			t.Fatalf("the loser's words are %q in %q", got, doc.text)
		}
	})
}

// hostile returns pieces of text that control terminals, or that they draw wider or narrower
// than expected.
func hostile() []string {
	all := []string{
		"\x1b]52;c;ZXZpbA==\a", "\x1b]8;;http://x\x1b\\", "\x1b]0;title\a", "\x1b[2J", "\x1b[?1049l", "\x1bP1$r\x1b\\", "\u202e", "\u2066", "\u200b", "\u200d", "\ufeff",
		"\xff\xfe", strings.Repeat("\u1100", 50), strings.Repeat("क्", 50), strings.Repeat("\u0d4e", 50), "\u009b31m", "e\u0301\u0301\u0301\u0301\u0301", "\u1100\u1100\u1161\u11a8", "🇩🇪🇩", "👩‍👩‍👧", "三角形", "שלום", "<think>", "</think>", "```", "$", "\\frac{", "**", "# ", "- ", "\n", "\r", "\t", "word", " ",
	}
	for c := range rune(0xa0) {
		if c < ' ' || c >= 0x7f {
			all = append(all, string(c), string([]byte{byte(c)}))
		}
	}
	return all
}

// No line is wider than the page or has a control character, whatever the text.
func TestPageFitsAndIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile()), rapid.String()), 0, 30).Draw(t, name), "")
		}
		o := Options{Folded: rapid.Bool().Draw(t, "folded"), Raw: rapid.Bool().Draw(t, "raw"), ASCII: rapid.Bool().Draw(t, "ascii")}
		doc := Sample(model.Text{Prompt: text("prompt"), Response: text("response"), Truth: text("truth"), Fields: []model.Field{{Name: text("field"), Value: text("value")}}}, o)
		if rapid.Bool().Draw(t, "diff") {
			doc = Diff(Side{"winner", text("winner")}, Side{"loser", text("loser")}, o)
		}
		w := rapid.IntRange(1, 60).Draw(t, "w")
		page := doc.Wrap(w)
		found := page.Find(rapid.SampledFrom([]string{"", "e", "word", "三"}).Draw(t, "typed"))
		for i := range page.Len() {
			line := page.Line(themes.Mono(), "|", i, found)
			if got := ansi.StringWidth(line); got > max(w, 3) { // a gutter and a wide character need 3
				t.Fatalf("line %d is %d wide, want %d: %q", i, got, w, line)
			}
			for _, r := range ansi.Strip(line) {
				if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200c' {
					t.Fatalf("line %d holds %U: %q", i, r, line)
				}
			}
		}
	})
}

// A page has all of the text, whatever its width.
func TestWrapLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z三角]{1,12}`), 1, 40).Draw(t, "words")
		text := strings.Join(words, " ")
		w := rapid.IntRange(2, 50).Draw(t, "w")
		var got strings.Builder
		lines := drawn(Sample(model.Text{Response: text}, Options{}).Wrap(w))
		for _, line := range lines {
			got.WriteString(strings.ReplaceAll(line, " ", ""))
		}
		if !strings.Contains(got.String(), strings.Join(words, "")) {
			t.Fatalf("%q at %d: %q", text, w, lines)
		}
	})
}

func BenchmarkSample(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, words := range map[string][]string{"english": {"the", "area", "of", "a", "triangle", "$x^2$", "**is**\n"}, "chinese": {"三角形的面积", "是多少？", "\n"}} {
		var text strings.Builder
		for text.Len() < maxBytes {
			fmt.Fprint(&text, words[random.IntN(len(words))], " ")
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			for b.Loop() {
				Sample(model.Text{Response: text.String()}, Options{}).Wrap(80)
			}
		})
	}
}

func BenchmarkDiff(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, vocabulary := range map[string]int{"few words": 10, "many words": 10_000, "nothing in common": 1 << 30} {
		side := func() Side {
			var text strings.Builder
			for range maxWords {
				fmt.Fprintf(&text, "w%d ", random.IntN(vocabulary))
			}
			return Side{"x", text.String()}
		}
		x, y := side(), side()
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Diff(x, y, Options{}).Wrap(80)
			}
		})
	}
}
