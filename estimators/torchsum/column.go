package torchsum

// SumColumnOf returns the sum of the k-th column of a matrix with so many columns, as PyTorch
// computes it if all columns are summed at once. It adds several columns side by side, value by
// value, where they fill four values (fewer than 8 columns) or four registers (32 or more), and
// the others by [SumColumn]. A single column is contiguous: [Sum].
func SumColumnOf(k, columns int) func([]float32) float32 {
	width := lanes * chains
	if columns < lanes {
		width = chains
	}
	switch {
	case columns == 1:
		return Sum
	case k < columns/width*width:
		return sumValueByValue
	}
	return SumColumn
}

// SumColumn returns the sum of x as PyTorch computes it for values that are not adjacent in
// memory: one row of single values, dealt to four chains, whatever its length. The chains are
// folded as in [Sum].
func SumColumn(x []float32) float32 {
	p := cascadeValues(x[:len(x)/chains*chains])
	for _, v := range x[len(x)/chains*chains:] {
		p[0] += v
	}
	return ((p[0] + p[1]) + p[2]) + p[3]
}

// cascadeValues deals x, a whole number of values per chain, to the chains and folds them.
func cascadeValues(x []float32) [chains]float32 {
	rows := len(x) / chains
	step := cascadeStep(rows)
	var sums [levels][chains]float32
	for i := range rows {
		for c, v := range x[i*chains : (i+1)*chains] {
			sums[0][c] += v
		}
		for j := 0; j < levels-1 && step.folds(i+1, j); j++ {
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
	return p
}

// sumValueByValue is the sum of one chain, folded as in [Sum].
func sumValueByValue(x []float32) float32 {
	step := cascadeStep(len(x))
	var sums [levels]float32
	for i, v := range x {
		sums[0] += v
		for j := 0; j < levels-1 && step.folds(i+1, j); j++ {
			sums[j+1] += sums[j]
			sums[j] = 0
		}
	}
	return ((sums[0] + sums[1]) + sums[2]) + sums[3]
}

// foldPower is the binary logarithm of the terms that a level takes before it is folded.
type foldPower int

func cascadeStep(rows int) foldPower { return foldPower(max(minPower, ceilLog2(rows)/levels)) }

// folds reports whether level is folded after so many terms.
func (p foldPower) folds(terms, level int) bool { return terms&(1<<((level+1)*int(p))-1) == 0 }
