package themes

// contrast is for bright rooms and tired eyes: every text has a contrast of 7 and
// more on black.
func contrast() *Theme {
	return build("contrast", "high contrast, on dark backgrounds", palette{
		paper: "#000000", ink: "#ffffff",
		text: "231", dim: "252", faint: "250",
		positive: "117", negative: "215",
		good: "121", warn: "227", bad: "217",
		accent: "159", cursor: "19",
		heat: [5]shade{{"16", "231"}, {"18", "231"}, {"25", "231"}, {"117", "16"}, {"231", "16"}},
	})
}
