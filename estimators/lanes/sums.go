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
	if sumVectors(&s, t, o) {
		return s
	}
	for _, v := range t[o.width*o.registers:] {
		s.add(&v)
	}
	for lane := range o.width {
		sum := o.sumOfLane(t[lane:])
		s.add(&sum)
	}
	return s
}

// order is that of PyTorch: a group is so many registers of width values each, which are added lane
// by lane, and a rest, which is added first.
type order struct{ width, registers int }

// chains is the number of sums to which the registers are dealt in turn.
const chains = 4

// orderOf returns the order for groups of n. A register has eight values; where they fill none,
// PyTorch deals single values.
func orderOf(n int) order {
	if n < Width {
		return order{1, n}
	}
	return order{Width, n / Width}
}

// sumOfLane adds the registers at the lane with which t begins.
func (o order) sumOfLane(t Tile) Vector {
	var p [chains]Vector
	whole := o.registers &^ (chains - 1)
	for i := range whole {
		p[i%chains].add(&t[i*o.width])
	}
	for i := whole; i < o.registers; i++ {
		p[0].add(&t[i*o.width])
	}
	for c := 1; c < chains; c++ {
		p[0].add(&p[c])
	}
	return p[0]
}

func (v *Vector) add(x *Vector) {
	for g := range v {
		v[g] += x[g]
	}
}

// Squares writes to dst the squared differences to the mean, in float32. len(dst) == len(t).
func (t Tile) Squares(dst Tile, mean *Vector) {
	dst = dst[:len(t)]
	if squareVectors(dst, t, mean) {
		return
	}
	for i := range t {
		for g, x := range t[i] {
			d := x - mean[g]
			dst[i][g] = d * d
		}
	}
}

// Std returns the standard deviation of each group as torchsum.StdWithMean does: in float64, from
// left to right.
func (t Tile) Std(mean *Vector) (std Vector) {
	if stdVectors(&std, t, mean) {
		return std
	}
	var squares [Width]float64
	for i := range t {
		for g, x := range t[i] {
			d := float64(x) - float64(mean[g])
			squares[g] += float64(d * d)
		}
	}
	return root(&squares, len(t))
}

// StdWelford returns the standard deviation of each group as torchsum.StdOfRow does.
func (t Tile) StdWelford() (std Vector) {
	if welfordVectors(&std, t) {
		return std
	}
	var mean, squares [Width]float64
	for i := range t {
		count := float64(i + 1)
		for g, x := range t[i] {
			delta := float64(x) - mean[g]
			mean[g] += delta / count
			squares[g] += float64(delta * (float64(x) - mean[g]))
		}
	}
	return root(&squares, len(t))
}
