package estimators

// centredByPythonSum is r − Σr/n in float64. The sum runs from left to right as
// Python's sum did up to 3.11; later versions compensate, which may change the last
// bit.
func centredByPythonSum(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	for g := range b.Groups() {
		sum := 0.0
		for _, x := range b.Group(g) {
			sum += x
		}
		mean := sum / float64(b.Offsets[g+1]-b.Offsets[g])
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			dst[i] = b.Rewards[i] - mean
		}
	}
	return nil
}
