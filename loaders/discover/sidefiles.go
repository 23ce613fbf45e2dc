package discover

import (
	"fmt"
	"slices"

	"vantage/loaders/formats"
)

// Hides reports whether a format is left out beside what was found in the directory.
func (r *Directory) Hides(format *formats.Format) bool { return r.Own != nil && !format.IsTrainers() }

// LeaveOut says, once for each format, that a file is left out.
func (r *Directory) LeaveOut(name string, format *formats.Format) []string {
	if slices.Contains(r.leftOut, format.Name) {
		return nil
	}
	r.leftOut = append(r.leftOut, format.Name)
	return []string{fmt.Sprintf("%s (%s) and what is like it, since the log of %s lies beside; give it by itself to read it", name, format.Name, r.Own.Name)}
}
