package scalars

import (
	"fmt"

	"vantage/model/diagnosis"
)

// What the averages tell of the data: prompts that become longer, or a level of difficulty that the trainer logs. A model that becomes
// worse changes neither.

// When the data are other ones from a step on.
const (
	otherData = 1.25 // times the figure before
	dataRare  = 1e-4 // chance of such a difference
)

// Words of a figure of the data: how long prompts are, and how hard a curriculum makes them.
var (
	promptWords     = list("prompt prompts question questions input inputs")
	lengthWords     = list("length lengths len tokens")
	difficultyWords = list("difficulty curriculum stage level")
)

// isOfData reports whether a series is a figure of the data by its name.
func isOfData(x *Series) bool {
	words := wordsOf(x.Name)
	isLength := hasAny(words, promptWords) && hasAny(words, lengthWords)
	isExtreme := hasAny(words, list("max min total clip ratio"))
	return x.Means == "" && !isExtreme && (isLength || hasAny(words, difficultyWords))
}

// blameData makes a watch of a fall at about which the data changed, at once or until the end, and says how.
func (r *run) blameData(f *diagnosis.Finding, c *course, since int) {
	for i := range r.Series {
		if x := &r.Series[i]; !isOfData(x) || len(x.Values) < leastPoints {
			continue
		}
		d := newCourse(&r.Series[i])
		n, at := len(d.values), d.at(c.steps[since])
		before := [2]int{max(0, at-2*d.window), max(0, at-d.window/2)}
		for _, after := range [][2]int{{at, min(n, at+2*d.window)}, {max(at, n-2*d.window), n}} {
			if !d.differs(before, after) {
				continue
			}
			e := d.evidence(d.name(), false, before, after)
			f.Severity, f.Evidence = diagnosis.Watch, append(f.Evidence, e)
			f.Title += fmt.Sprintf(", as the data change: %s %s", d.name(), arrow(e.Before, e.After))
			f.Advice = "look first whether the prompts became harder at about this step, as in a curriculum or a new file of " +
				"data; if they did not, go back to a checkpoint before the onset"
			return
		}
	}
}

// differs reports whether the values of two stretches differ by what makes other data, and not by chance.
func (c *course) differs(before, after [2]int) bool {
	was, is := c.values[before[0]:before[1]], c.values[after[0]:after[1]]
	if p, _ := Differ(was, is); p > dataRare {
		return false
	}
	a, b := diagnosis.Median(was), diagnosis.Median(is)
	return a > 0 && b > 0 && max(a/b, b/a) >= otherData
}
