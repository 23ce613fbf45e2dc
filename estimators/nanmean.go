package estimators

import (
	"math"
	"slices"

	"vantage/estimators/torchsum"
)

// nanIgnoring is GRPO by nanmean and nanstd: samples without a score count in no mean
// and no standard deviation and get 0. All of it is float32, ddof 1, eps added:
//
//	A_i = (r_i − μ)/(s + eps) ;  NaN → 0, ±Inf → ±3.4e38
//
// s is of the group, of the batch, or absent. A single-sample group has s := 0.
type nanIgnoring struct{ eps float32 }

func (w nanIgnoring) advantages(dst []float64, b Batch, s Scale) error {
	mustHaveLength(dst, b)
	batchStd := float32(0)
	if s == ScaleBatch {
		r := make([]float32, len(b.Rewards))
		toFloat32(r, b.Rewards)
		batchStd = nanStd(r, make([]float32, len(r)))
	}
	by := nanDivisor{w.eps, s, batchStd}
	var r, buf []float32
	oneGroup := func(lo, hi int) {
		r, buf = resize(r, hi-lo), resize(buf, hi-lo)
		toFloat32(r, b.Rewards[lo:hi])
		by.normalize(r, buf, sums{torchsum.Sum, torchsum.Sum})
		for i, a := range r {
			dst[lo+i] = float64(nanToNum(a))
		}
	}
	var squares torchsum.Tile
	inTiles(b, func(tile torchsum.Tile, q *torchsum.Groups) {
		squares = resize(squares, q.Size)
		tile.Load(b.Rewards, &q.Starts)
		if by.normalizeTile(tile, squares) {
			tile.Store(dst, &q.Starts)
			return
		}
		for _, lo := range q.Starts[:q.Rows] {
			oneGroup(lo, lo+q.Size)
		}
	}, oneGroup)
	return nil
}

// nanDivisor is what the groups of a batch are divided by.
type nanDivisor struct {
	eps      float32
	scale    Scale
	batchStd float32 // under [ScaleBatch]
}

func (w nanDivisor) of(std float32, n int) float32 {
	switch {
	case w.scale == ScaleNone:
		return 1
	case w.scale == ScaleBatch:
		return w.batchStd + w.eps
	case n == 1:
		return w.eps
	}
	return std + w.eps
}

// normalize replaces the rewards x of a group by (r − μ)/(s + eps); NaN stays. It overwrites buf,
// of the length of x.
func (w nanDivisor) normalize(x, buf []float32, by sums) {
	mean, std, _ := torchsum.NaNMeanStd(x, buf, by.values, by.squares)
	divisor := w.of(std, len(x))
	for i := range x {
		x[i] = (x[i] - mean) / divisor
	}
}

// normalizeTile is normalize for the groups of a tile. It returns false if not all of their rewards
// and advantages are finite, or may not be; the tile holds neither then. It overwrites squares.
func (w nanDivisor) normalizeTile(tile, squares torchsum.Tile) bool {
	n := len(tile)
	sum := tile.Sum()
	mean := sum.Over(n)
	if !mean.Finite() {
		return false
	}
	tile.Squares(squares, &mean)
	divisors := squares.Sum()
	for g, s := range divisors {
		divisors[g] = w.of(torchsum.StdOfSquares(s, n, n), n)
	}
	tile.Normalize(&mean, &divisors)
	sum = tile.Sum()
	return sum.Finite()
}

// sums add the values, and the squared differences to their mean, within a group.
type sums struct{ values, squares func([]float32) float32 }

// nanStd is the standard deviation of the values of x that are not NaN; 0 if x has one value
// only, which may be NaN. It overwrites buf.
func nanStd(x, buf []float32) float32 {
	if len(x) == 1 {
		return 0
	}
	_, std, _ := torchsum.NaNMeanStd(x, buf, torchsum.Sum, torchsum.Sum)
	return std
}

// normalizeBatch replaces z by (z − z̄)/(s + eps) over the batch; NaN stays.
func (w nanIgnoring) normalizeBatch(z []float32) {
	mean, std, _ := torchsum.NaNMeanStd(z, make([]float32, len(z)), torchsum.Sum, torchsum.Sum)
	for i := range z {
		z[i] = (z[i] - mean) / (std + w.eps)
	}
}

// nanToNum is torch.nan_to_num: NaN becomes 0, an infinity the largest float32.
func nanToNum(x float32) float32 {
	switch {
	case x-x == 0:
		return x
	case x != x:
		return 0
	}
	return min(max(x, -math.MaxFloat32), math.MaxFloat32)
}

// gdpo normalizes every reward function on its own within the group, then the weighted
// sum over the batch,
//
//	z = Σ_k w_k·(r_k − μ_k)/(s_k + eps) ;  A = (z − z̄)/(s_z + eps)
//
// A component without a score adds nothing. Liu et al., "GDPO: Group reward-Decoupled
// Normalization Policy Optimization", arXiv:2601.05242, 2026.
type gdpo struct {
	eps float32

	// ignoreUnscored: a sample without any score gets 0 and does not count in z̄; else it
	// counts as z = 0.
	ignoreUnscored bool

	// perFunction: the reward functions are normalized and added one after the other. Else
	// they are the columns of one matrix.
	perFunction bool
}

func (w gdpo) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	z := w.weightedSum(b)
	if w.ignoreUnscored {
		nanIgnoring{w.eps}.normalizeBatch(z)
		for i, a := range z {
			z[i] = nanToNum(a)
		}
	} else {
		standardize(z, w.eps)
		if len(z) == 1 && !w.perFunction {
			z[0] = 0
		}
	}
	toFloat64(dst, z)
	return nil
}

// weightedSum returns z; with ignoreUnscored, NaN for samples without any score.
func (w gdpo) weightedSum(b Batch) []float32 {
	components := make([][]float32, len(b.Components))
	for k, c := range b.Components {
		components[k] = make([]float32, len(c))
		toFloat32(components[k], c)
	}
	unscored := make([]bool, len(b.Rewards))
	if w.ignoreUnscored {
		for i := range unscored {
			unscored[i] = true
			for _, r := range components {
				unscored[i] = unscored[i] && r[i] != r[i]
			}
		}
	}
	buf, by := make([]float32, largestGroup(b.Offsets)), nanDivisor{eps: w.eps, scale: ScaleGroup}
	for k, r := range components {
		sums := w.sumsOf(k, len(components))
		for lo, hi := range b.ranges() {
			by.normalize(r[lo:hi], buf[:hi-lo], sums)
		}
	}
	add := torchsum.Sum
	if w.perFunction {
		add = torchsum.SumLeftToRight
	}
	z := weightedSum(components, b.Weights, add)
	for i := range z {
		if unscored[i] {
			z[i] = nan32()
		}
	}
	return z
}

// sumsOf returns the order of sums within the k-th component. Its values are a column of a
// matrix. With perFunction the column is read alone, and its squares are a tensor of their own.
func (w gdpo) sumsOf(k, components int) sums {
	of := torchsum.SumColumnOf(k, components)
	if w.perFunction && components > 1 {
		return sums{torchsum.SumColumn, torchsum.Sum}
	}
	return sums{of, of}
}

// weightedSum is Σ_k w_k·x_k per sample, float32, in the order of add; NaN counts as 0.
func weightedSum(components [][]float32, weights []float64, add func([]float32) float32) []float32 {
	z := make([]float32, len(components[0]))
	terms := make([]float32, len(components))
	for i := range z {
		for k, x := range components {
			terms[k] = 0
			if v := x[i]; v == v {
				terms[k] = v * weight(weights, k)
			}
		}
		z[i] = add(terms)
	}
	return z
}

// weight returns the k-th weight, or 1 if weights is nil.
func weight(weights []float64, k int) float32 {
	if weights == nil {
		return 1
	}
	return float32(weights[k])
}

// rloo is RLOO over the samples that have a score:
//
//	A_i = r_i − (Σ − r_i)/(m − 1),  m = number of scores in the group
//
// Where no other sample has a score the advantage is 0. With normalized,
// (A − Ā)/(s_A + eps) over the batch follows.
func (w nanIgnoring) rloo(normalized bool) formula {
	return func(dst []float64, b Batch, _ Scale) error {
		mustHaveLength(dst, b)
		a := make([]float32, len(b.Rewards))
		toFloat32(a, b.Rewards)
		buf := make([]float32, len(a))
		for g := range b.Groups() {
			x := a[b.Offsets[g]:b.Offsets[g+1]]
			subtractOthers(x, buf[:len(x)])
		}
		if normalized {
			w.normalizeBatch(a)
		}
		for i, v := range a {
			dst[i] = float64(nanToNum(v))
		}
		return nil
	}
}

// subtractOthers replaces each score of a group by its difference to the mean of the
// others. It overwrites buf.
func subtractOthers(x, buf []float32) {
	count := 0
	for i, v := range x {
		buf[i] = 0
		if v == v {
			buf[i] = v
			count++
		}
	}
	sum := torchsum.Sum(buf)
	for i, v := range x {
		x[i] = v - (sum-v)/float32(count-1)
	}
}

// perComponent is the first half of GDPO: Σ_k w_k·A_k, where A_k is what f gives for
// the k-th component of the reward; float32, from the first component on.
func perComponent(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		sum := make([]float32, len(dst))
		component := Batch{Offsets: b.Offsets, Lengths: b.Lengths}
		var refused error
		for k, c := range b.Components {
			component.Rewards = make([]float64, len(c))
			for i, x := range c {
				component.Rewards[i] = float64(float32(x))
			}
			if err := f(dst, component, s); err != nil {
				refused = err
			}
			for i, a := range dst {
				sum[i] += float32(weight(b.Weights, k) * float32(a))
			}
		}
		toFloat64(dst, sum)
		return refused
	}
}

// batchStandardized is f followed by (A − Ā)/s over the samples of the batch, ddof 1,
// nothing added to s; A − Ā if s is not above 0.
func batchStandardized(f formula) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		a := make([]float32, len(dst))
		toFloat32(a, dst)
		mean := torchsum.Mean(a)
		std := torchsum.StdWithMean(a, mean)
		for i, x := range a {
			d := x - mean
			if std > 0 {
				d /= std
			}
			dst[i] = float64(d)
		}
		return err
	}
}

// standardized is f followed by (A − Ā)/(s + eps) over the samples of the batch, ddof 1.
func standardized(f formula, eps float32) formula {
	return func(dst []float64, b Batch, s Scale) error {
		err := f(dst, b, s)
		a := make([]float32, len(dst))
		toFloat32(a, dst)
		standardize(a, eps)
		toFloat64(dst, a)
		return err
	}
}

// standardize replaces a by (a − ā)/(s + eps), ddof 1; a single value is NaN.
func standardize(a []float32, eps float32) {
	mean := torchsum.Mean(a)
	divisor := torchsum.StdWithMean(a, mean) + eps
	for i := range a {
		a[i] = (a[i] - mean) / divisor
	}
}

// ZeroStd reports for each group whether its samples count in frac_reward_zero_std: whether the
// standard deviation that the trainer takes, of the group or of the batch, is within 1e-8 of 0
// in its own arithmetic. If the trainer does not log that, groups of equal rewards count. It
// takes what Advantage takes.
func (e *Estimator) ZeroStd(b Batch, s Scale) []bool {
	if e.zeroStd == nil || e.MissingIn(b) != "" {
		zero := make([]bool, b.Groups())
		for g := range zero { // equal rewards; NaN equals nothing
			r := b.Group(g)
			zero[g] = !slices.ContainsFunc(r, func(x float64) bool { return x != r[0] })
		}
		return zero
	}
	return e.zeroStd(b, s)
}

// zeroStdLimit is the absolute tolerance of torch.isclose(s, 0).
const zeroStdLimit float32 = 1e-8

// zeroStd says for each group whether it counts in frac_reward_zero_std.
type zeroStd = func(b Batch, s Scale) []bool

func zeroStdOfGroups(std rowStd) zeroStd {
	return func(b Batch, _ Scale) []bool {
		x := make([]float32, largestGroup(b.Offsets))
		buf := make([]float32, len(x))
		zero := make([]bool, b.Groups())
		for g := range zero {
			n := len(b.Group(g))
			toFloat32(x, b.Group(g))
			zero[g] = std(x[:n], buf[:n], b.Groups()) <= zeroStdLimit
		}
		return zero
	}
}

// zeroStdOfScale goes by the standard deviation of the batch under [ScaleBatch], else by that
// of each group.
func zeroStdOfScale(std rowStd) zeroStd {
	return func(b Batch, s Scale) []bool {
		if s != ScaleBatch {
			return zeroStdOfGroups(std)(b, s)
		}
		x := make([]float32, len(b.Rewards))
		toFloat32(x, b.Rewards)
		return zeroStdOfBatch(x, b, std)
	}
}

// zeroStd goes by the standard deviation of z over the batch.
func (w gdpo) zeroStd(b Batch, _ Scale) []bool {
	std := torchStd
	if w.ignoreUnscored {
		std = ignoringNaN
	}
	return zeroStdOfBatch(w.weightedSum(b), b, std)
}

// zeroStdOfBatch is the same for all groups: whether x, a value per sample, has no spread.
func zeroStdOfBatch(x []float32, b Batch, std rowStd) []bool {
	return slices.Repeat([]bool{std(x, make([]float32, len(x)), 1) <= zeroStdLimit}, b.Groups())
}

// rowStd is the standard deviation of x, one of so many rows; 0 if x has one value. It may
// overwrite buf, of the length of x.
type rowStd func(x, buf []float32, rows int) float32

// ignoringNaN is trl's nanstd.
func ignoringNaN(x, buf []float32, _ int) float32 { return nanStd(x, buf) }

func torchStd(x, _ []float32, rows int) float32 {
	switch {
	case len(x) == 1:
		return 0
	case rows == 1:
		return torchsum.Std(x)
	}
	return torchsum.StdOfRow(x)
}
