package estimators

// selection writes to kept which samples the estimator itself takes of a batch. The others have advantage 0.
type selection = func(kept []bool, b Batch)

// Select writes to kept which samples of a batch the estimator itself takes, all of them under most
// estimators. The advantages of the others are 0: the trainer leaves them out of the loss. It takes what
// Advantage takes; len(kept) == N.
func (e *Estimator) Select(kept []bool, b Batch) {
	if e.selects == nil || e.MissingIn(b) != "" {
		fillTrue(kept)
		return
	}
	e.selects(kept, b)
}

// Selects reports whether the estimator leaves out samples by itself.
func (e *Estimator) Selects() bool { return e.selects != nil }
