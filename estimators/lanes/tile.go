package lanes

// Width is the number of groups that are computed at once.
const Width = 8

// MaxSize is the size of the largest group: from 512 values on PyTorch folds the sums of a group
// (see package torchsum), which is not done here.
const MaxSize = 511

// Vector has a value of each of eight groups.
type Vector [Width]float32

// Over returns v/n.
func (v *Vector) Over(n int) (quotient Vector) {
	for g, x := range v {
		quotient[g] = x / float32(n)
	}
	return quotient
}

// Finite reports whether no value is NaN or an infinity.
func (v *Vector) Finite() bool {
	finite := true
	for _, x := range v {
		finite = finite && x-x == 0
	}
	return finite
}

// Starts are the indices at which eight groups begin in a batch. A group may be there more than
// once.
type Starts [Width]int

// Tile holds eight groups of one size: t[i][g] is value i of group g.
type Tile []Vector

// block is the number of values of each group that Load and Store turn at once.
// The rest is done value by value.
const block = 4

// Load fills t with the groups of x, rounded to float32. It is exact if no value was rounded and
// none is NaN.
func (t Tile) Load(x []float64, starts *Starts) (exact bool) {
	mustHold(len(x), starts, len(t))
	whole := len(t) &^ (block - 1)
	exact = true
	if whole > 0 {
		exact = load(&t[0], &x[0], starts, whole/block) == 0
	}
	for i := whole; i < len(t); i++ {
		for g, start := range starts {
			v := x[start+i]
			t[i][g] = float32(v)
			exact = exact && float64(float32(v)) == v
		}
	}
	return exact
}

// Store writes t to the groups of dst.
func (t Tile) Store(dst []float64, starts *Starts) {
	mustHold(len(dst), starts, len(t))
	whole := len(t) &^ (block - 1)
	if whole > 0 {
		store(&dst[0], starts, &t[0], whole/block)
	}
	for i := whole; i < len(t); i++ {
		for g, start := range starts {
			dst[start+i] = float64(t[i][g])
		}
	}
}

func mustHold(length int, starts *Starts, size int) {
	for _, start := range starts {
		if start < 0 || start > length-size {
			panic("lanes: a group is not within the batch")
		}
	}
}

// Normalize replaces each value x by (x − mean)/divisor.
func (t Tile) Normalize(mean, divisor *Vector) {
	if len(t) > 0 {
		normalize(&t[0], len(t), mean, divisor)
	}
}

// Squares writes to dst the squared differences to the mean, in float32. len(dst) == len(t).
func (t Tile) Squares(dst Tile, mean *Vector) {
	if dst = dst[:len(t)]; len(t) > 0 {
		square(&dst[0], &t[0], len(t), mean)
	}
}
