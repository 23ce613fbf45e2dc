package commands

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// BuildInfo describes the build of the program.
type BuildInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Date     string `json:"date,omitempty"`     // of the revision
	Modified bool   `json:"modified,omitempty"` // the sources differed from the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ReadBuildInfo reads what the Go tool has embedded in the program.
func ReadBuildInfo() BuildInfo {
	b := BuildInfo{Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (p *Program) version() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Tell the version, and what it was built from",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := ReadBuildInfo()
			switch format {
			case "json":
				enc := json.NewEncoder(p.stdout(cmd.Context()))
				enc.SetIndent("", "  ")
				return enc.Encode(b)
			case "text":
			default:
				return Usage(fmt.Errorf("version has no format %q: it has text and json", format))
			}
			_, err := fmt.Fprintf(p.stdout(cmd.Context()), "vantage   %s\nrevision  %s\ndate      %s\ngo        %s\nplatform  %s\n", b.Version, orUnknown(b.Revision), orUnknown(b.Date), b.Go, b.Platform)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	completeFlag(cmd, "format", "text", "json")
	return cmd
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
