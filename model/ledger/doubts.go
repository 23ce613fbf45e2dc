package ledger

// Doubt is a reason to think that the ground truth or the grader of a prompt is wrong.
type Doubt struct{}

func (d *Doubt) String() string { return "" }
