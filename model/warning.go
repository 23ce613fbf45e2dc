package model

import (
	"fmt"
	"strings"

	"vantage/model/units"
)

// WarningKind is a kind of warning. Its name is part of the formats of reports. The kinds are in model/analysis, with the rules that raise
// them.
type WarningKind string

// Warning is a doubt about a result, and what to do about it.
type Warning struct {
	Kind    WarningKind
	Step    int64
	Count   int    // groups or samples
	Of      int    // out of how many
	Unit    string // what is counted: "groups", "samples"
	Example int    // index of the first group concerned, -1 if none
	Text    string // what was found, to follow the count
	Advice  string // what to change
}

// Sentence is the finding with its count: "9 of 128 groups are all wrong", "1 of 128 groups is all wrong".
func (w Warning) Sentence() string {
	text := w.Text
	if verb, rest, _ := strings.Cut(text, " "); w.Count == 1 {
		if one := map[string]string{"are": "is", "have": "has", "were": "was"}[verb]; one != "" {
			text = one + " " + rest
		}
	}
	return fmt.Sprintf("%s of %s %s %s", units.Count(w.Count), units.Count(w.Of), w.Unit, text)
}

// Fate is what the settings make of a group.
type Fate int8

// The fates, those that need attention first.
const (
	FateShort      Fate = iota // fewer than 2 samples kept under recompute: unfiltered values stay
	FateKilled                 // alive before the filter, all zero after it
	FateInvalid                // NaN or missing rewards that leave no advantage, or advantages that are not defined
	FateNoise                  // all rewards equal, advantages not zero: float residue
	FateSingle                 // one sample
	FateAllWrong               // all rewards equal, and wrong: see RewardScale
	FateConstant               // all rewards equal, between wrong and solved
	FateAllCorrect             // all rewards equal, and solved: see RewardScale
	FateSkipped                // not admitted by the group filter, or no sample of it trains by the log
	FateAlive                  // carries signal
	FateOpen                   // its step is still being written

	FateCount = iota // how many there are
)

// Fates are all fates in the order in which tables sort them.
func Fates() []Fate {
	return Mapped(Indexes(FateCount), func(i int) Fate { return Fate(i) })
}

// String is the name of the fate on the screen and in reports.
func (f Fate) String() string {
	switch f {
	case FateAllWrong, FateAllCorrect:
		return "all " + f.Key()
	case FateConstant:
		return "all equal"
	case FateNoise:
		return "rounding"
	case FateShort, FateKilled, FateInvalid, FateSingle, FateSkipped, FateAlive, FateOpen:
	}
	return f.Key()
}

// Key is the name of the fate in one word, as in JSON, CSV, rules and filters.
func (f Fate) Key() string { return fates()[f].key }

func fates() [FateCount]struct{ key, doc string } {
	return [FateCount]struct{ key, doc string }{
		{"short", "fewer than 2 samples kept: recompute falls back to the original values"},
		{"killed", "alive before the filter, no signal after it"},
		{"invalid", "advantages that are not numbers, from NaN or missing rewards or from the formula; it does not train"},
		{"noise", "all rewards equal, but advantages are not 0: float rounding error that trains"},
		{"single", "one sample only"},
		{"wrong", "all rewards equal, at the worst of the run, outliers aside"},
		{"constant", "all rewards equal, between the worst and the best of the run"},
		{"correct", "all rewards equal, at the best of the run, outliers aside"},
		{"skipped", "none of its samples trains: rejected by the group filter, or masked, dropped or failed according to the log"},
		{"alive", "has signal: some advantage is not 0"},
		{"open", "its step is still being written"},
	}
}

// FateWidth is the length of the longest name of a fate.
const FateWidth = len("all correct")

// Doc says what the fate means.
func (f Fate) Doc() string { return fates()[f].doc }
