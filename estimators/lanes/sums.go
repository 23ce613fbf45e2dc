package lanes

// Sum returns the sum of each group in the order of torchsum.Sum. It panics if the groups are larger
// than [MaxSize].
func (t Tile) Sum() (s Vector) {
	if len(t) > MaxSize {
		panic("lanes: groups are too large")
	}
	return t.sum(orderOf(len(t)))
}

// SumLeftToRight returns the sum of each group as torchsum.SumLeftToRight does.
func (t Tile) SumLeftToRight() (s Vector) { return t.sum(order{width: 1}) }

func (t Tile) sum(o order) (s Vector) {
	if len(t) > 0 {
		sum(&s, &t[0], o.width, o.registers, len(t)-o.width*o.registers)
	}
	return s
}

// order is that of PyTorch: a group is so many registers of width values each, which are added lane
// by lane, and a rest, which is added first.
type order struct{ width, registers int }

// orderOf returns the order for groups of n. A register has eight values; where they fill none,
// PyTorch deals single values.
func orderOf(n int) order {
	if n < Width {
		return order{1, n}
	}
	return order{Width, n / Width}
}

// Std returns the standard deviation of each group as torchsum.StdWithMean does: in float64, from
// left to right.
func (t Tile) Std(mean *Vector) (s Vector) {
	if len(t) > 0 {
		std(&s, &t[0], len(t), mean, divisorOf(len(t)))
	}
	return s
}

// StdWelford returns the standard deviation of each group as torchsum.StdOfRow does.
func (t Tile) StdWelford() (s Vector) {
	if len(t) > 0 {
		welford(&s, &t[0], len(t), divisorOf(len(t)))
	}
	return s
}

// divisorOf is n − 1. PyTorch does not let it fall below 0: one value gives 0/0.
func divisorOf(n int) float64 { return float64(max(0, n-1)) }
