package layout

// wideReading is the width from which a group's samples stand beside the text,
// not above it.
const wideReading = 110

// GroupView lays out the view of a group in w×h cells, without head and hints: the
// table of its samples, which is table cells wide at its best, and the text of
// one. Above each other, the part that keys go to has most of the room.
func GroupView(w, h, table int, inText bool) (samples, text Rect) {
	body := Rect{0, 0, w, h}
	if w >= wideReading {
		const sentence = 50 // what the fate of a group is read in
		return cutColumns(body, min(max(table+2, sentence), w/2))
	}
	const few = 5 // the fate, the header and the sample that is read, in a frame
	rows := max(few+1, h*9/20)
	if inText {
		rows = few
	}
	return cutRows(body, min(rows, h))
}
