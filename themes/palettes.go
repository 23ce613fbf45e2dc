package themes

// palette holds the colours of a theme: background and foreground as #rrggbb, the others as
// indexes of the 256-colour table or "" for the terminal's default. The shade is the background of a part of a chart, "" for none.
type palette struct {
	name, doc              string
	background, foreground string

	text, dim, faint, positive, negative, good, warn, bad, accent, cursor, shade string

	heat [5]shade // from the lowest level to the highest
}

// shade is a background and the colour of the text on it.
type shade struct{ background, text string }

// palettes returns those of all themes, first the defaults for dark and light backgrounds.
func palettes() []palette {
	return []palette{
		// Dark: the colours of the 256-colour table, so that tmux and older terminals show the same.
		{
			name: "dark", doc: "for dark backgrounds",
			background: "#1c1c1c", foreground: "#d0d0d0",
			text: "", dim: "245", faint: "239",
			positive: "75", negative: "208",
			good: "79", warn: "221", bad: "203",
			accent: "117", cursor: "237", shade: "235",
			heat: [5]shade{{"234", "250"}, {"17", "252"}, {"24", "255"}, {"31", "231"}, {"117", "16"}},
		},
		{
			name: "light", doc: "for light backgrounds",
			background: "#ffffff", foreground: "#262626",
			text: "", dim: "242", faint: "250",
			positive: "26", negative: "166",
			good: "29", warn: "130", bad: "160",
			accent: "25", cursor: "254", shade: "255",
			heat: [5]shade{{"255", "238"}, {"189", "16"}, {"153", "16"}, {"74", "16"}, {"25", "231"}},
		},
		// Either: all text is seen on dark and on light ones, and the row under the cursor is reversed.
		{
			name: "either", doc: "for dark and light backgrounds",
			background: "#1c1c1c", foreground: "#d0d0d0",
			text: "", dim: "244", faint: "244",
			positive: "33", negative: "166",
			good: "29", warn: "100", bad: "196",
			accent: "31", cursor: "",
			heat: [5]shade{{"234", "250"}, {"17", "252"}, {"24", "255"}, {"31", "231"}, {"117", "16"}},
		},
		// Safe: blue, orange, yellow and purple differ in lightness too.
		{
			name: "safe", doc: "for colour-blind eyes, on dark backgrounds",
			background: "#1c1c1c", foreground: "#d0d0d0",
			text: "", dim: "246", faint: "240",
			positive: "39", negative: "214",
			good: "117", warn: "227", bad: "176",
			accent: "153", cursor: "237", shade: "235",
			heat: [5]shade{{"234", "250"}, {"17", "252"}, {"24", "255"}, {"67", "231"}, {"229", "16"}},
		},
		// Contrast: all text has a contrast of at least 7 on black.
		{
			name: "contrast", doc: "high contrast, on dark backgrounds",
			background: "#000000", foreground: "#ffffff",
			text: "231", dim: "252", faint: "250",
			positive: "117", negative: "215",
			good: "121", warn: "227", bad: "217",
			accent: "159", cursor: "19", shade: "234",
			heat: [5]shade{{"16", "231"}, {"18", "231"}, {"25", "231"}, {"117", "16"}, {"231", "16"}},
		},
		{
			name: "sixteen", doc: "the terminal's own 16 colours",
			background: "#000000", foreground: "#c0c0c0",
			text: "", dim: "7", faint: "8",
			positive: "12", negative: "3",
			good: "10", warn: "11", bad: "9",
			accent: "14", cursor: "",
			heat: [5]shade{{"0", "7"}, {"4", "15"}, {"6", "0"}, {"14", "0"}, {"15", "0"}},
		},
		// Mono: only bold, underline and reverse.
		{
			name: "mono", doc: "no colour",
			background: "#ffffff", foreground: "#000000",
		},
	}
}
