// Package themes gives text its colours by what it means. In come a role (a warning, a
// positive advantage) and text; out comes the text with the escape sequences of a theme.
// Everything that draws in tui calls it with roles, never with colours. Colour is never
// the only sign: every sign, state and warning has a glyph too.
package themes
