package commands

import (
	"fmt"

	"github.com/spf13/pflag"

	"vantage/model/query"
)

// whereFlag selects what a command counts by a query.
type whereFlag struct {
	text string
	of   string // what is selected: "samples" or "groups"
}

// addTo declares --where.
func (w *whereFlag) addTo(flags *pflag.FlagSet) {
	doc := "only " + w.of + " that match this query, as in the filter of the screen: fate:alive sample.length>4000"
	if w.of == "groups" {
		doc += "; a group matches if one of its samples does"
	}
	flags.StringVar(&w.text, "where", "", doc)
}

// parse returns the query, which matches everything without the flag.
func (w *whereFlag) parse() (query.Query, error) {
	q, err := query.Parse(w.text)
	if err != nil {
		return q, Usage(fmt.Errorf("--where: %w", err))
	}
	return q, nil
}

// nothing is the error of a query that matches nothing.
func (w *whereFlag) nothing() error {
	return fmt.Errorf("--where %q matches no %s of these steps under these settings", w.text, w.of)
}
