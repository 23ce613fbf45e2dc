package frames

import (
	"hash/crc32"
	"io"
	"slices"
)

// Marker finds marks while a zstd file is unpacked from its begin, one block after the
// other.
type Marker struct {
	h      io.ReaderAt
	made   func(Mark)
	lost   bool  // the file is not what was expected: there are no more marks
	at     int64 // of the file: everything before it has been passed
	text   int64 // that has come
	inside bool  // of a frame
	frame  frame
	chains chains
	block  *block // that came last
	latest chain  // of it
	due    int64  // a mark is wanted behind so much text
	copier *copier
	other  *copier
	drafts []*draft
	spare  *draft
}

// maxWindow is the largest window of which marks are made.
const maxWindow = 8 << 20

// NewMarker finds marks in a file. They are handed over when they are made: a window of
// text behind the place where they stand, or at the end of the frame.
func NewMarker(h io.ReaderAt, made func(Mark)) *Marker {
	return &Marker{h: h, made: made, copier: &copier{}, other: &copier{}}
}

// Due says behind how much text the next mark is wanted.
func (m *Marker) Due(text int64) { m.due = text }

// Block takes the text of one block, and where in the file the unpacker stood then. It
// reports whether a mark stands behind it.
func (m *Marker) Block(text []byte, end int64) (marked bool) {
	if m.lost {
		return false
	}
	if !m.pass(end) {
		m.lost, m.drafts, m.spare = true, nil, nil
		return false
	}
	m.block.text = int64(len(text))
	m.text += m.block.text
	m.fill(text)
	switch {
	case m.text < m.due:
		return false
	case m.inside:
		return m.begin()
	}
	m.made(Mark{Text: m.text, at: m.at})
	return true
}

// End says that no more blocks come.
func (m *Marker) End() { m.finish(m.text) }

// pass goes over the file to where the unpacker stands: over one block with text, and
// others without.
func (m *Marker) pass(end int64) bool {
	if m.at >= end {
		return false
	}
	for m.at < end {
		step := m.passFrame
		if m.inside {
			step = m.passBlock
		}
		if step() != nil {
			return false
		}
	}
	return m.at == end
}

func (m *Marker) passFrame() error {
	f, size, skipped, err := frameAt(m.h, m.at)
	if err != nil {
		return err
	}
	m.at += size
	if !skipped {
		m.End()
		f.text = m.text
		m.frame, m.inside, m.chains = f, true, chains{}
	}
	return nil
}

func (m *Marker) passBlock() error {
	b, err := blockAt(m.h, m.at)
	if err != nil {
		return err
	}
	uses := usesOf(m.h, b)
	if m.latest = m.chains.pass(b, uses); uses[distances] == none {
		m.latest.broken = true // it says nothing of distances
	}
	m.block = b
	m.at += b.size
	if b.last {
		m.inside = false
		if m.frame.summed {
			m.at += sumSize
		}
	}
	return nil
}

// fill gives marks in the making what the block at hand copies from before them.
func (m *Marker) fill(text []byte) {
	if len(m.drafts) == 0 {
		return
	}
	var copies []copied
	from := m.text - m.block.text
	if m.block.kind == compressed {
		m.copier.far = int(from - m.drafts[len(m.drafts)-1].mark.Text)
		if n, err := m.copier.read(m.h, m.block); err != nil || n != len(text) {
			m.drafts = nil
			return
		}
		copies = m.copier.copies
	}
	sum := crc32.Checksum(text, sums)
	m.drafts = slices.DeleteFunc(m.drafts, func(d *draft) bool { return !d.take(copies, text, from, sum) })
	m.finish(m.text - m.frame.window)
}

// finish hands over the marks that stand up to some place in the text: nothing refers
// back to what is before them any more.
func (m *Marker) finish(text int64) {
	for len(m.drafts) > 0 && m.drafts[0].mark.Text <= text {
		d := m.drafts[0]
		m.made(d.done())
		m.drafts, m.spare = m.drafts[1:], d
	}
}

// begin begins a mark between two blocks, if an unpacker can be brought there.
func (m *Marker) begin() bool {
	need := min(m.frame.window, m.text-m.frame.text)
	primer := m.latest
	for _, c := range m.chains {
		primer = primer.and(c)
	}
	if primer.broken || m.frame.window > maxWindow || !m.room(need) {
		return false
	}
	m.other.begin()
	for _, b := range primer.blocks {
		if n, err := m.other.read(m.h, b); err != nil || int64(n) != b.text {
			return false
		}
	}
	if !m.other.settled() {
		return false
	}
	m.copier, m.other = m.other, m.copier
	d := m.spare
	if m.spare = nil; d == nil {
		d = &draft{}
	}
	d.begin(Mark{Text: m.text, at: m.at, primer: primer.blocks, frame: m.frame}, int(need))
	m.drafts = append(m.drafts, d)
	return true
}

// maxDrafts bounds the memory of the marks in the making, in bytes.
const maxDrafts = 32 << 20

// room reports whether one more mark can be made at the same time.
func (m *Marker) room(need int64) bool {
	for _, d := range m.drafts {
		need += int64(len(d.window))
	}
	return need <= maxDrafts
}
