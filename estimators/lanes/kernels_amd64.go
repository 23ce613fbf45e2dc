package lanes

import "golang.org/x/sys/cpu"

// hasAVX2 is a variable for the tests.
var hasAVX2 = cpu.X86.HasAVX2

func loadBlocks(t Tile, x []float64, starts *Starts) (done int, exact bool) {
	if !hasAVX2 || len(t) < block {
		return 0, true
	}
	rounded := loadAVX2(&t[0], &x[0], starts, len(t)/block)
	return len(t) &^ (block - 1), rounded == 0
}

func storeBlocks(dst []float64, starts *Starts, t Tile) (done int) {
	if !hasAVX2 || len(t) < block {
		return 0
	}
	storeAVX2(&dst[0], starts, &t[0], len(t)/block)
	return len(t) &^ (block - 1)
}

func storeMarkBlocks(kept []bool, starts *Starts, marks []Mark) (done int) {
	if !hasAVX2 || len(marks) < block {
		return 0
	}
	storeMarksAVX2(&kept[0], starts, &marks[0], len(marks)/block)
	return len(marks) &^ (block - 1)
}

func normalizeVectors(t Tile, mean, divisor *Vector) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	normalizeAVX2(&t[0], len(t), mean, divisor)
	return true
}

func sumVectors(s *Vector, t Tile, o order) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	sumAVX2(s, &t[0], o.width, o.registers, len(t)-o.width*o.registers)
	return true
}

func squareVectors(to, t Tile, mean *Vector) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	squareAVX2(&to[0], &t[0], len(t), mean)
	return true
}

func stdVectors(std *Vector, t Tile, mean *Vector) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	stdAVX2(std, &t[0], len(t), mean, divisorOf(len(t)))
	return true
}

func welfordVectors(std *Vector, t Tile) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	welfordAVX2(std, &t[0], len(t), divisorOf(len(t)))
	return true
}

func sortVectors(t Tile) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	sortAVX2(&t[0], len(t))
	return true
}

func signsOfVectors(positive, negative *Counts, t Tile) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	signsAVX2(positive, negative, &t[0], len(t))
	return true
}

func selectVectors(marks []Mark, t Tile, largest, smallest *Best) bool {
	if !hasAVX2 || len(t) == 0 {
		return false
	}
	selectAVX2(&marks[0], &t[0], len(t), largest, smallest)
	return true
}

// loadAVX2 loads so many blocks of four values of each group. rounded is not 0 if a value of them
// does not fit float32, or is NaN.
//
//go:noescape
func loadAVX2(t *Vector, x *float64, starts *Starts, blocks int) (rounded int)

//go:noescape
func storeAVX2(dst *float64, starts *Starts, t *Vector, blocks int)

//go:noescape
func storeMarksAVX2(kept *bool, starts *Starts, marks *Mark, blocks int)

//go:noescape
func normalizeAVX2(t *Vector, n int, mean, divisor *Vector)

//go:noescape
func sumAVX2(s, t *Vector, width, registers, rest int)

//go:noescape
func squareAVX2(to, t *Vector, n int, mean *Vector)

//go:noescape
func stdAVX2(std, t *Vector, n int, mean *Vector, divisor float64)

//go:noescape
func welfordAVX2(std, t *Vector, n int, divisor float64)

//go:noescape
func sortAVX2(t *Vector, n int)

//go:noescape
func signsAVX2(positive, negative *Counts, t *Vector, n int)

//go:noescape
func selectAVX2(marks *Mark, t *Vector, n int, largest, smallest *Best)
