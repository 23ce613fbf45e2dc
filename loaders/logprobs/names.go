package logprobs

import (
	"slices"

	"vantage/estimators/offpolicy"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet"
	"vantage/loaders/parquet/pages"
)

// role is what a field of a row means.
type role int

const (
	roleSampler role = iota
	roleTrainer      // before the update
	rolePolicy       // within the update, or before it where nothing else is
	roleMask
	roleAdvantage
	roleVersion // of the policy that sampled: a number, or those of the first and the last token
	roleStep
	roleID
	roleGroup
	roles
)

// names are those of fields in rows of JSON and tables, by role. Of several the first that is there and not null counts.
func names() [roles][]string {
	return [roles][]string{
		roleSampler:   {"rollout_log_probs", "rollout_logprobs"},
		roleTrainer:   {"old_log_probs", "old_logprobs", "action_log_probs"},
		rolePolicy:    {"log_probs"},
		roleMask:      {"response_mask", "loss_mask"},
		roleAdvantage: {"advantage", "advantages"},
		roleVersion:   {"policy_version"},
		roleStep:      {"step", "global_step", "training_step"},
		roleID:        {"id", "sample_id"},
		roleGroup:     {"group", "group_id", "uid"},
	}
}

const tableExtension = ".parquet"

// readTable visits the rows of a Parquet file. Of others than those of log-probs no more than the footer is read.
func (r *reader) readTable(name string) error {
	file, info, err := r.open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	table, err := pages.Open(file, info.Size(), nil)
	all := names()
	isSampler := func(n pages.Node) bool { return slices.Contains(all[roleSampler], n.Name) }
	switch {
	case err != nil:
		r.skip(name, err)
		return nil
	case !slices.ContainsFunc(table.Fields, isSampler):
		return nil
	}
	return parquet.EachRow(table, slices.Concat(all[:]...), func(row int64, object []byte) error {
		for _, s := range namedRow(r, object, name) {
			s.File, s.Line, s.Where.Path, s.Where.At = name, row+1, r.path(name), row
			if err := r.emit(s); err != nil {
				return err
			}
		}
		return nil
	})
}

// namedRow is a row of any log that has the names that most trainers use.
func namedRow(r *reader, line []byte, file string) []Sample {
	all := names()
	isThere := func(name string) bool { return hasWord(line, name) }
	if !slices.ContainsFunc(all[roleSampler], isThere) {
		return nil
	}
	fields, err := jsonscan.PluckLists(line, slices.Concat(all[:]...)...)
	if err != nil {
		return nil
	}
	var v [roles]jsonscan.Value
	at := 0
	for i, names := range all {
		for _, f := range fields[at : at+len(names)] {
			if v[i].Kind == jsonscan.Absent || v[i].Kind == jsonscan.Null && f.Kind != jsonscan.Absent {
				v[i] = f
			}
		}
		at += len(names)
	}
	if v[roleSampler].Kind == jsonscan.Absent {
		return nil
	}
	s := Sample{
		Row: offpolicy.Row{Sampler: floats(v[roleSampler]), Trainer: floats(v[roleTrainer]), Mask: maskOf(v[roleMask])},
		ID:  label(v[roleID]), Group: label(v[roleGroup]),
	}
	if s.Trainer == nil {
		s.Trainer = floats(v[rolePolicy])
	} else {
		s.Policy = floats(v[rolePolicy])
	}
	if s.Advantage = v[roleAdvantage].ToAdvantage(); v[roleAdvantage].Kind == jsonscan.Array {
		s.Advantage = advantageIn(v[roleAdvantage], s.Mask)
	}
	var dated bool
	if s.Step, dated = wholeNumber(v[roleStep]); !dated {
		s.Step, dated = r.stepOf(file)
	}
	first, last := v[roleVersion], v[roleVersion]
	if all := v[roleVersion].Elements(); len(all) > 0 {
		first, last = all[0], all[len(all)-1]
	}
	if dated {
		s.sampledBy(first, last)
	}
	return []Sample{s}
}

// label is a text or a number of a log; empty if it is neither.
func label(v jsonscan.Value) string {
	if v.Kind != jsonscan.Number && v.Kind != jsonscan.String {
		return ""
	}
	return string(v.Text())
}
