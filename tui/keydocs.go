package tui

// KeyGroup are the keys that work in one place, as a person reads them.
type KeyGroup struct {
	Name string
	Keys []KeyDoc
}

// KeyDoc is a key, or several that do the same, and what for.
type KeyDoc struct{ Key, Doc string }

// Keys are all keys of the screen, for manuals: the table that the screen obeys.
func Keys() []KeyGroup {
	var all []KeyGroup
	for _, s := range allKeys() {
		g := KeyGroup{Name: s.name}
		for _, b := range s.bindings {
			g.Keys = append(g.Keys, KeyDoc{b.label, b.doc})
		}
		all = append(all, g)
	}
	return all
}
