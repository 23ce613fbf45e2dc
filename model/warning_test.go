package model

import "testing"

func TestEveryFateHasANameAndADoc(t *testing.T) {
	for _, f := range Fates() {
		if f.String() == "" || f.Doc() == "" {
			t.Errorf("fate %d has no words", int(f))
		}
	}
}
