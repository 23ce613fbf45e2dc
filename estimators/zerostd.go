package estimators

import "vantage/estimators/torchsum"

// zeroStdLimit is the absolute tolerance of torch.isclose(s, 0).
const zeroStdLimit float32 = 1e-8

// zeroStd is an [Estimator.ZeroStd].
type zeroStd = func(b Batch, s Scale) float64

// zeroStdOfGroups is the share of the samples in groups whose standard deviation is zero.
func zeroStdOfGroups(std rowStd) zeroStd {
	return func(b Batch, _ Scale) float64 {
		x := make([]float32, largestGroup(b.Offsets))
		buf := make([]float32, len(x))
		zero := 0
		for g := range b.Groups() {
			n := b.Offsets[g+1] - b.Offsets[g]
			toFloat32(x, b.Group(g))
			if std(x[:n], buf[:n], b.Groups()) <= zeroStdLimit {
				zero += n
			}
		}
		return float64(zero) / float64(len(b.Rewards))
	}
}

// zeroStdOfScale is 1 or 0, by the standard deviation of the batch, under [ScaleBatch]; else it
// is [zeroStdOfGroups].
func zeroStdOfScale(std rowStd) zeroStd {
	return func(b Batch, s Scale) float64 {
		if s != ScaleBatch {
			return zeroStdOfGroups(std)(b, s)
		}
		x := make([]float32, len(b.Rewards))
		toFloat32(x, b.Rewards)
		return isZeroStd(x, std)
	}
}

// zeroStd is 1 or 0, by the standard deviation of z.
func (w gdpo) zeroStd(b Batch, _ Scale) float64 {
	std := torchStd
	if w.ignoreUnscored {
		std = ignoringNaN
	}
	return isZeroStd(w.weightedSum(b), std)
}

// isZeroStd returns 1 if the standard deviation of x as one row is zero, else 0.
func isZeroStd(x []float32, std rowStd) float64 {
	if std(x, make([]float32, len(x)), 1) <= zeroStdLimit {
		return 1
	}
	return 0
}

// rowStd is the standard deviation of x, one of so many rows; 0 if x has one value. It may
// overwrite buf, of the length of x.
type rowStd func(x, buf []float32, rows int) float32

// ignoringNaN is trl's nanstd.
func ignoringNaN(x, buf []float32, _ int) float32 { return nanStd(x, buf) }

// torchStd is torch.std.
func torchStd(x, _ []float32, rows int) float32 {
	if rows == 1 || len(x) == 1 {
		return stdOrZero(x, torchsum.Mean(x))
	}
	var std [1]float32
	torchsum.StdRows(std[:], x, len(x))
	return std[0]
}
