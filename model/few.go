package model

// few counts groups and knows the first.
type few struct{ count, example int }

func (f *few) add(at int) {
	if f.count == 0 {
		f.example = at
	}
	f.count++
}

// merge adds what comes behind.
func (f *few) merge(o few) {
	if f.count == 0 {
		f.example = o.example
	}
	f.count += o.count
}
