package diagnosis

import "vantage/model"

// Texts are answers of some groups, as far as they were read.
type Texts struct{}

// Pick is a sample whose text is wanted.
type Pick struct {
	Step int // index in the snapshot
	Row  int // of the step, in input order
}

// Plan says which texts to read, at most so many: whole groups or parts of them, over all steps.
func Plan(o *Observations, most int) []Pick { return nil }

// Add takes the text of a pick. Texts may come in any order.
func (t *Texts) Add(p Pick, text model.Text) {}
