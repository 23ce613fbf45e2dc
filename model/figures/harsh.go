package figures

import "vantage/model/units"

// The shares below which a sample filter is harsh: of the samples that it keeps, and of the push, Σ|A|, that it leaves.
const (
	harshKept = 0.25
	harshPush = 0.5
)

// HarshFilter says what a sample filter leaves if that is so little that a person should know wherever they look: "harsh: keeps 16%,
// Σ|A| 0.12×". It returns "" if it leaves more, or that is not known. kept is a share of the samples, push of Σ|A| without the filter.
func HarshFilter(kept, push float64) string {
	if isHarsh := kept < harshKept || push < harshPush; !isHarsh {
		return ""
	}
	return "harsh: keeps " + units.Share(kept) + ", Σ|A| " + units.Times(push)
}
