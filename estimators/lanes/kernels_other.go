//go:build !amd64

package lanes

// This processor has no vectors for these; they do nothing and say so.

func loadBlocks(Tile, []float64, *Starts) (done int, exact bool) { return 0, true }
func storeBlocks([]float64, *Starts, Tile) (done int)            { return 0 }
func storeMarkBlocks([]bool, *Starts, []Mark) (done int)         { return 0 }
func normalizeVectors(Tile, *Vector, *Vector) bool               { return false }
func sumVectors(*Vector, Tile, order) bool                       { return false }
func squareVectors(Tile, Tile, *Vector) bool                     { return false }
func stdVectors(*Vector, Tile, *Vector) bool                     { return false }
func welfordVectors(*Vector, Tile) bool                          { return false }
func sortVectors(Tile) bool                                      { return false }
func signsOfVectors(*Counts, *Counts, Tile) bool                 { return false }
func selectVectors([]Mark, Tile, *Best, *Best) bool              { return false }
