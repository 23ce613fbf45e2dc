package report

import "vantage/model"

// evaluationJSON is the rows that a trainer wrote into its log of training while it evaluated.
type evaluationJSON struct {
	Counted  bool           `json:"counted"` // they are reported, instead of training
	Steps    []int64        `json:"steps"`
	Rows     int            `json:"rows"`
	Lost     []int64        `json:"lost_training_steps"` // overwritten before they were read
	Kept     []int64        `json:"kept_training_steps"` // overwritten after that, and counted
	Evidence []evidenceJSON `json:"evidence"`
}

type evidenceJSON struct {
	Kind  string `json:"kind"`
	Why   string `json:"why"`
	Steps int    `json:"steps"`
	First int64  `json:"first_step"`
	File  string `json:"file"`
}

// newEvaluationJSON returns nil if there are no such rows.
func newEvaluationJSON(e *model.Evaluation) *evaluationJSON {
	if e == nil {
		return nil
	}
	j := &evaluationJSON{
		Counted: e.Shown, Steps: append([]int64{}, e.Steps...), Rows: e.Rows,
		Lost: append([]int64{}, e.Lost...), Kept: append([]int64{}, e.Kept...), Evidence: []evidenceJSON{},
	}
	for _, why := range e.Evidence {
		j.Evidence = append(j.Evidence, evidenceJSON(why))
	}
	return j
}
