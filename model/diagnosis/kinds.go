package diagnosis

import "strings"

// Kind is the name of an illness, as JSON, rules and the screen have it.
type Kind string

// The kinds.
const (
	GraderOutage    Kind = "grader_outage"
	StuckData       Kind = "stuck_data"
	GroupMixup      Kind = "group_mixup"
	GraderNoise     Kind = "grader_noise"
	RewardHacking   Kind = "reward_hacking"
	DegenerateText  Kind = "degenerate_text"
	Truncation      Kind = "truncation"
	LengthExplosion Kind = "length_explosion"
	LengthCollapse  Kind = "length_collapse"
	AnswerCollapse  Kind = "answer_collapse"
	RewardCollapse  Kind = "reward_collapse"
	Saturated       Kind = "saturated"
	TooHard         Kind = "too_hard"
	Forgetting      Kind = "forgetting"
)

// Words is the kind as people say it: "reward hacking".
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

// KindInfo is an illness with its words.
type KindInfo struct {
	Name      Kind
	What      string   // what happens, one sentence
	How       string   // how it is found, with its limits
	LooksLike string   // what is healthy and looks like it
	Advice    string   // what to do, one sentence
	Sources   []string // where it is described: titles and addresses
	detect    func(*evidence) (findings []Finding, blind string)
	texts     bool   // it is found in texts
	follows   []Kind // kinds that may follow from it, and are then no findings of their own
}

// Kinds are all, causes before what follows from them.
func Kinds() []KindInfo {
	return []KindInfo{
		{Name: GraderOutage, detect: outage, follows: []Kind{RewardCollapse, TooHard, Saturated, RewardHacking, Forgetting, GraderNoise}},
		{Name: StuckData, detect: stuck, follows: []Kind{AnswerCollapse, Saturated, GroupMixup}},
		{Name: GroupMixup, detect: mixup, follows: []Kind{GraderNoise, AnswerCollapse, Saturated, TooHard}},
		{Name: GraderNoise, detect: noise, texts: true},
		{Name: RewardHacking, detect: hacking, texts: true, follows: []Kind{AnswerCollapse, Saturated, Forgetting, LengthExplosion, LengthCollapse}},
		{Name: DegenerateText, detect: garbled, texts: true, follows: []Kind{RewardCollapse, TooHard, LengthExplosion, LengthCollapse, Truncation, Forgetting, AnswerCollapse}},
		{Name: Truncation, detect: truncation, texts: true, follows: []Kind{LengthExplosion, LengthCollapse, RewardCollapse, TooHard, Forgetting}},
		{Name: LengthExplosion, detect: explosion, follows: []Kind{RewardCollapse, TooHard}},
		{Name: LengthCollapse, detect: shrinking, follows: []Kind{RewardCollapse, TooHard}},
		{Name: AnswerCollapse, detect: answersCollapse, texts: true, follows: []Kind{Saturated, TooHard, LengthCollapse, LengthExplosion, RewardCollapse, Forgetting}},
		{Name: RewardCollapse, detect: collapse, follows: []Kind{TooHard, Forgetting}},
		{Name: TooHard, detect: hopeless, follows: []Kind{RewardCollapse}},
		{Name: Saturated, detect: saturated},
		{Name: Forgetting, detect: forgetting},
	}
}

// evidence is what detectors look at.
type evidence struct {
	*Observations
	texts *Texts // nil if none could be read
}
