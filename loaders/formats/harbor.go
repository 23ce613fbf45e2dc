package formats

import (
	"bytes"

	"vantage/loaders/decode"
	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
)

// harbor is the result of a trial that Harbor ran: {job}/{trial}/result.json. Trials of a task are its group.
// What the agent said and did is in another file, agent/trajectory.json, in the form that is called ATIF.
func harbor() Format {
	fields := decode.OnlyNames(decode.Names{
		decode.RoleReward: {"verifier_result.rewards.reward"},
		decode.RoleGroup:  {"task_name"},
		decode.RoleLength: {"agent_result.n_output_tokens"},
	})
	fields.Caveat = func([]string) string { return "; texts are in agent/trajectory.json beside each result.json" }
	return Format{
		Name: "harbor", Doc: "Harbor's {job}/{trial}/result.json: a file per trial, grouped by task; the ATIF trajectory beside it is not opened.",
		TrainerOption: "nothing: harbor run writes them, under --jobs-dir",
		File:          "jobs/{job}/{trial}/result.json",
		Open:          "jobs",
		Framing:       framing.Framing{Whole: true},
		Score:         85,
		Sniff:         hasKeys("task_name", "verifier_result", "agent_info"),
		Fields:        fields,
	}
}

// isATIF reports whether a document is the trajectory of an agent, which has no reward.
func isATIF(record []byte) (yes bool) {
	_ = jsonscan.ScanObject(record, func(key, v jsonscan.Value) {
		yes = yes || string(key.Raw) == "schema_version" && bytes.HasPrefix(v.Raw, []byte("ATIF-"))
	})
	return yes
}

// atifRefusal says where the reward of a trajectory is.
const atifRefusal = "an ATIF trajectory, which has no reward: Harbor writes the reward to result.json in the folder of the trial; open the folder of the job"
