package gzipindex

import (
	"fmt"
	"io"
)

// The flags of a member's header.
const (
	flagCRC     = 1 << 1
	flagExtra   = 1 << 2
	flagName    = 1 << 3
	flagComment = 1 << 4
)

const deflate = 8 // the only compression method there is

// header reads the header of a member. Like the standard library it ignores flags that have
// no meaning yet.
func (r *Reader) header() error {
	magic, err := r.bits(16)
	if err != nil {
		return err
	}
	if magic != 0x8b1f {
		return ErrHeader
	}
	x, err := r.bits(16)
	if err != nil {
		return err
	}
	if x&0xff != deflate {
		return fmt.Errorf("%w: it is compressed in another way", ErrHeader)
	}
	if err := r.skipFields(x >> 8); err != nil {
		return err
	}
	r.state, r.lastBlock, r.memberStart = atBlock, false, r.Offset()
	r.crc, r.crcEnd, r.crcUnknown = 0, r.n, false
	return nil
}

// skipFields skips the fields of a header after its flags.
func (r *Reader) skipFields(flags uint64) error {
	if err := r.skip(6); err != nil { // time, level, system
		return err
	}
	if flags&flagExtra != 0 {
		n, err := r.bits(16)
		if err == nil {
			err = r.skip(int(n))
		}
		if err != nil {
			return err
		}
	}
	for _, flag := range [...]uint64{flagName, flagComment} {
		if flags&flag != 0 {
			if err := r.skipString(); err != nil {
				return err
			}
		}
	}
	if flags&flagCRC != 0 {
		return r.skip(2)
	}
	return nil
}

func (r *Reader) skip(n int) error {
	for range n {
		if _, err := r.bits(8); err != nil {
			return err
		}
	}
	return nil
}

// skipString skips to the byte after the next zero.
func (r *Reader) skipString() error {
	for {
		if x, err := r.bits(8); err != nil || x == 0 {
			return err
		}
	}
}

// trailer checks a member against its checksum and size, and goes to the next member.
func (r *Reader) trailer() error {
	r.align()
	r.updateCRC()
	crc, err := r.bits(32)
	if err != nil {
		return err
	}
	size, err := r.bits(32)
	if err != nil {
		return err
	}
	if !r.crcUnknown && (uint32(crc) != r.crc || uint32(size) != uint32(r.Offset()-r.memberStart)) {
		return ErrChecksum
	}
	return r.nextMember()
}

// nextMember skips zero padding. At the end of the file it returns [io.EOF].
func (r *Reader) nextMember() error {
	for {
		end, err := r.atEOF()
		if err != nil {
			return err
		}
		if end {
			return io.EOF
		}
		if r.bitBuffer&0xff != 0 {
			r.state = atHeader
			return nil
		}
		r.take(8)
	}
}
