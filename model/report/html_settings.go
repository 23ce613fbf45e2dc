package report

import (
	"strings"

	"vantage/model/report/markup"
	"vantage/model/trainer"
)

// writeSettings writes the settings of the report as options of trainers: those of its own framework first.
func (h *htmlPage) writeSettings() error {
	own, isOwn := trainer.Find(h.Settings.Framework)
	if isOwn {
		h.dialect(own, true)
	} else {
		h.note("vantage does not know how " + h.Settings.Framework + " names them.")
	}
	h.Open("details")
	h.Element("summary", "for other trainers")
	for _, d := range trainer.Dialects() {
		if !isOwn || d.Framework != own.Framework {
			h.dialect(d, false)
		}
	}
	h.Close()
	return nil
}

func (h *htmlPage) dialect(d trainer.Dialect, isOwn bool) {
	title := d.Framework
	if isOwn {
		title += ", whose arithmetic the figures are"
	}
	h.Element("h3", title)
	h.Element("pre", strings.Join(d.Emit(h.Settings), "\n"), markup.Class("copy"), markup.A("tabindex", "0"), markup.A("aria-label", "options of "+d.Framework))
}
