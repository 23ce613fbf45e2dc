package commands

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/loaders"
	"vantage/loaders/storage/cache"
	"vantage/loaders/userfiles"
	"vantage/model"
	"vantage/model/trainer"
	"vantage/model/units"
)

// buildInfo describes the build of the program.
type buildInfo struct {
	Schema   string `json:"schema"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Date     string `json:"date,omitempty"`     // of the revision
	Modified bool   `json:"modified,omitempty"` // the sources differed from the revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Tags     string `json:"tags,omitempty"`
}

// readBuildInfo reads what the Go tool has embedded in the program.
func readBuildInfo() buildInfo {
	b := buildInfo{Schema: "vantage/version@1", Version: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
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

func (p *program) version() *cobra.Command {
	return command[func(io.Writer, buildInfo) error]{
		use:    "version",
		short:  "Print the version and build",
		args:   noArguments,
		format: newFormatFlag("text", buildText).or("json", writeObject[buildInfo]),
		run: func(ctx context.Context, _ *call, write func(io.Writer, buildInfo) error) error {
			return write(p.output(ctx, "text"), readBuildInfo())
		},
	}.build(p)
}

func buildText(w io.Writer, b buildInfo) error {
	_, err := fmt.Fprintf(w, "vantage   %s\nrevision  %s\ndate      %s\ngo        %s\nplatform  %s\n",
		b.Version, cmp.Or(b.Revision, "unknown"), cmp.Or(b.Date, "unknown"), b.Go, b.Platform)
	if err == nil && b.Tags != "" {
		_, err = fmt.Fprintf(w, "tags      %s\n", b.Tags)
	}
	return err
}

func writeObject[T any](w io.Writer, value T) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func (p *program) userConfig() *cobra.Command {
	return command[any]{
		use:   "config",
		short: "Print a sample configuration for the screen, and its path",
		args:  noArguments,
		run: func(ctx context.Context, c *call, _ any) error {
			path, err := userfiles.ConfigPath()
			if err == nil {
				_, err = fmt.Fprintf(c.output(ctx), "# %s\n%s", path, userfiles.SampleConfig)
			}
			return err
		},
	}.build(p)
}

func (p *program) storageOptions() (loaders.StorageOptions, error) {
	o := loaders.StorageOptions{Endpoint: p.endpoint}
	size, err := parseBytes(cmp.Or(p.cacheSize, "1GB"))
	if err != nil {
		return o, usage(err)
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
}{
	{"KIB", 1 << 10},
	{"MIB", 1 << 20},
	{"GIB", 1 << 30},
	{"TIB", 1 << 40},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"K", 1e3},
	{"M", 1e6},
	{"G", 1e9},
	{"T", 1e12},
	{"B", 1},
	{"", 1},
}

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
	return 0, fmt.Errorf("--cache %q is not a size: write 500MB, 2GB, or 0 to keep nothing", text)
}

type cacheUsage struct {
	Schema  string `json:"schema"`
	Folder  string `json:"folder"`
	Bytes   int64  `json:"bytes"`
	Blocks  int    `json:"blocks"`
	Cleared bool   `json:"cleared"`
}

func (p *program) cache() *cobra.Command {
	return command[func(io.Writer, cacheUsage) error]{
		use:   "cache [clear]",
		short: "Show or clear the download cache (buckets and Hugging Face)",
		long: `cache prints the folder and the size of the download cache for buckets and the Hugging
Face Hub. When it grows beyond --cache, the files that were unused for longest are removed
first. clear empties it. Access keys are never kept there.`,
		example: `vantage cache
vantage cache clear`,
		args:      cobra.MaximumNArgs(1),
		validArgs: []string{"clear"},
		format:    newFormatFlag("text", cacheText).or("json", writeObject[cacheUsage]),
		run: func(ctx context.Context, c *call, write func(io.Writer, cacheUsage) error) error {
			d, err := userfiles.Open()
			if err != nil {
				return err
			}
			dir, clears := d.CacheDir(), len(c.args) > 0
			defer c.p.disk.During(dir)()
			var kept cache.Usage
			switch {
			case !clears:
				kept = cache.Measure(dir)
			case c.args[0] != "clear":
				return usage(fmt.Errorf("cache knows no %q: give clear, or nothing", c.args[0]))
			default:
				if kept, err = cache.Clear(dir); err != nil {
					return fmt.Errorf("the cache cannot be cleared: %w", err)
				}
			}
			return write(c.output(ctx), cacheUsage{
				Schema: "vantage/cache@1", Folder: dir, Bytes: kept.Bytes, Blocks: kept.Blocks, Cleared: clears,
			})
		},
	}.build(p)
}

func cacheText(w io.Writer, u cacheUsage) error {
	what := "kept"
	if u.Cleared {
		what = "cleared"
	}
	_, err := fmt.Fprintf(w, "%-8s  %s\n%-8s  %s in %s\n", "folder", u.Folder, what, units.Bytes(u.Bytes), units.Plural(u.Blocks, "blocks"))
	return err
}

// checkDialect refuses a name of which there is no trainer with options.
func checkDialect(name string) error {
	if _, known := trainer.Find(name); !known {
		return usage(fmt.Errorf("cannot write settings for %q: choose one of %s", name, strings.Join(trainer.Names(), ", ")))
	}
	return nil
}

// writeDialect writes settings as options of a trainer, whose name was checked.
func writeDialect(w io.Writer, name string, set model.Settings) error {
	d, _ := trainer.Find(name)
	_, err := fmt.Fprintln(w, strings.Join(d.Emit(set), "\n"))
	return err
}
