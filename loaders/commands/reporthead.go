package commands

import (
	"os"
	"strconv"
	"time"

	"vantage/model/report"
)

// newHead says what a report of the paths is of.
func newHead(paths []string) report.Head {
	return report.Head{Path: Title(paths), Date: outputDate(), Version: ReadBuildInfo().Version}
}

// outputDate is the date that outputs carry: SOURCE_DATE_EPOCH, in seconds since 1970, if it is set, so that
// the same run gives the same bytes (reproducible-builds.org/specs/source-date-epoch); else the time now.
func outputDate() time.Time {
	if n, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(n, 0)
	}
	return time.Now()
}
