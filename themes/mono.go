package themes

// Mono uses no colours, only bold, underline and reverse.
func Mono() *Theme {
	return build("mono", "no colour", palette{background: "#ffffff", foreground: "#000000"})
}
