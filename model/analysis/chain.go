package analysis

// Shaped returns how many rewards the length penalty of the settings lowers.
func (a *Analysis) Shaped() int { return a.input.Shaped }

// WhyUnshaped says why the length penalty of the settings lowers none; "" if it could.
func (a *Analysis) WhyUnshaped() string { return a.input.WhyUnshaped }

// LoggedMean is the mean of the finite rewards before the length penalty, NaN if there are none.
func (a *Analysis) LoggedMean() float64 {
	sum, n := 0.0, 0
	for _, r := range a.LoggedRewards {
		if isFinite(r) {
			sum += r
			n++
		}
	}
	return sum / float64(n)
}
