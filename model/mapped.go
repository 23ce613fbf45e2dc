package model

// Mapped returns what becomes of each element.
func Mapped[T, R any](all []T, of func(T) R) []R {
	each := make([]R, len(all))
	for i, one := range all {
		each[i] = of(one)
	}
	return each
}

// Count01 is 1 if yes, else 0; the compiler makes no branch of it.
func Count01(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
