package commands

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
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
	Tags     string `json:"tags,omitempty"`
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
		case "-tags":
			b.Tags = s.Value
		}
	}
	return b
}

func (p *Program) version() *cobra.Command {
	format := newFormatFlag("text", buildText).or("json", buildJSON)
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and build",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			write, err := format.writer("version")
			if err != nil {
				return err
			}
			return write(p.stdout(cmd.Context()), ReadBuildInfo())
		},
	}
	format.addTo(cmd)
	return cmd
}

func buildText(w io.Writer, b BuildInfo) error {
	_, err := fmt.Fprintf(w, "vantage   %s\nrevision  %s\ndate      %s\ngo        %s\nplatform  %s\n",
		b.Version, cmp.Or(b.Revision, "unknown"), cmp.Or(b.Date, "unknown"), b.Go, b.Platform)
	if err == nil && b.Tags != "" {
		_, err = fmt.Fprintf(w, "tags      %s\n", b.Tags)
	}
	return err
}

func buildJSON(w io.Writer, b BuildInfo) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema string `json:"schema"`
		BuildInfo
	}{"vantage/version@1", b})
}
