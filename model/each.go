package model

import (
	"context"
	"runtime"
	"sync"
)

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

// InParallel calls do with each index below n, on all processors, and returns one of its errors.
func InParallel(ctx context.Context, n int, do func(int) error) error {
	workers := min(n, runtime.GOMAXPROCS(0))
	errs := make([]error, workers+1)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil && ctx.Err() == nil; i += workers {
				errs[w] = do(i)
			}
		})
	}
	wg.Wait()
	errs[workers] = ctx.Err()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
