package leftout

import (
	"errors"
	"fmt"
)

// Err is the error of what the small build cannot do.
var Err = errors.New("this is the small build of vantage (-tags lean)")

// Error says what the small build lacks, as "which writes no Parquet files".
func Error(which string) error {
	return fmt.Errorf("%w, %s: take the whole build", Err, which)
}
