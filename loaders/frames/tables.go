package frames

import (
	"encoding/binary"
	"io"
	"slices"
)

// The tables that a block brings, or takes over from a block before: the codes of literals,
// and of the numbers, distances and lengths of what is copied.
const (
	literals = iota
	numbers
	distances
	lengths
	tables
)

// use is what a block does with a table.
type use int

const (
	none use = iota
	brings
	takes // that of a block before
)

// usesOf returns what a block does with each table.
func usesOf(h io.ReaderAt, b *block) (uses [tables]use) {
	if b.kind != compressed {
		return uses
	}
	var head [5]byte
	at := b.at + headerSize
	_, _ = h.ReadAt(head[:min(b.size-headerSize, int64(len(head)))], at)
	uses[literals] = [...]use{none, none, brings, takes}[head[0]&3]
	at += literalsSize(head)
	n, _ := h.ReadAt(head[:4], at)
	if at >= b.at+b.size || n < 2 || head[0] == 0 {
		return uses
	}
	modes := head[1] // behind the number of copies, which takes one byte to three
	switch {
	case head[0] == 255:
		modes = head[3]
	case head[0] >= 128:
		modes = head[2]
	}
	for i, t := range [...]int{lengths, distances, numbers} {
		uses[t] = [...]use{brings, brings, brings, takes}[modes>>(2+2*i)&3]
	}
	return uses
}

// literalsSize is how many bytes the literals of a block take, of which it begins with
// these: a kind, and numbers of literals and of bytes, in as many bits as they need.
func literalsSize(head [5]byte) int64 {
	x := uint64(binary.LittleEndian.Uint32(head[:])) | uint64(head[4])<<32
	switch kind, format := x&3, x>>2&3; {
	case kind < 2 && format&1 == 0:
		return 1 + stored(kind, head)
	case kind < 2:
		return 1 + int64(format+1)/2 + stored(kind, head)
	case format == 2:
		return 4 + int64(x>>18&0x3fff)
	case format == 3:
		return 5 + int64(x>>22&0x3ffff)
	default:
		return 3 + int64(x>>14&0x3ff)
	}
}

// stored is how many bytes literals take that are not packed: one if that is repeated.
func stored(kind uint64, head [5]byte) int64 {
	if kind == 1 {
		return 1
	}
	return int64(literalsIn(head))
}

// literalsIn is how many literals a block has that begins with these bytes.
func literalsIn(head [5]byte) int {
	x := int(binary.LittleEndian.Uint32(head[:]))
	switch kind, format := x&3, x>>2&3; {
	case kind < 2 && format&1 == 0:
		return x >> 3 & 0x1f
	case kind < 2 && format == 1:
		return x >> 4 & 0xfff
	case kind < 2:
		return x >> 4 & 0xfffff
	case format == 2:
		return x >> 4 & 0x3fff
	case format == 3:
		return x >> 4 & 0x3ffff
	default:
		return x >> 4 & 0x3ff
	}
}

// maxPrimer is how many blocks a primer may have: each takes some 0.2 ms.
const maxPrimer = 8

// chain are blocks, in their order, that an unpacker must have seen to be able to unpack
// the last of them. A broken one would be too long.
type chain struct {
	blocks []*block
	broken bool
}

// and joins chains.
func (c chain) and(o chain) chain {
	for _, b := range o.blocks {
		i, found := slices.BinarySearchFunc(c.blocks, b.at, func(b *block, at int64) int { return int(b.at - at) })
		if !found {
			c.blocks = slices.Insert(slices.Clip(c.blocks), i, b)
		}
	}
	c.broken = c.broken || o.broken || len(c.blocks) > maxPrimer
	return c
}

// chains are those of the blocks that brought the tables that an unpacker has at a time.
type chains [tables]chain

// pass goes over a block, and returns its own chain.
func (c *chains) pass(b *block, uses [tables]use) chain {
	own := chain{blocks: []*block{b}}
	for t, u := range uses {
		if u == takes {
			own = own.and(c[t])
		}
	}
	if own.broken {
		own.blocks = nil
	}
	for t, u := range uses {
		if u == brings {
			c[t] = own
		}
	}
	return own
}
