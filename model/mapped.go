package model

// Mapped returns what becomes of each element.
func Mapped[T, R any](all []T, of func(T) R) []R {
	each := make([]R, len(all))
	for i, one := range all {
		each[i] = of(one)
	}
	return each
}
