package commands

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vantage/loaders/storage"
	"vantage/loaders/storage/cache"
	"vantage/loaders/userfiles"
	"vantage/model/units"
)

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
	dir string
	cache.Usage
	cleared bool
}

func (p *Program) cache() *cobra.Command {
	format := newFormatFlag("text", cacheText).or("json", cacheJSON)
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
			u := cacheUsage{dir: d.CacheDir()}
			switch {
			case len(args) == 0:
				u.Usage = cache.Measure(u.dir)
			case args[0] == "clear":
				u.cleared = true
				if u.Usage, err = cache.Clear(u.dir); err != nil {
					return fmt.Errorf("the cache cannot be cleared: %w", err)
				}
			default:
				return Usage(fmt.Errorf("cache knows no %q: give clear, or nothing", args[0]))
			}
			return write(p.output(cmd.Context(), format.name), u)
		},
	}
	format.addTo(cmd)
	return cmd
}

func cacheText(w io.Writer, u cacheUsage) error {
	what := "kept"
	if u.cleared {
		what = "cleared"
	}
	_, err := fmt.Fprintf(w, "%-8s  %s\n%-8s  %s in %s\n", "folder", u.dir, what, units.Bytes(u.Bytes), units.Plural(u.Blocks, "blocks"))
	return err
}

func cacheJSON(w io.Writer, u cacheUsage) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Schema  string `json:"schema"`
		Folder  string `json:"folder"`
		Bytes   int64  `json:"bytes"`
		Blocks  int    `json:"blocks"`
		Cleared bool   `json:"cleared"`
	}{"vantage/cache@1", u.dir, u.Bytes, u.Blocks, u.cleared})
}
