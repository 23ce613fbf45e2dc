package themes

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
