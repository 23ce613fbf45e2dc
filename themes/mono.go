package themes

// Mono uses no colour: the terminal's own foreground, bold and reverse.
func Mono() *Theme {
	return build("mono", "no colour", palette{paper: "#ffffff", ink: "#000000"})
}
