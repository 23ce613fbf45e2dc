package decode

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
	"vantage/model/units"
)

// learn notes what this row has and none before it had. A column that a person named counts as used
// in whatever row it comes. The first row with a length decides the unit: a file must not mix two.
func (r *RowDecoder) learn() {
	for role := range RoleCount {
		if !r.Has(role) {
			continue
		}
		if used, chosen := r.Used[role], r.Fields.chosen[role]; used == "" || chosen != "" && chosen != used {
			r.Used[role] = r.FieldName(role)
		}
	}
	r.HasTruth = r.HasTruth || r.Has(RoleTruth) && r.Has(RolePrompt)
	if r.LengthUnit != model.LengthUnknown {
		return
	}
	if n, ok := r.tokens(); ok && !r.countsCharacters(n) {
		r.LengthUnit = model.LengthTokens
	} else if r.Has(RoleResponse) {
		r.LengthUnit = model.LengthCharacters
	}
}

// minCounted is how many characters a response must have to tell what its length counts: a short one may have as many tokens.
const minCounted = 16

// countsCharacters reports whether a length is how many characters the response has, as some programs log under the names of tokens.
func (r *RowDecoder) countsCharacters(length int) bool {
	return r.Fields.AnyLength && length >= minCounted && length == CountCharacters(r.Values[RoleResponse])
}

// CountsCharacters is countsCharacters for the first rows of a log, whose responses count together. isSure is false if they are too short.
func CountsCharacters(f *Fields, records [][]byte) (ok, isSure bool) {
	r, all := NewRowDecoder(f, ""), 0
	for _, record := range records {
		r.BeginRow()
		err := jsonscan.ScanObject(record, r.Pick)
		n, hasLength := r.tokens()
		if err != nil || !f.AnyLength || !hasLength || n != CountCharacters(r.Values[RoleResponse]) {
			return false, true
		}
		all += n
	}
	return len(records) > 0, all >= minCounted
}

// FieldName returns the name of the field that plays the role in this row.
func (r *RowDecoder) FieldName(role Role) string {
	switch rank := r.Ranks[role] % nullPenalty; {
	case rank < len(r.Fields.names[role]):
		return r.Fields.names[role][rank]
	case rank == shapedRank:
		return r.shapedNames[role]
	case role == RoleReward && rank == derivedRank:
		return r.Components.totalName
	case role == RoleResponse && rank == derivedRank:
		return r.FieldName(RolePrompt)
	case role == RoleGroup && rank == derivedRank:
		return "the line"
	}
	return "the record"
}

// noteState is the last Note and what it was made of: it is asked for after each record.
type noteState struct {
	note Note
	used [RoleCount]string
	seen int // how many names
}

// Note implements [Decoder].
func (r *RowDecoder) Note() Note {
	n := &r.noted
	if n.used != r.Used || len(n.note.Components) != len(r.Components.Names) || n.note.Provenance != "" && n.seen != len(r.Seen.names) {
		n.used, n.seen = r.Used, len(r.Seen.names)
		n.note.Components = slices.Clip(r.Components.Names)
		n.note.Provenance, n.note.Missing = r.provenance(), r.missing()
	}
	n.note.LengthUnit, n.note.HasTruth, n.note.SawGroup, n.note.SawStep = r.LengthUnit, r.HasTruth, r.SawGroup, r.SawStep
	n.note.InOrder = r.InOrder
	n.note.HasTotal, n.note.SumsComponents = r.Used[RoleReward] != "" && !r.SumsComponents, r.SumsComponents
	n.note.NamesRewards = !r.Fields.anyComponent
	n.note.Stepless = r.Used[RoleStep] == "" && !r.hasFileStep
	n.note.GroupIsIndex = slices.Contains([]string{"index", "id"}, r.Used[RoleGroup])
	return n.note
}

// missing returns the columns that a person named and no row has had.
func (r *RowDecoder) missing() []string {
	var names []string
	for role, name := range r.Fields.chosen {
		if name != "" && r.Used[role] != name {
			names = append(names, name)
		}
	}
	return names
}

func (r *RowDecoder) provenance() string {
	parts := []string{r.rewardSource()}
	add := func(what string, role Role) {
		if name := r.Used[role]; name != "" {
			parts = append(parts, what+" from "+name)
		}
	}
	add("step", RoleStep)
	switch {
	case r.Used[RoleStep] != "" && r.Fields.whyStep != "":
		parts[len(parts)-1] += " (" + r.Fields.whyStep + ")"
	case r.Used[RoleStep] != "":
	case r.hasFileStep:
		parts = append(parts, "step from the file name")
	default:
		parts = append(parts, "no step, so all rows are step 0")
	}
	add("group id", RoleGroup)
	add("rollout id", RoleRollout)
	add("prompt", RolePrompt)
	add("ground truth", RoleTruth)
	add("advantage", RoleAdvantage)
	if n := len(r.Components.Names); n > 0 && !r.SumsComponents {
		parts = append(parts, units.Plural(n, "components"))
	}
	switch r.LengthUnit {
	case model.LengthTokens:
		parts = append(parts, "lengths in tokens")
	case model.LengthCharacters:
		parts = append(parts, "lengths in characters of "+r.Used[RoleResponse])
	case model.LengthUnknown:
	}
	for _, name := range r.missing() {
		parts = append(parts, "no column "+name)
	}
	sentence := strings.Join(parts, ", ") + r.otherFields()
	if r.Fields.Caveat != nil {
		sentence += r.Fields.Caveat(r.Components.Names)
	}
	return sentence
}

func (r *RowDecoder) rewardSource() string {
	summands := r.Components.summands()
	switch name := r.Used[RoleReward]; {
	case r.SumsComponents && len(summands) == 1:
		return "reward from " + summands[0] + " (the only reward function)"
	case r.SumsComponents && !r.Fields.anyComponent:
		return "reward computed as the sum of " + strings.Join(summands, ", ")
	case r.SumsComponents:
		return "no total reward but the columns " + strings.Join(summands, ", ")
	case name != "":
		return "reward from " + name
	}
	return "no reward"
}

// SeenNames are the names of fields in the first rows of a log.
type SeenNames struct {
	Rows  int
	names []string
}

const (
	maxSeenRows  = 16
	maxSeenNames = 64
	maxOther     = 6 // names of other fields in a sentence
)

// Add adds the name of a field, unless enough rows have been seen.
func (s *SeenNames) Add(name []byte) {
	if s.Rows < maxSeenRows && len(s.names) < maxSeenNames && !slices.Contains(s.names, string(name)) {
		s.names = append(s.names, string(name))
	}
}

// Stop makes Add do nothing from now on.
func (s *SeenNames) Stop() { s.Rows = maxSeenRows }

// otherFields names the fields that play no role in the advantages: a person may have meant one of them.
func (r *RowDecoder) otherFields() string {
	var names []string
	for _, name := range r.Seen.names {
		if !r.uses(name) {
			names = append(names, string(jsonscan.Clip([]byte(name), jsonscan.MaxQuote)))
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n > maxOther:
		return fmt.Sprintf("; other fields: %s and %d more", strings.Join(names[:maxOther], ", "), n-maxOther)
	}
	return "; other fields: " + strings.Join(names, ", ")
}

// uses reports whether something was taken from a field, or from within it.
func (r *RowDecoder) uses(name string) bool {
	isWithin := func(used string) bool {
		rest, ok := strings.CutPrefix(used, strings.ToLower(name))
		if !ok {
			rest, ok = strings.CutPrefix(used, name)
		}
		return ok && (rest == "" || rest[0] == '.' || rest[0] == ' ')
	}
	_, holdsComponents := ComponentPrefix([]byte(name))
	return holdsComponents || r.Fields.Statuses[name] != nil || slices.ContainsFunc(r.Used[:], isWithin) ||
		slices.ContainsFunc(r.Components.Names, isWithin)
}

// stepFromPath reads a step from the name of a file, or else from that of the nearest directory:
// 12.jsonl, train_data_step12.jsonl, iteration_000012/rows.jsonl. The name of a directory that is
// only a number may mean anything (verifiers takes 8 hex digits), so it does not count.
func stepFromPath(path string) (step int64, ok bool) {
	if step, ok := StepFromNumberedFile(path); ok {
		return step, true
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	if step, ok := stepFromFileName(strings.ToLower(parts[len(parts)-1])); ok {
		return step, true
	}
	for i := len(parts) - 1; i >= 0; i-- {
		if step, ok := StepFromWord(strings.ToLower(parts[i])); ok {
			return step, true
		}
	}
	return 0, false
}

// StepFromNumberedFile reads the step of verl's {step}.jsonl.
func StepFromNumberedFile(path string) (step int64, ok bool) {
	base := framing.Unpacked(filepath.Base(path))
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if !IsDigits(base) {
		return 0, false
	}
	step, err := strconv.ParseInt(base, 10, 64)
	return step, err == nil
}

// StepFromWord reads the number after "step", "iteration" or the like in a name in lower case.
func StepFromWord(name string) (step int64, ok bool) {
	return numberAfter(name, "step", "iteration", "iter", "update", "checkpoint", "rollout")
}

// stepFromFileName reads the number of the step in the name of a file that has what was sampled at it: rollouts_10.parquet,
// batch_0010.jsonl. Folders so named may be of a sweep. A name with "step" in it says that first.
func stepFromFileName(name string) (step int64, ok bool) {
	if step, ok := StepFromWord(name); ok {
		return step, true
	}
	if step, ok := numberAfter(name, sampleWords...); ok {
		return step, true
	}
	return numberBesideWord(name)
}

// sampleWords are words in the names of files with what was sampled.
var sampleWords = []string{"rollouts", "completions", "generations", "samples", "trajectories", "batch"}

// numberBesideWord reads the number that begins or ends the name of a file, where nothing but a word for samples is next to it:
// train_3.jsonl, 3_rollouts.jsonl. A name with more numbers, as a shard 00001-of-00004 has, tells no step, and other words may stand before
// the number of a process.
func numberBesideWord(name string) (number int64, ok bool) {
	stem, _, _ := strings.Cut(name, ".")
	word := strings.Trim(stem, "0123456789_-")
	digits := strings.Trim(strings.Replace(stem, word, "", 1), "_-")
	isWord := slices.Contains(sampleWords, word) || slices.Contains([]string{"train", "train_rollouts", "grpo", "s", "it", "gs"}, word)
	if !isWord || !IsDigits(digits) {
		return 0, false
	}
	number, err := strconv.ParseInt(digits, 10, 64)
	return number, err == nil && number < maxFileStep
}

// maxFileStep is more than steps that anyone counts: what is more is a date.
const maxFileStep = 10_000_000

// numberAfter reads the number behind the first of some words that has one, of such words as are in a name.
func numberAfter(name string, words ...string) (number int64, ok bool) {
	for _, word := range words {
		_, after, ok := strings.Cut(name, word)
		if !ok {
			continue
		}
		after = strings.TrimLeft(after, "_-.")
		digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		number, err := strconv.ParseInt(digits, 10, 64)
		if isStep := err == nil && (number < maxFileStep || word == "step" || word == "iteration"); isStep {
			return number, true
		}
	}
	return 0, false
}

// IsDigits reports whether s is one decimal digit or more, and nothing else.
func IsDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
