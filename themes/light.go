package themes

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
