package tui

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/internal/testkit/screenpicture"
)

// animationFrame is a frame of an animation, and for how long it is shown.
type animationFrame struct {
	content string
	seconds float64
}

var animationColors = screenpicture.Colors{Background: "#101010", Foreground: "#e0e0e0"}

// The parts of a picture by screenpicture.SVG.
var (
	svgStyle   = regexp.MustCompile(`\.c\d+\{([^}]*)\}`)
	svgClass   = regexp.MustCompile(`class="(m )?c(\d+)"`)
	svgRow     = regexp.MustCompile(`(?m)^(<g transform="[^"]*">)(.*)</g>$`)
	svgElement = regexp.MustCompile(`<rect[^>]*/>|<path[^>]*/>|<text.*?</text>`)
)

// animation draws frames of one height one after the other, over and over, by CSS alone. What they have in common is drawn once.
// The first frame is seen where nothing moves: in programs without CSS animations, and for people who have asked their system
// for less motion.
func animation(frames []animationFrame, title string, c screenpicture.Colors) string {
	var widest, css string
	var styles, places []string
	var rows [][][]string // by row the elements of each frame
	for _, f := range frames {
		svg := screenpicture.SVG(f.content, title, c)
		if widest == "" || svgWidth(svg) > svgWidth(widest) {
			widest = svg
		}
		number := map[string]string{} // of a style of the frame, in the animation
		for i, m := range svgStyle.FindAllStringSubmatch(svg, -1) {
			if !slices.Contains(styles, m[1]) {
				styles = append(styles, m[1])
				css += fmt.Sprintf(".c%d{%s}", len(styles)-1, m[1])
			}
			number[strconv.Itoa(i)] = strconv.Itoa(slices.Index(styles, m[1]))
		}
		for y, row := range svgRow.FindAllStringSubmatch(svg, -1) {
			if y == len(rows) {
				places, rows = append(places, row[1]), append(rows, nil)
			}
			row[2] = svgClass.ReplaceAllStringFunc(row[2], func(class string) string {
				m := svgClass.FindStringSubmatch(class)
				return fmt.Sprintf(`class="%sc%s"`, m[1], number[m[2]])
			})
			rows[y] = append(rows[y], svgElement.FindAllString(row[2], -1))
		}
	}
	a := animationTimes{frames: frames}
	var body strings.Builder
	for y, drawn := range rows {
		body.WriteString(places[y] + a.row(drawn) + "</g>\n")
	}
	const lastRule = ".m{text-anchor:middle}"
	head, rest, _ := strings.Cut(widest, lastRule)
	_, rest, _ = strings.Cut(rest, "</style>")
	background, _, _ := strings.Cut(rest, "<g ")
	return head + lastRule + css + a.css() + "</style>" + background + body.String() + "</svg>\n"
}

func svgWidth(svg string) (w int) {
	_, size, _ := strings.Cut(svg, ` width="`)
	_, _ = fmt.Sscanf(size, "%d", &w)
	return w
}

// animationTimes collects the times at which elements are seen as classes.
type animationTimes struct {
	frames []animationFrame
	seen   []string // "1" or "0" for each frame; times i have class ai
}

// row returns the elements of a row, those that are seen at the same times together. drawn holds those
// of each frame.
func (a *animationTimes) row(drawn [][]string) string {
	var elements []string
	seen := map[string][]byte{}
	for i, frame := range drawn {
		for _, e := range frame {
			if seen[e] == nil {
				seen[e] = []byte(strings.Repeat("0", len(drawn)))
				elements = append(elements, e)
			}
			seen[e][i] = '1'
		}
	}
	slices.SortStableFunc(elements, func(x, y string) int { // backgrounds lie below the text
		return cmp.Or(isAbove(x)-isAbove(y), bytes.Compare(seen[y], seen[x]))
	})
	var b strings.Builder
	for i := 0; i < len(elements); {
		times := string(seen[elements[i]])
		joined := ""
		for ; i < len(elements) && string(seen[elements[i]]) == times; i++ {
			joined += elements[i]
		}
		if strings.Contains(times, "0") {
			joined = fmt.Sprintf(`<g class="a%d">%s</g>`, a.class(times), joined)
		}
		b.WriteString(joined)
	}
	return b.String()
}

// isAbove returns 0 for a background, 1 for what is drawn over it.
func isAbove(element string) int {
	if strings.HasPrefix(element, "<rect") {
		return 0
	}
	return 1
}

func (a *animationTimes) class(times string) int {
	i := slices.Index(a.seen, times)
	if i < 0 {
		i = len(a.seen)
		a.seen = append(a.seen, times)
	}
	return i
}

// css hides what the first frame lacks, and moves where that is wanted.
func (a *animationTimes) css() string {
	total := 0.0
	for _, f := range a.frames {
		total += f.seconds
	}
	var still, moving, steps strings.Builder
	for i, times := range a.seen {
		if times[0] == '0' {
			fmt.Fprintf(&still, ".a%d{visibility:hidden}", i)
		}
		fmt.Fprintf(&moving, ".a%d{animation:a%d %gs step-end infinite}", i, i, total)
		fmt.Fprintf(&steps, "@keyframes a%d{", i)
		at := 0.0
		for n, f := range a.frames {
			if n == 0 || times[n] != times[n-1] {
				fmt.Fprintf(&steps, "%s%%{visibility:%s}", strconv.FormatFloat(100*at/total, 'f', 3, 64), visibilityOf(times[n]))
			}
			at += f.seconds
		}
		fmt.Fprintf(&steps, "to{visibility:%s}}", visibilityOf(times[len(times)-1]))
	}
	return still.String() + "@media(prefers-reduced-motion:no-preference){" + moving.String() + "}" + steps.String()
}

func visibilityOf(seen byte) string {
	if seen == '1' {
		return "visible"
	}
	return "hidden"
}

// group is an element of an animation with what it holds.
type group struct {
	XMLName xml.Name
	Class   string  `xml:"class,attr"`
	X       string  `xml:"x,attr"`
	D       string  `xml:"d,attr"`
	W       string  `xml:"width,attr"`
	Place   string  `xml:"transform,attr"`
	Text    string  `xml:",chardata"`
	Inner   []group `xml:",any"`
}

// partsAt returns the parts of a picture that are seen at a time, in percent of its length; at -1
// those that are seen where nothing moves.
func partsAt(t interface{ Fatalf(string, ...any) }, svg string, percent float64) map[string]int {
	var root group
	if err := xml.Unmarshal([]byte(svg), &root); err != nil {
		t.Fatalf("%v in %s", err, svg)
	}
	css := ""
	for _, e := range root.Inner {
		if e.XMLName.Local == "style" {
			css = e.Text
		}
	}
	parts := map[string]int{}
	var add func(place string, g group)
	add = func(place string, g group) {
		place += g.Place
		if !isSeen(css, g.Class, percent) {
			return
		}
		if g.XMLName.Local != "g" {
			parts[fmt.Sprint(place, g.XMLName.Local, style(css, g.Class), g.X, g.D, g.W, g.Text, len(g.Inner))]++
		}
		for _, inner := range g.Inner {
			add(place, inner)
		}
	}
	for _, e := range root.Inner {
		if e.XMLName.Local == "g" {
			add("", e)
		}
	}
	return parts
}

var keyframe = regexp.MustCompile(`(\d+\.\d+)%\{visibility:(visible|hidden)\}`)

// isSeen reports whether a class is seen at a time: by the last of its times before that.
func isSeen(css, class string, percent float64) bool {
	if !strings.HasPrefix(class, "a") {
		return true
	}
	if percent < 0 {
		return !strings.Contains(css, "."+class+"{visibility:hidden}")
	}
	_, rest, _ := strings.Cut(css, "@keyframes "+class+"{")
	times, _, _ := strings.Cut(rest, "to{")
	seen := false
	for _, k := range keyframe.FindAllStringSubmatch(times, -1) {
		if at, _ := strconv.ParseFloat(k[1], 64); at <= percent {
			seen = k[2] == "visible"
		}
	}
	return seen
}

// style returns the look of a class: its number depends on what else is drawn.
func style(css, class string) string {
	_, rest, found := strings.Cut(css, "."+strings.TrimPrefix(class, "m ")+"{")
	if !found {
		return ""
	}
	look, _, _ := strings.Cut(rest, "}")
	return look
}

// At each time an animation shows what a picture of that frame shows; where nothing moves, the first.
func TestAnimationShowsItsFrames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"word", "one two", "\x1b[31mred\x1b[m", "\x1b[7m over \x1b[m", "●●", "──", "一", " ", "<&>"})
		h := rapid.IntRange(1, 4).Draw(t, "rows")
		var frames []animationFrame
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			var rows []string
			for range h {
				rows = append(rows, strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(t, "row"), " "))
			}
			frames = append(frames, animationFrame{content: strings.Join(rows, "\n"), seconds: rapid.Float64Range(0.1, 5).Draw(t, "seconds")})
		}
		svg := animation(frames, "a title", animationColors)
		total, at := 0.0, 0.0
		for _, f := range frames {
			total += f.seconds
		}
		for i, f := range frames {
			want := partsAt(t, screenpicture.SVG(f.content, "", animationColors), -1)
			if diff := gocmp.Diff(want, partsAt(t, svg, 100*(at+f.seconds/2)/total)); diff != "" {
				t.Fatalf("frame %d: -want +got\n%s\n%s", i, diff, svg)
			}
			if i == 0 && !maps.Equal(want, partsAt(t, svg, -1)) {
				t.Fatalf("where nothing moves it is another frame than the first\n%s", svg)
			}
			at += f.seconds
		}
	})
}

// Nothing moves for people who asked for less motion, and what frames share is drawn once.
func TestAnimationIsQuiet(t *testing.T) {
	t.Parallel()
	svg := animation([]animationFrame{{"same \x1b[31mone\x1b[m", 1}, {"same \x1b[31mtwo\x1b[m", 3}}, "", animationColors)
	if strings.Count(svg, "same") != 1 || strings.Count(svg, ">one<") != 1 {
		t.Errorf("a part is drawn twice\n%s", svg)
	}
	_, moving, ok := strings.Cut(svg, "@media(prefers-reduced-motion:no-preference){")
	if before := strings.Index(svg, "animation:"); !ok || before < strings.Index(svg, "@media") || !strings.Contains(moving, "4s step-end infinite}}") {
		t.Errorf("it moves for everybody\n%s", svg)
	}
}
