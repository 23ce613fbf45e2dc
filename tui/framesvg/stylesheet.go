package framesvg

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// stylesheet collects the styles of a picture as classes.
type stylesheet struct {
	colors Colors
	styles []string // CSS declarations; style i has class ci
}

// class returns the class of a style.
func (s *stylesheet) class(style string) string {
	i := slices.Index(s.styles, style)
	if i < 0 {
		i = len(s.styles)
		s.styles = append(s.styles, style)
	}
	return fmt.Sprintf("c%d", i)
}

func (s *stylesheet) css() string {
	var b strings.Builder
	for i, style := range s.styles {
		fmt.Fprintf(&b, ".c%d{%s}", i, style)
	}
	return b.String()
}

// background returns the background of a cell, "" for the default.
func (s *stylesheet) background(style uv.Style) string {
	if style.Attrs&uv.AttrReverse != 0 {
		return hex(style.Fg, s.colors.Foreground)
	}
	return hex(style.Bg, "")
}

// foreground returns the style of the text of a cell.
func (s *stylesheet) foreground(style uv.Style) string {
	css := "fill:" + hex(style.Fg, s.colors.Foreground)
	if style.Attrs&uv.AttrReverse != 0 {
		css = "fill:" + hex(style.Bg, s.colors.Background)
	}
	for _, attribute := range []struct {
		on  bool
		css string
	}{
		{style.Attrs&uv.AttrBold != 0, ";font-weight:bold"},
		{style.Attrs&uv.AttrFaint != 0, ";fill-opacity:.6"},
		{style.Attrs&uv.AttrItalic != 0, ";font-style:italic"},
		{style.Underline != uv.UnderlineNone, ";text-decoration:underline"},
		{style.Attrs&uv.AttrStrikethrough != 0, ";text-decoration:line-through"},
	} {
		if attribute.on {
			css += attribute.css
		}
	}
	return css
}

// hex returns a colour as #rrggbb, or the default if there is none.
func hex(c color.Color, def string) string {
	if c == nil {
		return def
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
