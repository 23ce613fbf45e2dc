package themes

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
