package chart

// Glyphs are the characters that charts are made of.
type Glyphs struct {
	Dot, Ring, HalfDot          string   // a kept sample, a dropped one, some of each in one place
	Vertical, Horizontal, Cross string   // the zero of an axis, its line, and where the two meet
	BarsUp                      []string // columns from the bottom, emptiest first; the last is full
	BarsDown                    []string // columns from the top
	MeterFull, MeterEmpty       string   // a horizontal bar
	ASCII                       bool
}

// Unicode are the glyphs of a terminal that knows UTF-8.
func Unicode() Glyphs {
	return Glyphs{
		Dot: "●", Ring: "○", HalfDot: "◐", Vertical: "│", Horizontal: "─", Cross: "┼",
		BarsUp:    []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		BarsDown:  []string{"▔", "▀", "█"},
		MeterFull: "━", MeterEmpty: "─",
	}
}

// ASCII are the glyphs of any terminal.
func ASCII() Glyphs {
	return Glyphs{
		Dot: "o", Ring: ".", HalfDot: "8", Vertical: "|", Horizontal: "-", Cross: "+",
		BarsUp:    []string{"_", ".", ":", "#"},
		BarsDown:  []string{"'", ":", "#"},
		MeterFull: "=", MeterEmpty: ".",
		ASCII: true,
	}
}

// SortArrow marks a column that a table is sorted by.
func (g Glyphs) SortArrow(up bool) string {
	switch {
	case g.ASCII && up:
		return "^"
	case g.ASCII:
		return "v"
	case up:
		return "▲"
	}
	return "▼"
}
