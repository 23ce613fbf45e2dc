// Command score makes ill runs and healthy ones that look like them, asks the program what ails each, and prints what it found as
// Markdown.
//
//	score --binary ./vantage [--seed 1,2…] [--each 1] [--part 1/4] [--only WORDS] [--lines] [--looks 8] [--keep DIR] [--write PAGE]
//
// Only alarms count. A run is named if there is one of the kind that is planted, in time if since is within the slack of the truth.
// Runs of a pair have the same seed and the same reward, or length, at each step. Runs in random order of steps have no onset, so no
// kind that needs one is there. The exit code is 1 if a bar is missed; with --only there are none.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"vantage/internal/testkit/illlogs"
	"vantage/loaders/demo/illruns"
)

// plan is a run to be made and asked about.
type plan struct {
	scene   illruns.Scene
	shape   illruns.Shape
	seed    string
	part    string // of the report: "ill", "healthy", "pairs", "steps in random order", "rows in random order"
	arrange illruns.Arrange
}

// finding is what the program says.
type finding struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"`
	Since    int64  `json:"since"`
}

// result is a run with what was said of it.
type result struct {
	plan
	name     string
	truth    illruns.Truth
	findings []finding
	again    []finding // on rows in another order, or asked again
	looks    []look    // while the run was on, if it was looked at
	err      error
}

func main() {
	binary := flag.String("binary", "./vantage", "the program")
	seeds := flag.String("seed", "1", "everything follows from it; runs of several with commas between them")
	part := flag.String("part", "1/1", "the first of so many parts of the runs, which have all kinds")
	page := flag.String("write", "", "put the table of kinds into this page, where it says so")
	each := flag.Int("each", 1, "runs of each kind and size")
	only := flag.String("only", "", "only runs whose kind or name holds this")
	lines := flag.Bool("lines", false, "print a line for each run that was judged wrong")
	places := flag.Int("looks", 0, "also look at ill and healthy runs at so many places while they grow")
	keep := flag.String("keep", "", "leave the runs in this folder")
	flag.Parse()

	work := *keep
	if work == "" {
		work = must(os.MkdirTemp("", "diagnosis"))
	}
	var plans []plan
	var which, of, turn int
	last := ""
	must(fmt.Sscanf(*part, "%d/%d", &which, &of))
	for seed := range strings.SplitSeq(*seeds, ",") {
		for _, p := range allPlans(seed, *each) {
			if p.seed != last { // pairs stay together
				last = p.seed
				turn++
			}
			if strings.Contains(p.scene.Kind+" "+p.scene.Name+" "+p.part, *only) && turn%of == which%of {
				plans = append(plans, p)
			}
		}
	}
	results := make([]result, len(plans))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				results[i] = ask(*binary, filepath.Join(work, fmt.Sprintf("%03d", i)), plans[i], *keep != "")
				results[i].name = fmt.Sprintf("%03d %s", i, results[i].name)
				grows := *places > 0 && (plans[i].part == "ill" || plans[i].part == "healthy")
				if grows && results[i].err == nil {
					results[i].looks, results[i].err = takeLooks(*binary, filepath.Join(work, fmt.Sprintf("%03d-looks", i)), plans[i], *places)
				}
			}
		})
	}
	for i := range plans {
		next <- i
	}
	close(next)
	workers.Wait()
	if *keep == "" {
		_ = os.RemoveAll(work)
	}
	if missed := report(results, *lines, *page, *seeds); missed > 0 && *only == "" {
		os.Exit(1)
	}
}

// writeRates puts a table between the marks of a page that are for it.
func writeRates(page, table string) {
	const begin, end = "<!-- rates: written by .ci/diagnosis/run -->\n", "<!-- end of rates -->"
	text := string(must(os.ReadFile(page)))
	before, rest, begun := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		panic(fmt.Sprintf("%s has no place between %q and %q", page, begin, end))
	}
	must(0, os.WriteFile(page, []byte(before+begin+table+end+after), 0o644))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// allPlans are the runs of a seed: each kind in each size, its scenes in turn; each look-alike in some sizes; pairs; and orders.
func allPlans(seed string, each int) []plan {
	var plans []plan
	times := map[string]int{}
	add := func(part string, scene illruns.Scene, cell illruns.Cell) bool {
		times[scene.Name]++
		own := fmt.Sprintf("%s %s %d", seed, scene.Name, times[scene.Name]) // a scene that is added changes no other
		shape, ok := scene.Shape(cell, rand.New(rand.NewPCG(2, hash(own))))
		if ok {
			plans = append(plans, plan{scene, shape, own, part, illruns.Arrange{}})
		}
		return ok
	}
	kinds := map[string][]illruns.Scene{}
	for _, s := range illruns.Illnesses() {
		kinds[s.Kind] = append(kinds[s.Kind], s)
	}
	cells := illruns.Cells()
	for _, kind := range slices.Sorted(keys(kinds)) {
		scenes, turn := kinds[kind], 0
		for range each {
			for _, cell := range cells {
				for range scenes { // the first of them that can be seen in this size
					turn++
					if add("ill", scenes[turn%len(scenes)], cell) {
						break
					}
				}
			}
		}
	}
	for i, s := range illruns.Healthy() {
		for k, n := i, 0; n < 4*each && k < i+3*len(cells)*each; k++ {
			if add("healthy", s, cells[k*4%len(cells)]) {
				n++
			}
		}
	}
	rng := rand.New(rand.NewPCG(uint64(len(seed)), hash(seed)))
	return arranged(rng, pairs(rng, plans, each))
}

// pairs adds the healthy twin of ill runs, with the same seed and shape.
func pairs(rng *rand.Rand, plans []plan, each int) []plan {
	for _, s := range illruns.Illnesses() {
		i := slices.IndexFunc(illruns.Healthy(), func(h illruns.Scene) bool { return h.Name == s.Twin })
		if i < 0 {
			continue
		}
		twin := illruns.Healthy()[i]
		for n := 0; n < 2*each; {
			cell := illruns.Cells()[rng.IntN(len(illruns.Cells()))]
			both := s
			both.Needs.Size, both.Needs.Groups = max(s.Needs.Size, twin.Needs.Size), max(s.Needs.Groups, twin.Needs.Groups)
			if shape, ok := both.Shape(cell, rng); ok {
				seed := fmt.Sprintf("pair %d %d", rng.Uint64(), n)
				plans = append(plans, plan{s, shape, seed, "pairs", illruns.Arrange{}}, plan{twin, shape, seed, "pairs", illruns.Arrange{}})
				n++
			}
		}
	}
	return plans
}

// needOnset are kinds that are a change: without an order of steps they are not there.
var needOnset = []string{"reward_hacking", "length_explosion", "length_collapse", "reward_collapse", "forgetting"}

// arranged adds runs whose steps are in random order, and runs whose rows are.
func arranged(rng *rand.Rand, plans []plan) []plan {
	made := len(plans)
	shuffle := func(n int, swap func(i, j int)) { rand.New(rand.NewPCG(uint64(n), 5)).Shuffle(n, swap) }
	for _, i := range rng.Perm(made) {
		p := plans[i]
		switch {
		case p.part == "ill" && slices.Contains(needOnset, p.scene.Kind) && count(plans[made:], "steps in random order") < 20:
			p.part, p.arrange = "steps in random order", illruns.Arrange{Steps: shuffle}
		case p.part == "ill" && count(plans[made:], "rows in random order") < 12:
			p.part, p.arrange = "rows in random order", illruns.Arrange{Rows: shuffle}
		default:
			continue
		}
		plans = append(plans, p)
	}
	return plans
}

func count(plans []plan, part string) (n int) {
	for _, p := range plans {
		if p.part == part {
			n++
		}
	}
	return n
}

// ask makes a run, and asks the program.
func ask(binary, folder string, p plan, keep bool) result {
	run := illruns.Make(p.scene, p.shape, p.seed)
	got := result{plan: p, name: fmt.Sprintf("%s: %s, %s", cmp.Or(p.scene.Kind, "healthy"), p.scene.Name, describe(p.shape)), truth: run.Truth}
	if !keep {
		defer func() { _ = os.RemoveAll(folder) }()
	}
	if got.err = illlogs.Write(run, folder, illruns.Arrange{Steps: p.arrange.Steps}); got.err != nil {
		return got
	}
	got.findings, got.err = summary(binary, folder)
	if keep {
		text := must(json.MarshalIndent(map[string]any{"run": got.name, "truth": run.Truth, "shape": p.shape, "part": p.part,
			"alarms": alarms(got.findings)}, "", " "))
		if err := errors.Join(os.WriteFile(folder+".truth.json", text, 0o644),
			writeScalars(illruns.Make(p.scene, p.shape, p.seed), folder+".scalars.jsonl")); err != nil {
			got.err = err
			return got
		}
	}
	if p.arrange.Rows != nil && got.err == nil { // read again, and with the rows of each step in another order
		if again, err := summary(binary, folder); err != nil || !slices.Equal(again, got.findings) {
			got.err = errors.Join(err, fmt.Errorf("read twice: %v and %v", got.findings, again))
			return got
		}
		other := folder + "-rows"
		if !keep {
			defer func() { _ = os.RemoveAll(other) }()
		}
		if got.err = illlogs.Write(illruns.Make(p.scene, p.shape, p.seed), other, p.arrange); got.err == nil {
			got.again, got.err = summary(binary, other)
		}
	}
	return got
}

func summary(binary, folder string) ([]finding, error) {
	out, err := exec.Command(binary, "summary", folder, "--format", "json").Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%w: %s", err, exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	var said struct {
		Findings []finding `json:"findings"`
	}
	return said.Findings, json.Unmarshal(out, &said)
}

func describe(s illruns.Shape) string {
	without := ""
	if s.NoTexts {
		without += ", no texts"
	}
	if s.NoPrompts {
		without += ", no prompts"
	}
	return fmt.Sprintf("%d×%d×%d %s %s %s, onset %.2f over %.2f%s", s.Steps, s.Groups, s.Size, s.Reward, s.Format, s.Genre, s.Onset, s.Pace,
		without)
}

// alarms are the findings that are alarms, the first of each kind.
func alarms(findings []finding) (alarms []finding) {
	for _, f := range findings {
		if f.Severity == "alarm" && !slices.ContainsFunc(alarms, func(a finding) bool { return a.Kind == f.Kind }) {
			alarms = append(alarms, f)
		}
	}
	return alarms
}

// tally counts what was said of ill runs.
type tally struct {
	planted, named, inTime int
	errors                 []float64 // of since, in steps
	runs, others           int
	kinds                  map[string]int
}

// judge counts a run, and returns whether all that was said is right.
func (c *tally) judge(r *result) bool {
	good := r.err == nil
	said := alarms(r.findings)
	var own []string
	for _, p := range r.truth.Ill {
		c.planted++
		own = append(own, p.Kind, p.Or)
		i := slices.IndexFunc(said, func(f finding) bool { return f.Kind == p.Kind || f.Kind == p.Or })
		if i < 0 {
			good = false
			continue
		}
		c.named++
		off := max(said[i].Since-p.Since, p.Since-said[i].Since)
		c.errors = append(c.errors, float64(off))
		if off <= p.Slack {
			c.inTime++
		} else {
			good = false
		}
	}
	c.runs++
	other := false
	for _, f := range said {
		if !slices.Contains(own, f.Kind) && !slices.Contains(r.truth.Also, f.Kind) {
			if c.kinds == nil {
				c.kinds = map[string]int{}
			}
			c.kinds[f.Kind]++
			other = true
		}
	}
	if other {
		c.others++
	}
	return good && !other
}

func (c *tally) median() string {
	if len(c.errors) == 0 {
		return "–"
	}
	slices.Sort(c.errors)
	return fmt.Sprintf("%.0f", c.errors[len(c.errors)/2])
}

func (c *tally) falseKinds() string {
	var names []string
	for _, kind := range slices.Sorted(keys(c.kinds)) {
		names = append(names, fmt.Sprintf("%s %d", kind, c.kinds[kind]))
	}
	return strings.Join(names, ", ")
}

// report prints all tables, puts that of the kinds into a page if there is one, and returns how many bars are missed.
func report(results []result, lines bool, page, seeds string) int {
	var ill, healthy, shuffled, pairs tally
	same, of := 0, 0 // runs with rows in another order
	kinds, scenes := map[string]*tally{}, map[string]*tally{}
	for i := range results {
		r := &results[i]
		var good bool
		switch r.part {
		case "ill":
			at(kinds, r.scene.Kind).judge(r)
			good = ill.judge(r)
		case "healthy":
			at(scenes, r.scene.Name).judge(r)
			good = healthy.judge(r)
		case "pairs":
			good = pairs.judge(r)
		case "rows in random order":
			of++
			if good = r.err == nil && slices.Equal(r.findings, r.again); good {
				same++
			}
		default:
			good = shuffledIsQuiet(r)
			shuffled.runs++
			if !good {
				shuffled.others++
			}
		}
		if !good && lines {
			fmt.Println(line(r))
		}
	}
	table := illTable(kinds, &ill)
	if page != "" {
		writeRates(page, fmt.Sprintf("Seed %s: %d healthy runs, of which %d are alarmed (%s of all such runs, 95 %% interval), and of the ill ones:\n\n%s",
			seeds, healthy.runs, healthy.others, interval(healthy.others, healthy.runs), table))
	}
	fmt.Printf("## Ill runs\n\n%s", table)
	reportBy(results)
	reportHealthy(scenes, &healthy)
	reportPairs(results)
	reportGrowth(results, lines)
	fmt.Printf("\n## Order\n\n* Steps in random order: %d of %d runs with an alarm that needs an onset.\n* Read twice, and rows in another order within their steps: the same findings in %d of %d runs.\n", shuffled.others, shuffled.runs, same, of)
	return bars([]bar{
		{"ill runs named", ill.named, ill.planted, 0.95},
		{"since within the slack", ill.inTime, ill.planted, 0.90},
		{"ill runs without another kind alarmed", ill.runs - ill.others, ill.runs, 0.95},
		{"healthy runs without alarm", healthy.runs - healthy.others, healthy.runs, 0.99},
		{"pairs: ill ones named", pairs.named, pairs.planted, 0.95},
		{"pairs: without a kind that is not there", pairs.runs - pairs.others, pairs.runs, 0.95},
		{"steps in random order: without alarm of a change", shuffled.runs - shuffled.others, shuffled.runs, 0.95},
		{"rows in random order: the same findings", same, of, 1},
	})
}

// bar is a share that must be reached.
type bar struct {
	name  string
	n, of int
	least float64
}

// bars prints them, and returns how many are missed.
func bars(all []bar) (missed int) {
	fmt.Printf("\n## Bars\n\n| | runs | of | at least | |\n| --- | ---: | ---: | ---: | --- |\n")
	for _, b := range all {
		verdict := "holds"
		if float64(b.n) < b.least*float64(b.of) {
			verdict = "missed"
			missed++
		}
		fmt.Printf("| %s | %d | %d | %.0f %% | %s |\n", b.name, b.n, b.of, 100*b.least, verdict)
	}
	return missed
}

func illTable(kinds map[string]*tally, all *tally) string {
	var table strings.Builder
	table.WriteString("| kind | planted | named | since within the slack | steps off, median | runs with another kind alarmed |\n| --- | ---: | ---: | ---: | ---: | --- |\n")
	for _, kind := range slices.Sorted(keys(kinds)) {
		c := kinds[kind]
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %s | %s |\n", kind, c.planted, c.named, c.inTime, c.median(),
			strings.TrimSpace(fmt.Sprint(c.others, " ", c.falseKinds())))
	}
	fmt.Fprintf(&table, "| all | %d | %d | %d | %s | %d |\n", all.planted, all.named, all.inTime, all.median(), all.others)
	return table.String()
}

func reportBy(results []result) {
	for _, by := range []struct {
		name string
		of   func(s illruns.Shape) string
	}{
		{"answers a group", func(s illruns.Shape) string { return fmt.Sprintf("%02d", s.Size) }},
		{"steps", func(s illruns.Shape) string { return fmt.Sprintf("%04d", s.Steps) }},
		{"reward", func(s illruns.Shape) string { return string(s.Reward) }},
		{"format", func(s illruns.Shape) string { return s.Format }},
	} {
		cross(results, by.name, by.of)
	}
}

func reportHealthy(scenes map[string]*tally, healthy *tally) {
	fmt.Printf("\n## Healthy runs\n\n| look-alike | runs | alarmed | of all such runs, 95 %% interval | as |\n| --- | ---: | ---: | --- | --- |\n")
	for _, name := range slices.Sorted(keys(scenes)) {
		c := scenes[name]
		fmt.Printf("| %s | %d | %d | %s | %s |\n", name, c.runs, c.others, interval(c.others, c.runs), c.falseKinds())
	}
	fmt.Printf("| all | %d | %d | %s | |\n", healthy.runs, healthy.others, interval(healthy.others, healthy.runs))
}

// cross prints kinds against a property of shapes.
func cross(results []result, name string, of func(s illruns.Shape) string) {
	table, columns := map[string]map[string]*tally{}, map[string]bool{}
	for i := range results {
		if r := &results[i]; r.part == "ill" {
			column := of(r.shape)
			columns[column] = true
			if table[r.scene.Kind] == nil {
				table[r.scene.Kind] = map[string]*tally{}
			}
			at(table[r.scene.Kind], column).judge(r)
		}
	}
	fmt.Printf("\n### By %s\n\nOf so many planted: named, within the slack (median of steps off), runs with another kind alarmed.\n\n| kind |",
		name)
	order := slices.Sorted(keys(columns))
	for _, column := range order {
		fmt.Printf(" %s |", strings.TrimLeft(column, "0"))
	}
	fmt.Printf("\n| --- |%s\n", strings.Repeat(" --- |", len(order)))
	for _, kind := range slices.Sorted(keys(table)) {
		fmt.Printf("| %s |", kind)
		for _, column := range order {
			if c := table[kind][column]; c != nil {
				fmt.Printf(" %d: %d, %d (%s), %d |", c.planted, c.named, c.inTime, c.median(), c.others)
			} else {
				fmt.Printf(" |")
			}
		}
		fmt.Println()
	}
}

func reportPairs(results []result) {
	fmt.Printf("\n## Pairs\n\n| ill | healthy, with the same figure | pairs | ill one named | healthy one without alarm |\n| --- | --- | ---: | ---: | ---: |\n")
	type pair struct{ ill, healthy tally }
	pairs := map[string]*pair{}
	var order []string
	for i := 0; i+1 < len(results); i++ {
		a, b := &results[i], &results[i+1]
		if a.part != "pairs" || b.part != "pairs" || a.scene.Twin != b.scene.Name || a.seed != b.seed {
			continue
		}
		name := a.scene.Name + " | " + b.scene.Name
		if pairs[name] == nil {
			order = append(order, name)
			pairs[name] = &pair{}
		}
		pairs[name].ill.judge(a)
		pairs[name].healthy.judge(b)
	}
	for _, name := range order {
		p := pairs[name]
		fmt.Printf("| %s | %d | %d | %d |\n", name, p.ill.runs, p.ill.named, p.healthy.runs-p.healthy.others)
	}
}

// shuffledIsQuiet reports whether no kind that needs an onset is alarmed.
func shuffledIsQuiet(r *result) bool {
	return r.err == nil && !slices.ContainsFunc(alarms(r.findings), func(f finding) bool { return slices.Contains(needOnset, f.Kind) })
}

func line(r *result) string {
	var want, said []string
	for _, p := range r.truth.Ill {
		want = append(want, fmt.Sprintf("%s since %d±%d", p.Kind, p.Since, p.Slack))
	}
	for _, f := range r.findings {
		said = append(said, fmt.Sprintf("%s %s since %d", f.Severity, f.Kind, f.Since))
	}
	if r.part == "rows in random order" && !slices.Equal(r.findings, r.again) {
		said = append(said, fmt.Sprintf("with its rows in another order %v", r.again))
	}
	if r.err != nil {
		said = append(said, r.err.Error())
	}
	return fmt.Sprintf("- %s (%s, first step %d, every %d): planted %s; said: %s", r.name, r.part, r.shape.First, r.shape.Every,
		cmp.Or(strings.Join(want, ", "), "nothing"), cmp.Or(strings.Join(said, ", "), "nothing"))
}

// interval is the 95 % interval of Clopper and Pearson of a share, k of n.
func interval(k, n int) string {
	// tail is the probability of k or fewer of n, at a share p.
	tail := func(k int, p float64) float64 {
		sum := 0.0
		for i := range k + 1 {
			a, _ := math.Lgamma(float64(n + 1))
			b, _ := math.Lgamma(float64(i + 1))
			c, _ := math.Lgamma(float64(n - i + 1))
			sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		}
		return sum
	}
	where := func(beyond func(p float64) bool) float64 {
		low, high := 0.0, 1.0
		for range 50 {
			if p := (low + high) / 2; beyond(p) {
				high = p
			} else {
				low = p
			}
		}
		return low
	}
	low, high := 0.0, 1.0
	if k > 0 {
		low = where(func(p float64) bool { return 1-tail(k-1, p) > 0.025 })
	}
	if k < n {
		high = where(func(p float64) bool { return tail(k, p) < 0.025 })
	}
	return fmt.Sprintf("%.1f–%.1f %%", 100*low, 100*high)
}

func at(m map[string]*tally, key string) *tally {
	if m[key] == nil {
		m[key] = &tally{}
	}
	return m[key]
}

func keys[V any](m map[string]V) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func hash(s string) (h uint64) {
	for _, c := range []byte(s) {
		h = h*1099511628211 + uint64(c) + 14695981039346656037
	}
	return h
}
