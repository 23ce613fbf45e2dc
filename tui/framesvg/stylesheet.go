package framesvg

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// sheet are the looks of a picture, each written once and then called by a short name.
type sheet struct {
	ground Colors
	looks  []string // declarations of CSS
}

// class is the name of a look.
func (s *sheet) class(look string) string {
	i := slices.Index(s.looks, look)
	if i < 0 {
		i = len(s.looks)
		s.looks = append(s.looks, look)
	}
	return fmt.Sprintf("c%d", i)
}

// css is every look with its name.
func (s *sheet) css() string {
	var b strings.Builder
	for i, look := range s.looks {
		if look != "" {
			fmt.Fprintf(&b, ".c%d{%s}", i, look)
		}
	}
	return b.String()
}

// under is the colour that lies under a cell, "" for the paper.
func (s *sheet) under(style uv.Style) string {
	if style.Attrs&uv.AttrReverse != 0 {
		return hex(style.Fg, s.ground.Foreground)
	}
	return hex(style.Bg, "")
}

// ink is the look of what stands in a cell.
func (s *sheet) ink(style uv.Style) string {
	fill := hex(style.Fg, s.ground.Foreground)
	if style.Attrs&uv.AttrReverse != 0 {
		fill = hex(style.Bg, s.ground.Background)
	}
	look := "fill:" + fill
	for _, part := range []struct {
		on   bool
		look string
	}{
		{style.Attrs&uv.AttrBold != 0, ";font-weight:bold"},
		{style.Attrs&uv.AttrFaint != 0, ";fill-opacity:.6"},
		{style.Attrs&uv.AttrItalic != 0, ";font-style:italic"},
		{style.Underline != uv.UnderlineNone, ";text-decoration:underline"},
		{style.Attrs&uv.AttrStrikethrough != 0, ";text-decoration:line-through"},
	} {
		if part.on {
			look += part.look
		}
	}
	return look
}

// hex writes a colour as CSS has it; none is the other one.
func hex(c color.Color, none string) string {
	if c == nil {
		return none
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
