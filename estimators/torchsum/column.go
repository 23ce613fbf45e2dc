package torchsum

// Column returns the sum of x as PyTorch takes it where x is a column of a matrix
// of up to 31 columns, that is, where neighbours in x are no neighbours in memory:
// one row of single values, dealt to four chains, whatever its length.
func Column(x []float32) float32 {
	rows := len(x) / chains
	var p [lanes * chains]float32 // only lane 0 of each chain
	if rows < minStep {
		for i := range rows * chains {
			p[i%chains*lanes] += x[i]
		}
	} else {
		wide := make([]float32, rows*chains*lanes)
		for i := range rows * chains {
			wide[i*lanes] = x[i]
		}
		cascade(&p, wide)
	}
	for _, v := range x[rows*chains:] {
		p[0] += v
	}
	return ((p[0] + p[lanes]) + p[2*lanes]) + p[3*lanes]
}
