package diagnosis

import "testing"

// Of eight groups of one step seven are of one prompt: as large as the other one they are draws of it, smaller ones are pieces.
func TestPromptsDrawnAgainAreNotTorn(t *testing.T) {
	for _, c := range []struct {
		size  int32 // of the seven
		alone int32 // of the other one; 0: there is none
		usual int32 // in the steps before
		again int
	}{{8, 8, 0, 6}, {9, 8, 0, 6}, {4, 8, 0, 0}, {4, 8, 4, 0}, {1, 1, 0, 0}, {8, 0, 0, 0}, {8, 0, 8, 6}, {4, 0, 8, 0}} {
		s := Observed{ids: 7}
		for range 7 {
			s.Groups = append(s.Groups, GroupFacts{Prompt: 1, N: c.size})
		}
		if c.alone > 0 {
			s.Groups, s.ids = append(s.Groups, GroupFacts{Prompt: 2, N: c.alone}), 8
		}
		if got, _ := s.wholeAgain(c.usual); got != c.again {
			t.Errorf("groups of %d next to one of %d: %d are draws, want %d", c.size, c.alone, got, c.again)
		}
	}
	s := Observed{ids: 9, Groups: make([]GroupFacts, 8)}
	if again, whole := s.wholeAgain(4); again != 0 || whole != 4 {
		t.Error("groups are not those of the ids")
	}
}

// A share ends after its last value, unless so few are left that it may go on.
func TestShareThatEnds(t *testing.T) {
	at := func(from, to, steps int, share float64) (s series) {
		for i := range steps {
			m := Moments{N: 64}
			if i >= from && i < to {
				m.Sum = share * 64
			}
			s = append(s, m)
		}
		return s
	}
	for _, c := range []struct {
		s    series
		want int
	}{
		{at(40, 46, 80, 1), 46},
		{at(40, 80, 80, 1), 80},
		{at(40, 78, 80, 1), 80},    // two steps tell nothing
		{at(40, 76, 80, 0.02), 80}, // 256 values without one: 0.98²⁵⁶ is 0.006, which may be chance
		{at(40, 70, 80, 0.02), 70}, // of 640 it is 2·10⁻⁶
	} {
		if got := c.s.ends(40); got != c.want {
			t.Errorf("it ends before %d, want %d", got, c.want)
		}
	}
}
