package gzipindex

import "fmt"

// startBlock reads the header of a block.
func (r *Reader) startBlock() error {
	if r.lastBlock {
		r.state = atTrailer
		return nil
	}
	if r.onBlock != nil {
		r.onBlock(r)
	}
	x, err := r.bits(3)
	if err != nil {
		return err
	}
	r.lastBlock = x&1 == 1
	switch x >> 1 {
	case 0:
		return r.startStored()
	case 1:
		r.state = inCompressed
		return r.fixedTables()
	case 2:
		r.state = inCompressed
		return r.dynamicTables()
	}
	return fmt.Errorf("%w: a block of unknown type", ErrCorrupt)
}

func (r *Reader) startStored() error {
	r.align()
	x, err := r.bits(32)
	if err != nil {
		return err
	}
	if uint16(x) != ^uint16(x>>16) {
		return fmt.Errorf("%w: a block whose length fails its check", ErrCorrupt)
	}
	r.storedLeft, r.state = int(uint16(x)), inStored
	return nil
}

func (r *Reader) copyStored() error {
	for r.storedLeft > 0 && r.n < outEnd {
		x, err := r.bits(8)
		if err != nil {
			return err
		}
		r.out[r.n] = byte(x)
		r.n++
		r.storedLeft--
	}
	if r.storedLeft == 0 {
		r.state = atBlock
	}
	return nil
}

// fixedTables builds the tables of the code that the standard fixes.
func (r *Reader) fixedTables() error {
	for i := range 288 {
		r.codeLengths[i] = fixedLength(i)
	}
	var ok, distancesOK bool
	r.symbols, ok = buildTable(r.symbols, r.codeLengths[:288], symbolBits, symbolEntry)
	for i := range 32 {
		r.codeLengths[i] = 5
	}
	r.distances, distancesOK = buildTable(r.distances, r.codeLengths[:32], distanceBits, distanceEntry)
	if !ok || !distancesOK {
		return ErrCorrupt
	}
	return nil
}

// fixedLength returns the length of a symbol's code in the fixed code.
func fixedLength(symbol int) byte {
	switch {
	case symbol < 144:
		return 8
	case symbol < 256:
		return 9
	case symbol < 280:
		return 7
	}
	return 8
}

// codeLengthOrder is the order in which the lengths of the code length code are written.
var codeLengthOrder = [...]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

var errCode = fmt.Errorf("%w: a block's code", ErrCorrupt)

// dynamicTables reads the code of a block and builds its tables.
func (r *Reader) dynamicTables() error {
	x, err := r.bits(14)
	if err != nil {
		return err
	}
	symbols, distances, n := int(x&31)+257, int(x>>5&31)+1, int(x>>10)+4
	var lengths [19]byte
	for i := range n {
		l, err := r.bits(3)
		if err != nil {
			return err
		}
		lengths[codeLengthOrder[i]] = byte(l)
	}
	var ok bool
	if r.lengthCodes, ok = buildTable(r.lengthCodes, lengths[:], lengthCodeBits, literalEntry); !ok || symbols > 286 {
		return errCode
	}
	if err := r.readCodeLengths(symbols + distances); err != nil {
		return err
	}
	var distancesOK bool
	r.symbols, ok = buildTable(r.symbols, r.codeLengths[:symbols], symbolBits, symbolEntry)
	r.distances, distancesOK = buildTable(r.distances, r.codeLengths[symbols:symbols+distances], distanceBits, distanceEntry)
	if !ok || !distancesOK || r.codeLengths[256] == 0 {
		return errCode
	}
	return nil
}

// readCodeLengths reads the lengths of n codes, which are run-length encoded.
func (r *Reader) readCodeLengths(n int) error {
	for i := 0; i < n; {
		if err := r.need(14); err != nil {
			return err
		}
		e := r.lengthCodes[r.bitBuffer&(1<<lengthCodeBits-1)]
		if e == 0 {
			return errCode
		}
		r.take(e.size())
		l, times := byte(e.value()), 1
		switch l {
		case 16:
			if i == 0 {
				return errCode
			}
			l, times = r.codeLengths[i-1], 3+int(r.take(2))
		case 17:
			l, times = 0, 3+int(r.take(3))
		case 18:
			l, times = 0, 11+int(r.take(7))
		}
		if i+times > n {
			return errCode
		}
		for range times {
			r.codeLengths[i] = l
			i++
		}
	}
	return r.checkOverrun()
}
