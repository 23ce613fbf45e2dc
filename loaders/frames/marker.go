package frames

import (
	"io"
	"slices"
)

// Marker finds marks while a zstd file is unpacked from its begin, one block after the
// other.
type Marker struct {
	h      io.ReaderAt
	lost   bool  // the file is not what was expected: there are no more marks
	at     int64 // of the file: everything before it has been passed
	text   int64 // that has come
	inside bool  // of a frame
	frame  frame
	chains chains
	block  *block // that came last
	latest chain  // of it
	due    int64  // a mark is wanted behind so much text
	recent []byte
	trial  trial
}

// maxWindow is the largest window that is kept for a mark.
const maxWindow = 8 << 20

// NewMarker finds marks in a file.
func NewMarker(h io.ReaderAt) *Marker { return &Marker{h: h} }

// Due says behind how much text the next mark is wanted.
func (m *Marker) Due(text int64) { m.due = text }

// Block takes the text of one block, and where in the file the unpacker stands then. It
// returns a mark if one is due and can be made there.
func (m *Marker) Block(text []byte, end int64) (mark Mark, ok bool) {
	if m.lost {
		return Mark{}, false
	}
	if !m.pass(end) {
		m.lost, m.recent = true, nil
		return Mark{}, false
	}
	m.text += int64(len(text))
	m.block.text = int64(len(text))
	m.keep(text)
	if m.text < m.due {
		return Mark{}, false
	}
	if !m.inside {
		return Mark{Text: m.text, at: m.at}, true
	}
	return m.mark()
}

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
		f.text = m.text
		m.frame, m.inside, m.chains, m.recent = f, true, chains{}, m.recent[:0]
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

// near reports whether a mark is due so soon that what it needs must be kept from now on.
func (m *Marker) near() bool {
	return m.frame.window <= maxWindow && m.text+maxBlock >= m.due-m.frame.window
}

// keep keeps the text that blocks to come may refer back to.
func (m *Marker) keep(text []byte) {
	if !m.near() {
		m.recent = m.recent[:0]
		return
	}
	if m.recent == nil {
		m.recent = make([]byte, 0, 2*m.frame.window+maxBlock)
	}
	m.recent = append(m.recent, text...)
	if extra := len(m.recent) - int(m.frame.window); extra > int(m.frame.window) {
		m.recent = slices.Delete(m.recent, 0, extra)
	}
}

// mark makes a mark between two blocks.
func (m *Marker) mark() (Mark, bool) {
	need := min(m.frame.window, m.text-m.frame.text)
	primer := m.latest
	for _, c := range m.chains {
		primer = primer.and(c)
	}
	if int64(len(m.recent)) < need || primer.broken {
		return Mark{}, false
	}
	made := Mark{
		Text: m.text, at: m.at, primer: primer.blocks, frame: m.frame,
		window: slices.Clone(m.recent[int64(len(m.recent))-need:]),
	}
	if !m.trial.passes(m.h, made) {
		return Mark{}, false
	}
	return made, true
}
