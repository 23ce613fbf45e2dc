package estimators

// classesOf are samples with equal keys, in the order in which the keys first come.
type classesOf[K comparable] struct {
	of      []int32 // of each sample, -1 if it has none
	offsets []int32 // class k is members[offsets[k]:offsets[k+1]]
	members []int32 // samples, in batch order within a class

	seen map[K]int32
}

// sort deals n samples into classes; key returns the key of a sample, ok is false if it has none.
func (c *classesOf[K]) sort(n int, key func(i int) (k K, ok bool)) {
	if c.seen == nil {
		c.seen = map[K]int32{}
	}
	clear(c.seen)
	c.of, c.members = resize(c.of, n), resize(c.members, n)
	c.offsets = append(c.offsets[:0], 0)
	for i := range n {
		c.of[i] = -1
		if x, ok := key(i); ok {
			k, known := c.seen[x]
			if !known {
				k = int32(len(c.seen))
				c.seen[x] = k
				c.offsets = append(c.offsets, 0)
			}
			c.of[i] = k
			c.offsets[k+1]++
		}
	}
	c.deal()
}

// deal fills in the members; offsets[k+1] is the size of class k.
func (c *classesOf[K]) deal() {
	for k := 1; k < len(c.offsets); k++ {
		c.offsets[k] += c.offsets[k-1]
	}
	last := len(c.offsets) - 1
	n := c.offsets[last]
	for i := len(c.of) - 1; i >= 0; i-- { // from behind: offsets[k+1] is the end of class k and becomes its start
		if k := c.of[i]; k >= 0 {
			c.offsets[k+1]--
			c.members[c.offsets[k+1]] = int32(i)
		}
	}
	copy(c.offsets, c.offsets[1:])
	c.offsets[last], c.members = n, c.members[:n]
}

// count returns the number of classes.
func (c *classesOf[K]) count() int { return len(c.offsets) - 1 }

// class returns the samples of class k.
func (c *classesOf[K]) class(k int) []int32 { return c.members[c.offsets[k]:c.offsets[k+1]] }
