package chart

// Glyphs are the characters that charts are made of.
type Glyphs struct {
	Dot, Ring, HalfDot          string   // a kept sample, a dropped one, both kinds in one cell
	Vertical, Horizontal, Cross string   // lines of axes, and where two cross
	BarsUp                      []string // parts of a bar from the bottom, the full one last
	BarsDown                    []string // parts of a bar from the top, the full one last
	MeterFull, MeterEmpty       string
	ASCII                       bool
}

// Unicode returns the glyphs of a terminal with UTF-8.
func Unicode() Glyphs {
	return Glyphs{
		Dot: "●", Ring: "○", HalfDot: "◐", Vertical: "│", Horizontal: "─", Cross: "┼",
		BarsUp:    []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		BarsDown:  []string{"▔", "▀", "█"},
		MeterFull: "━", MeterEmpty: "─",
	}
}

// ASCII returns the glyphs of a terminal without UTF-8.
func ASCII() Glyphs {
	return Glyphs{
		Dot: "o", Ring: ".", HalfDot: "8", Vertical: "|", Horizontal: "-", Cross: "+",
		BarsUp:    []string{"_", ".", ":", "#"},
		BarsDown:  []string{"'", ":", "#"},
		MeterFull: "=", MeterEmpty: ".",
		ASCII: true,
	}
}

// SortArrow returns the mark of the column that a table is sorted by.
func (g Glyphs) SortArrow(ascending bool) string {
	switch {
	case g.ASCII && ascending:
		return "^"
	case g.ASCII:
		return "v"
	case ascending:
		return "▲"
	}
	return "▼"
}
