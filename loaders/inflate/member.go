package inflate

import "fmt"

// The flags of a member's header.
const (
	flagSum     = 1 << 1
	flagExtra   = 1 << 2
	flagName    = 1 << 3
	flagComment = 1 << 4
)

// header reads what a member begins with.
func (d *Reader) header() error {
	magic, err := d.bits(16)
	if err != nil {
		return err
	}
	if magic != 0x8b1f {
		return ErrHeader
	}
	x, err := d.bits(16)
	if err != nil {
		return err
	}
	flags := x >> 8
	if x&0xff != 8 { // flags that have no meaning yet are passed over, as the standard library does
		return fmt.Errorf("%w: it is compressed in another way", ErrHeader)
	}
	if err := d.skipRest(flags); err != nil {
		return err
	}
	d.state, d.last, d.member = block, false, d.text+int64(d.n)
	d.sum, d.summed, d.unsummed = 0, d.n, false
	return nil
}

// skipRest passes over what a header tells of the file that was packed.
func (d *Reader) skipRest(flags uint64) error {
	if err := d.skip(6); err != nil { // time, level, system
		return err
	}
	if flags&flagExtra != 0 {
		n, err := d.bits(16)
		if err == nil {
			err = d.skip(int(n))
		}
		if err != nil {
			return err
		}
	}
	for _, text := range [...]uint64{flagName, flagComment} {
		if err := d.skipText(flags&text != 0); err != nil {
			return err
		}
	}
	if flags&flagSum != 0 {
		return d.skip(2)
	}
	return nil
}

func (d *Reader) skip(n int) error {
	for range n {
		if _, err := d.bits(8); err != nil {
			return err
		}
	}
	return nil
}

func (d *Reader) skipText(there bool) error {
	for there {
		x, err := d.bits(8)
		if err != nil {
			return err
		}
		there = x != 0
	}
	return nil
}

// trailer holds the sum and the size of a member against those that it says it has,
// and looks whether another follows.
func (d *Reader) trailer() error {
	d.align()
	d.check()
	sum, err := d.bits(32)
	if err != nil {
		return err
	}
	size, err := d.bits(32)
	if err != nil {
		return err
	}
	if !d.unsummed && (uint32(sum) != d.sum || uint32(size) != uint32(d.text+int64(d.n)-d.member)) {
		return ErrChecksum
	}
	return d.next()
}

// next goes to the next member, over padding.
func (d *Reader) next() error {
	for {
		over, err := d.over()
		if err != nil {
			return err
		}
		if over {
			return errEnd
		}
		if d.hold&0xff != 0 {
			d.state = head
			return nil
		}
		d.take(8)
	}
}
