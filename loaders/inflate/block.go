package inflate

import "fmt"

// begin reads what a block begins with.
func (d *Reader) begin() error {
	if d.last {
		d.state = tail
		return nil
	}
	if d.mark != nil {
		d.mark(d)
	}
	x, err := d.bits(3)
	if err != nil {
		return err
	}
	d.last = x&1 == 1
	switch x >> 1 {
	case 0:
		return d.beginStored()
	case 1:
		d.state = inCodes
		return d.fixed()
	case 2:
		d.state = inCodes
		return d.dynamic()
	}
	return fmt.Errorf("%w: a block of no kind", ErrCorrupt)
}

func (d *Reader) beginStored() error {
	d.align()
	x, err := d.bits(32)
	if err != nil {
		return err
	}
	if uint16(x) != ^uint16(x>>16) {
		return fmt.Errorf("%w: a block whose length does not hold", ErrCorrupt)
	}
	d.stored, d.state = int(uint16(x)), inStored
	return nil
}

func (d *Reader) copyStored() error {
	for d.stored > 0 && d.n < window+ahead {
		x, err := d.bits(8)
		if err != nil {
			return err
		}
		d.out[d.n] = byte(x)
		d.n++
		d.stored--
	}
	if d.stored == 0 {
		d.state = block
	}
	return nil
}

// fixed makes the tables of the code that every reader knows.
func (d *Reader) fixed() error {
	for i := range 288 {
		d.lengths[i] = [...]byte{8, 9, 7, 8}[bucket(i)]
	}
	var ok, also bool
	d.symbols, ok = build(d.symbols, d.lengths[:288], symbolBits, symbol)
	for i := range 32 {
		d.lengths[i] = 5
	}
	d.distances, also = build(d.distances, d.lengths[:32], distanceBits, distance)
	if !ok || !also {
		return ErrCorrupt
	}
	return nil
}

// bucket is which of the four ranges of the fixed code a symbol is in.
func bucket(symbol int) int {
	switch {
	case symbol < 144:
		return 0
	case symbol < 256:
		return 1
	case symbol < 280:
		return 2
	}
	return 3
}

// order is that in which the lengths of the codes for lengths are written.
var order = [...]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the tables of the block's own code.
func (d *Reader) dynamic() error {
	x, err := d.bits(14)
	if err != nil {
		return err
	}
	symbols, distances, n := int(x&31)+257, int(x>>5&31)+1, int(x>>10)+4
	var lengths [19]byte
	for i := range n {
		l, err := d.bits(3)
		if err != nil {
			return err
		}
		lengths[order[i]] = byte(l)
	}
	var ok bool
	if d.codes, ok = build(d.codes, lengths[:], 7, plainSymbol); !ok || symbols > 286 {
		return fmt.Errorf("%w: a block's code", ErrCorrupt)
	}
	if err := d.readLengths(symbols + distances); err != nil {
		return err
	}
	var also bool
	d.symbols, ok = build(d.symbols, d.lengths[:symbols], symbolBits, symbol)
	d.distances, also = build(d.distances, d.lengths[symbols:symbols+distances], distanceBits, distance)
	if !ok || !also || d.lengths[256] == 0 {
		return fmt.Errorf("%w: a block's code", ErrCorrupt)
	}
	return nil
}

// readLengths reads the lengths of n codes, in which repetitions are shortened.
func (d *Reader) readLengths(n int) error {
	for i := 0; i < n; {
		if err := d.need(14); err != nil {
			return err
		}
		e := d.codes[d.hold&127]
		if e == 0 {
			return fmt.Errorf("%w: a block's code", ErrCorrupt)
		}
		d.take(e.size())
		l, times := byte(e.value()), 1
		switch l {
		case 16:
			if i == 0 {
				return fmt.Errorf("%w: a block's code", ErrCorrupt)
			}
			l, times = d.lengths[i-1], 3+int(d.take(2))
		case 17:
			l, times = 0, 3+int(d.take(3))
		case 18:
			l, times = 0, 11+int(d.take(7))
		}
		if i+times > n {
			return fmt.Errorf("%w: a block's code", ErrCorrupt)
		}
		for range times {
			d.lengths[i] = l
			i++
		}
	}
	return d.short()
}
