package torchsum

// SumColumn returns the sum of x as PyTorch computes it for a column of a matrix of up
// to 31 columns, whose values are not adjacent in memory: one row of single values,
// dealt to four chains, whatever its length. The chains are folded as in [Sum].
func SumColumn(x []float32) float32 {
	rows := len(x) / chains
	power := max(minPower, ceilLog2(rows)/levels)
	var sums [levels][chains]float32
	for i := range rows {
		for c, v := range x[i*chains : (i+1)*chains] {
			sums[0][c] += v
		}
		for j := 0; j < levels-1 && (i+1)&(1<<((j+1)*power)-1) == 0; j++ {
			for c, v := range sums[j] {
				sums[j+1][c] += v
			}
			sums[j] = [chains]float32{}
		}
	}
	p := sums[0]
	for _, upper := range sums[1:] {
		for c, v := range upper {
			p[c] += v
		}
	}
	for _, v := range x[rows*chains:] {
		p[0] += v
	}
	return ((p[0] + p[1]) + p[2]) + p[3]
}
