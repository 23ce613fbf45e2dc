package themes

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
