package evaluation

// Evidence is why a table holds an evaluation. Its texts are those of the JSON.
type Evidence string

// The kinds of evidence.
const (
	BeforeTraining Evidence = "step 0"             // TRL logs step 0 only for an evaluation before training
	TrainerState   Evidence = "trainer_state.json" // it has eval_* figures of the step
	Rewritten      Evidence = "rewritten"          // the file of the step was overwritten with other prompts
	LoggedAgain    Evidence = "logged again"       // the step was logged a second time, with other prompts
	GroupSize      Evidence = "group size"         // its groups have another size than those of the other steps
	SamePrompts    Evidence = "same prompts"       // they come again in the same order at regular steps, and at no other
)
