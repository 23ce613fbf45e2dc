package commands

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/loaders/storage"
	"vantage/loaders/storage/cache"
	"vantage/loaders/userfiles"
	"vantage/model"
	"vantage/model/trainer"
	"vantage/model/units"
)

// BuildInfo describes the build of the program.
type BuildInfo struct {
	Schema   string `json:"schema"`
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
	b := BuildInfo{Schema: "vantage/version@1", Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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
	format := newFormatFlag("text", buildText).or("json", writeObject[BuildInfo])
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version and build",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			write, err := format.writer("version")
			if err != nil {
				return err
			}
			return write(p.output(cmd.Context(), "text"), ReadBuildInfo())
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

// writeObject writes a value that names its schema as an indented object.
func writeObject[T any](w io.Writer, value T) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func (p *Program) userConfig() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print a sample configuration of the screen, with the path where it is read",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			path, err := userfiles.ConfigPath()
			if err == nil {
				_, err = fmt.Fprintf(p.output(cmd.Context(), "text"), "# %s\n%s", path, userfiles.SampleConfig)
			}
			return err
		},
	}
}

// storageOptions returns how storages are reached, by the flags.
func (p *Program) storageOptions() (storage.Options, error) {
	o := storage.Options{Endpoint: p.endpoint}
	size, err := parseBytes(cmp.Or(p.cacheSize, "1GB"))
	if err != nil {
		return o, Usage(err)
	}
	if d, err := userfiles.Open(); err == nil && size > 0 { // without a home directory nothing is kept
		o.CacheDir, o.CacheBytes = d.CacheDir(), size
	}
	return o, nil
}

// byteUnits are the units of sizes; K is 1000, as disks are sold, and Ki 1024.
var byteUnits = []struct {
	name  string
	bytes float64
}{{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1}, {"", 1}}

// parseBytes reads a size: 500MB, 1.5 GB, 0.
func parseBytes(text string) (int64, error) {
	for _, unit := range byteUnits {
		number, ok := strings.CutSuffix(strings.ToUpper(strings.TrimSpace(text)), unit.name)
		if !ok {
			continue
		}
		if x, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil && x >= 0 && x*unit.bytes < 1e18 {
			return int64(x * unit.bytes), nil
		}
		break
	}
	return 0, fmt.Errorf("--cache %q is no size: write 500MB, 2GB, or 0 to keep nothing", text)
}

// cacheUsage is what is kept.
type cacheUsage struct {
	Schema  string `json:"schema"`
	Folder  string `json:"folder"`
	Bytes   int64  `json:"bytes"`
	Blocks  int    `json:"blocks"`
	Cleared bool   `json:"cleared"`
}

func (p *Program) cache() *cobra.Command {
	format := newFormatFlag("text", cacheText).or("json", writeObject[cacheUsage])
	cmd := &cobra.Command{
		Use:   "cache [clear]",
		Short: "Print where what was read from buckets and the Hub is kept, and how much, or clear it",
		Long: `cache prints the folder of what was read from buckets and the Hugging Face Hub, and how
much it holds. When that is more than --cache allows, what was not read for the longest time is
removed first. clear removes all of it, and nothing else. Access keys are never kept there.`,
		Example: `vantage cache
vantage cache clear`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: []string{"clear"},
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := format.writer("cache")
			if err != nil {
				return err
			}
			d, err := userfiles.Open()
			if err != nil {
				return err
			}
			dir, clears := d.CacheDir(), len(args) > 0
			var kept cache.Usage
			switch {
			case !clears:
				kept = cache.Measure(dir)
			case args[0] != "clear":
				return Usage(fmt.Errorf("cache knows no %q: give clear, or nothing", args[0]))
			default:
				if kept, err = cache.Clear(dir); err != nil {
					return fmt.Errorf("the cache cannot be cleared: %w", err)
				}
			}
			return write(p.output(cmd.Context(), format.name), cacheUsage{"vantage/cache@1", dir, kept.Bytes, kept.Blocks, clears})
		},
	}
	format.addTo(cmd)
	return cmd
}

func cacheText(w io.Writer, u cacheUsage) error {
	what := "kept"
	if u.Cleared {
		what = "cleared"
	}
	_, err := fmt.Fprintf(w, "%-8s  %s\n%-8s  %s in %s\n", "folder", u.Folder, what, units.Bytes(u.Bytes), units.Plural(u.Blocks, "blocks"))
	return err
}

func (p *Program) flags() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "flags FRAMEWORK [algorithm.key=value...]",
		Short: "Print settings as a trainer's options",
		Long: `flags prints the options of a trainer's configuration, or the call, for the given
settings. Frameworks: ` + strings.Join(trainer.Names(), ", ") + `.`,
		Example: `vantage flags easyr1 --keep-pos-ratio 0.7 --keep-neg-ratio 0.5 --compute-new-adv
vantage flags twinkle --framework twinkle --scale batch`,
		Args:      cobra.ArbitraryArgs,
		ValidArgs: trainer.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, set, err := p.Configure(args)
			if err != nil {
				return err
			}
			if len(names) != 1 {
				return Usage(fmt.Errorf("flags takes one framework: %s", strings.Join(trainer.Names(), ", ")))
			}
			d, err := findDialect(names[0])
			if err == nil {
				p.noteConfig("text")
				err = writeDialect(p.output(cmd.Context(), "text"), d, set)
			}
			return err
		},
	}
	p.AddFlags(cmd, arithmetic)
	cmd.Flags().AddFlag(p.sharedFlags()[model.AboutGroups].Lookup("num-generations"))
	return cmd
}

// findDialect returns the dialect of a framework.
func findDialect(name string) (trainer.Dialect, error) {
	d, ok := trainer.Find(name)
	if !ok {
		return d, Usage(fmt.Errorf("cannot write settings for %q: choose one of %s", name, strings.Join(trainer.Names(), ", ")))
	}
	return d, nil
}

// writeDialect writes settings as the options of a trainer.
func writeDialect(w io.Writer, d trainer.Dialect, set model.Settings) error {
	_, err := fmt.Fprintln(w, strings.Join(d.Emit(set), "\n"))
	return err
}
