package chart

// Glyphs are the characters that charts are made of.
type Glyphs struct {
	Dot, Ring, HalfDot          string   // a kept sample, a dropped one, both kinds in one cell
	Vertical, Horizontal, Cross string   // lines of axes, and where two cross
	BarsUp                      []string // parts of a bar from the bottom, the full one last
	BarsDown                    []string // parts of a bar from the top, the full one last
	MeterFull, MeterEmpty       string
	SortUp, SortDown            string // of the column that a table is sorted by
	ASCII                       bool
}

// Unicode returns the glyphs of a terminal with UTF-8.
func Unicode() Glyphs {
	return Glyphs{
		Dot: "●", Ring: "○", HalfDot: "◐", Vertical: "│", Horizontal: "─", Cross: "┼",
		BarsUp:    []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		BarsDown:  []string{"▔", "▀", "█"},
		MeterFull: "━", MeterEmpty: "─", SortUp: "▲", SortDown: "▼",
	}
}

// ASCII returns the glyphs of a terminal without UTF-8.
func ASCII() Glyphs {
	return Glyphs{
		Dot: "o", Ring: ".", HalfDot: "8", Vertical: "|", Horizontal: "-", Cross: "+",
		BarsUp:    []string{"_", ".", ":", "#"},
		BarsDown:  []string{"'", ":", "#"},
		MeterFull: "=", MeterEmpty: ".", SortUp: "^", SortDown: "v",
		ASCII: true,
	}
}

// SortArrow returns the mark of the column that a table is sorted by.
func (g Glyphs) SortArrow(ascending bool) string {
	if ascending {
		return g.SortUp
	}
	return g.SortDown
}

// Stroke is how a line is drawn, so that lines are told apart without colour.
type Stroke int

// The strokes.
const (
	Solid Stroke = iota
	Dashed
	Dotted
	DashDotted
	Sparse // of every second dot: behind another line
)

// drawn reports whether a line has dots in a column of dots.
func (s Stroke) drawn(x int) bool {
	switch s {
	case Dashed:
		return x%6 < 4
	case Dotted:
		return x%4 < 1
	case DashDotted:
		return x%8 < 4 || x%8 == 6
	case Sparse:
		return x%2 < 1
	default:
		return true
	}
}

func (s Stroke) mark() rune { return []rune("*o+x.")[s] }

// Sample returns a piece of a line for a legend, two cells wide.
func (g Glyphs) Sample(s Stroke) string {
	if g.ASCII {
		return string([]rune{s.mark(), s.mark()})
	}
	return []string{"──", "╌╌", "··", "╌·", "⠂⠂"}[s]
}
