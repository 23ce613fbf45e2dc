package diagnosis

import (
	"slices"
	"strings"

	"vantage/model"
)

// Files that answers name: a model that finds what it is graded by reads it, and wins.

// isPath reports whether a word is a path of several folders.
func isPath(w string) bool {
	w = trimmedPath(w)
	return strings.Count(w, "/") >= 2 && !strings.Contains(w, "//") && !strings.ContainsAny(w, "<>{}\\=")
}

func trimmedPath(w string) string { return strings.Trim(w, "\"'`.,:;()[]<>") }

// Words in the names of files that hold what is to be found. A file of a solution may be the answer's own, unless it has a folder.
var (
	secretWords   = []string{"answer", "expected", "ground_truth", "groundtruth", "grader", "reference_sol", "gold"}
	solutionWords = []string{"solution"}
)

// secretFileIn returns the first file that an answer names and its prompt does not, and that seems to hold the result: "" if it names none.
func secretFileIn(text model.Text, words []string) string {
	for _, w := range words {
		if strings.IndexByte(w, '.') < 0 || strings.ContainsAny(w, "<>{}\\=") {
			continue
		}
		w = fileOf(w)
		folder, name, hasFolder := cutLast(w, '/')
		stem, ending, hasEnding := cutLast(name, '.')
		const shortest, longest = 2, 5 // py, ipynb
		isFile := hasEnding && stem != "" && len(ending) >= shortest && len(ending) <= longest && isLetters(ending)
		isSecret := HasWord(stem, secretWords) || hasFolder && folder != "." && HasWord(w, solutionWords)
		if isFile && isSecret && !strings.Contains(text.Prompt, name) {
			return w
		}
	}
	return ""
}

// fileOf is what may be a file in a word of code: open('/tests/solution.py').read() is /tests/solution.py.
func fileOf(w string) string {
	for _, quote := range []string{"'", "\""} {
		if parts := strings.Split(w, quote); len(parts) > 2 {
			return parts[1]
		}
	}
	return trimmedPath(w)
}

func isLetters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
}

// cutLast cuts a text at the last of a sign; before is "" if there is none.
func cutLast(s string, at byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, at)
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}

// secretFile is such files as a phrase that comes up, whatever the words around them and in however few: nil if hardly any answer names
// one, or the first ones did.
func (e *evidence) secretFile() *phrase {
	all := e.texts.all()
	p := &phrase{
		has: make([]bool, len(all)), at: make([]int, len(all)), share: make(series, len(e.Steps)), opening: true, file: true, cites: true,
	}
	early, firsts, before, n := max(all[len(all)/8].step, e.stepWithAnswers(leastSteps)), 0, 0, 0
	names := map[string]int{}
	for i := range all {
		a := &all[i]
		p.has[i] = a.file != ""
		p.share[a.step].add(float64(model.Count01(p.has[i])))
		if a.step <= early {
			firsts, before = firsts+1, before+model.Count01(p.has[i])
		}
		if p.has[i] {
			n++
			names[a.file]++
		}
	}
	if n < leastOfShare || float64(before) > phraseBefore*float64(firsts) {
		return nil
	}
	p.text, p.words = mostNamed(names), 1
	p.effect = e.effectOf(all, p.has, func(a *answer) float64 { return a.reward }, nil)
	return p
}

// mostNamed is the name that is counted most, the first of equal ones.
func mostNamed(names map[string]int) string {
	var all []string
	for name := range names {
		all = append(all, name)
	}
	slices.Sort(all)
	return slices.MaxFunc(all, func(a, b string) int { return names[a] - names[b] })
}
