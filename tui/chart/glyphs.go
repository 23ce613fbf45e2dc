package chart

// Glyphs are the characters that charts are made of.
type Glyphs struct {
	Kept, Dropped, Both string   // a kept sample, a dropped one, some of each in one place
	Zero, Rule, Cross   string   // the zero of an axis, its line, and where the two meet
	Up                  []string // columns from the bottom, emptiest first; the last is full
	Down                []string // columns from the top
	Full, Empty         string   // a horizontal bar
	ASCII               bool
}

// Unicode are the glyphs of a terminal that knows UTF-8.
func Unicode() Glyphs {
	return Glyphs{
		Kept: "●", Dropped: "○", Both: "◐", Zero: "│", Rule: "─", Cross: "┼",
		Up:   []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		Down: []string{"▔", "▀", "█"},
		Full: "━", Empty: "─",
	}
}

// ASCII are the glyphs of any terminal.
func ASCII() Glyphs {
	return Glyphs{
		Kept: "o", Dropped: ".", Both: "8", Zero: "|", Rule: "-", Cross: "+",
		Up:   []string{"_", ".", ":", "#"},
		Down: []string{"'", ":", "#"},
		Full: "=", Empty: ".",
		ASCII: true,
	}
}

// Sorted marks a column that a table is sorted by.
func (g Glyphs) Sorted(up bool) string {
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
