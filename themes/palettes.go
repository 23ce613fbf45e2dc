package themes

// dark is for dark backgrounds. Its colours are from the 256-colour table, so that tmux and
// older terminals show the same.
func dark() *Theme {
	return build("dark", "for dark backgrounds", palette{
		background: "#1c1c1c", foreground: "#d0d0d0",
		text: "", dim: "245", faint: "239",
		positive: "75", negative: "208",
		good: "79", warn: "221", bad: "203",
		accent: "117", cursor: "237",
		heat: [5]shade{{"234", "250"}, {"17", "252"}, {"24", "255"}, {"31", "231"}, {"117", "16"}},
	})
}

// light is for light backgrounds.
func light() *Theme {
	return build("light", "for light backgrounds", palette{
		background: "#ffffff", foreground: "#262626",
		text: "", dim: "242", faint: "250",
		positive: "26", negative: "166",
		good: "29", warn: "130", bad: "160",
		accent: "25", cursor: "254",
		heat: [5]shade{{"255", "238"}, {"189", "16"}, {"153", "16"}, {"74", "16"}, {"25", "231"}},
	})
}

// Either is for a background that is not known, as until a terminal tells its own: all text is seen on
// dark and on light ones, and the row under the cursor is reversed.
func Either() *Theme {
	return build("either", "for dark and light backgrounds", palette{
		background: "#1c1c1c", foreground: "#d0d0d0",
		text: "", dim: "244", faint: "244",
		positive: "33", negative: "166",
		good: "29", warn: "100", bad: "196",
		accent: "31", cursor: "",
		heat: [5]shade{{"234", "250"}, {"17", "252"}, {"24", "255"}, {"31", "231"}, {"117", "16"}},
	})
}

// safe is for red-green colour blindness: blue, orange, yellow and purple differ in
// lightness too.
func safe() *Theme {
	return build("safe", "for colour-blind eyes, on dark backgrounds", palette{
		background: "#1c1c1c", foreground: "#d0d0d0",
		text: "", dim: "246", faint: "240",
		positive: "39", negative: "214",
		good: "117", warn: "227", bad: "176",
		accent: "153", cursor: "237",
		heat: [5]shade{{"234", "250"}, {"17", "252"}, {"24", "255"}, {"67", "231"}, {"229", "16"}},
	})
}

// contrast is for bright rooms and tired eyes: all text has a contrast of at least 7 on
// black.
func contrast() *Theme {
	return build("contrast", "high contrast, on dark backgrounds", palette{
		background: "#000000", foreground: "#ffffff",
		text: "231", dim: "252", faint: "250",
		positive: "117", negative: "215",
		good: "121", warn: "227", bad: "217",
		accent: "159", cursor: "19",
		heat: [5]shade{{"16", "231"}, {"18", "231"}, {"25", "231"}, {"117", "16"}, {"231", "16"}},
	})
}

// sixteen uses the sixteen colours that the terminal defines.
func sixteen() *Theme {
	return build("sixteen", "the terminal's own 16 colours", palette{
		background: "#000000", foreground: "#c0c0c0",
		text: "", dim: "7", faint: "8",
		positive: "12", negative: "3",
		good: "10", warn: "11", bad: "9",
		accent: "14", cursor: "",
		heat: [5]shade{{"0", "7"}, {"4", "15"}, {"6", "0"}, {"14", "0"}, {"15", "0"}},
	})
}

// Mono uses no colours, only bold, underline and reverse.
func Mono() *Theme {
	return build("mono", "no colour", palette{background: "#ffffff", foreground: "#000000"})
}
