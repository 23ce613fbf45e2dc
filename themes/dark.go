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
