package model

import (
	"encoding/binary"
	"encoding/hex"
)

// Prompts of a run are numbered from 1; 0 is none.

// PromptNumber is the number of a row's prompt.
func (s Step) PromptNumber(row int) uint32 { return numberAt(s.prompts, row) }

// PromptCount is how many prompts the run has.
func (s Snapshot) PromptCount() int { return s.promptHashes.size }

// Prompt returns the prompt with a number, which is not 0.
func (s Snapshot) Prompt(number uint32) Prompt {
	return Prompt{Hash: s.promptHashes.at(int(number) - 1), Preview: s.previews.at(int(number) - 1)}
}

// PromptName is the hash of a row's prompt and ground truth, as groups by prompt are
// named: the same in every step and run. It is "" if the log has no prompt.
func (s Snapshot) PromptName(step Step, row int) string {
	k := step.PromptNumber(row)
	if k == 0 {
		return ""
	}
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, s.promptHashes.at(int(k)-1)))
}

// Preview returns the beginning of a row's prompt, as logged; "" if there is none.
func (s Snapshot) Preview(step Step, row int) string {
	if k := step.PromptNumber(row); k != 0 {
		return s.previews.at(int(k) - 1)
	}
	return ""
}
