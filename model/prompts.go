package model

import (
	"encoding/binary"
	"encoding/hex"
)

// PromptNumber is the number of a row's prompt: prompts of a run are numbered from 1, 0 is none.
func (s Step) PromptNumber(row int) uint32 { return numberAt(s.prompts, row) }

// PromptCount is the number of prompts of the run.
func (s Snapshot) PromptCount() int { return s.promptHashes.size }

// Prompt returns the prompt with a number from 1 to PromptCount.
func (s Snapshot) Prompt(number uint32) Prompt {
	return Prompt{Hash: s.promptHashes.at(int(number) - 1), Preview: s.previews.at(int(number) - 1)}
}

// PromptName is the name of a group by prompt, the hash of a row's prompt and ground truth in hex:
// the same in every step and run. It is "" if the row has no prompt.
func (s Snapshot) PromptName(step Step, row int) string {
	k := step.PromptNumber(row)
	if k == 0 {
		return ""
	}
	return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, s.promptHashes.at(int(k)-1)))
}

// Preview returns the beginning of a row's prompt, as logged, "" if it has none.
func (s Snapshot) Preview(step Step, row int) string {
	if k := step.PromptNumber(row); k != 0 {
		return s.previews.at(int(k) - 1)
	}
	return ""
}
