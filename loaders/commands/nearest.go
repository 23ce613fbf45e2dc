package commands

import "vantage/model/fuzzy"

// orMeant returns " (did you mean NAME?)" for the nearest of some names, "" if none is near.
func orMeant(word string, names []string) string {
	if name := fuzzy.Nearest(word, names); name != "" {
		return " (did you mean " + name + "?)"
	}
	return ""
}

// didYouMean returns ": did you mean NAME?" for the nearest of some names, "" if none is near.
func didYouMean(word string, names []string) string {
	if name := fuzzy.Nearest(word, names); name != "" {
		return ": did you mean " + name + "?"
	}
	return ""
}
