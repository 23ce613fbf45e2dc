package pane

import (
	"strings"

	"vantage/model"
	"vantage/model/units"
	"vantage/themes"
)

// PlusMinus is the sign before a spread. In ASCII it has two characters, as no single one is understood.
func (d Display) PlusMinus() string {
	if d.Glyphs.ASCII {
		return "+-"
	}
	return "±"
}

// FateRole returns the role of a fate: good, doubtful, bad, or of no matter.
func (d Display) FateRole(f model.Fate) themes.Role {
	switch f {
	case model.FateAlive:
		return themes.Good
	case model.FateShort, model.FateNoise, model.FateSingle:
		return themes.Warn
	case model.FateKilled, model.FateInvalid:
		return themes.Bad
	case model.FateAllWrong, model.FateConstant, model.FateAllCorrect, model.FateSkipped, model.FateOpen:
	}
	return themes.Dim
}

// FateGlyph returns the sign of a fate.
func (d Display) FateGlyph(f model.Fate) string {
	glyphs := [...]string{"!", "×", "?", "≈", "1", "∅", "∅", "∅", "⊘", "●", "…"}
	if d.Glyphs.ASCII {
		glyphs = [...]string{"!", "x", "?", "~", "1", "-", "-", "-", "/", "o", "."}
	}
	return glyphs[f]
}

// spelledKeys replaces the signs of keys by their names.
var spelledKeys = strings.NewReplacer("⏎", "Enter", "⌫", "Bksp", "⇧Tab", "Shift-Tab", "↓", "Down", "↑", "Up", "←", "Left", "→", "Right")

// KeyLabel returns keys as a terminal can show them.
func (d Display) KeyLabel(keys string) string {
	if d.Glyphs.ASCII {
		return spelledKeys.Replace(keys)
	}
	return keys
}

// SignRole is the role of an advantage, or of a difference.
func SignRole(v float64) themes.Role {
	switch {
	case v > 0:
		return themes.Positive
	case v < 0:
		return themes.Negative
	}
	return themes.Dim
}

// SignedDelta paints a difference by its sign.
func (d Display) SignedDelta(x float64) string {
	return d.Theme.Paint(SignRole(x), units.Signed(x))
}

// PaintDelta paints a difference behind a Δ.
func (d Display) PaintDelta(x float64) string {
	return d.Theme.Paint(SignRole(x), " Δ"+SignedShort(x))
}

// SignedShort writes a difference in few digits.
func SignedShort(d float64) string {
	switch {
	case d != d:
		return units.Missing
	case d == 0:
		return "0"
	case d > 0:
		return "+" + units.Short(d)
	}
	return "−" + units.Short(-d)
}

// The marks of cells that suit the goal.
const (
	StarMark  = "★" // the best
	FrontMark = "☆" // no other beats it, and it raises no warning
)
