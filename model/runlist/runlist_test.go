package runlist

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)

func run(name string, minutes int) Run {
	return Run{ID: name, Name: name, LastWrite: now.Add(-time.Duration(minutes) * time.Minute)}
}

func names(l List, rows []int) (all []string) {
	for _, i := range rows {
		all = append(all, l.Runs()[i].Name)
	}
	return all
}

// The current directory comes before other places, the fresh before the old, and of other places what
// was opened last.
func TestOrder(t *testing.T) {
	old, fresh := run("/old", 1), run("/fresh", 500)
	old.Elsewhere, old.Opened = true, now.Add(-9*time.Hour)
	fresh.Elsewhere, fresh.Opened = true, now.Add(-time.Hour)
	l := List{}.Add(old, run("b", 90), fresh).Add(run("a", 3), run("c", 90))
	if diff := cmp.Diff([]string{"a", "b", "c", "/fresh", "/old"}, names(l, l.Match(""))); diff != "" {
		t.Error(diff)
	}
}

// A run that is found and was opened before is one run, whichever is known first.
func TestRunsAreMerged(t *testing.T) {
	opened := run("x", 5)
	opened.Elsewhere, opened.Opened, opened.Name = true, now, "~/x"
	for _, l := range []List{List{}.Add(opened, run("x", 5)), List{}.Add(run("x", 5), opened)} {
		if len(l.Runs()) != 1 || l.Runs()[0].Elsewhere || !l.Runs()[0].Opened.Equal(now) || l.Runs()[0].Name != "x" {
			t.Errorf("%+v", l.Runs())
		}
	}
	again := List{}.Add(run("x", 500)).Add(run("x", 1))
	if got := again.Runs()[0].LastWrite; !got.Equal(now.Add(-time.Minute)) {
		t.Errorf("found again, it was written %s", got)
	}
}

func TestMatch(t *testing.T) {
	l := List{}.Add(run("runs/qwen-math/rollouts", 1), run("runs/math", 2), run("aftermath", 3), run("m/a/t/h", 4), run("other", 5))
	l.runs[4].Format = "trl"
	for query, want := range map[string]string{
		"math": "runs/qwen-math/rollouts runs/math aftermath",
		"MATH": "runs/qwen-math/rollouts runs/math aftermath",
		"qm":   "runs/qwen-math/rollouts",
		"trl":  "other",
		"zzz":  "",
		"m/th": "m/a/t/h",
	} {
		if got := strings.Join(names(l, l.Match(query)), " "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	if got := strings.Join(names(l, l.Match("math qwen")), " "); got != "runs/qwen-math/rollouts" {
		t.Errorf("two words: %s", got)
	}
}

func TestAge(t *testing.T) {
	for ago, want := range map[time.Duration]string{
		-time.Hour: "now", 59 * time.Second: "now", 60 * time.Second: "1 min ago", 59*time.Minute + 59*time.Second: "59 min ago",
		time.Hour: "1 h ago", 47 * time.Hour: "47 h ago", 48 * time.Hour: "2 days ago", 99 * 24 * time.Hour: "99 days ago",
		200 * 24 * time.Hour: now.Add(-200 * 24 * time.Hour).Local().Format(time.DateOnly),
	} {
		at := now.Add(-ago)
		if got := Age(at, now); got != want {
			t.Errorf("%s ago: %q, want %q", ago, got, want)
		}
		next := NextAge(at, now)
		if next.IsZero() {
			if ago < 100*24*time.Hour {
				t.Errorf("%s ago: it never changes", ago)
			}
			continue
		}
		if before := Age(at, next.Add(-time.Second)); !next.After(now) || before != want || Age(at, next) == want {
			t.Errorf("%s ago: %q until %s, then %q", ago, before, next, Age(at, next))
		}
	}
	if Age(time.Time{}, now) != "" || !NextAge(time.Time{}, now).IsZero() {
		t.Error("an unknown time has an age")
	}
}

func TestExtent(t *testing.T) {
	for want, r := range map[string]Run{
		"steps 3–40":   {HasSteps: true, FirstStep: 3, LastStep: 40, Files: 38},
		"step 0":       {HasSteps: true, Files: 1},
		"1200 samples": {Samples: 1200, Files: 1},
		"300 files":    {Files: 300},
		"":             {Files: 1, Size: 5},
	} {
		if got := r.Extent(); got != want {
			t.Errorf("%+v: %q, want %q", r, got, want)
		}
	}
}

// The table is aligned, and names cannot write to the terminal.
func TestWrite(t *testing.T) {
	evil := run("e\x1b[31mvil\n", 300)
	evil.Format, evil.Size = "trl", 2_000_000
	var b strings.Builder
	if err := (List{}).Add(run("runs/a", 3), evil).Write(&b, now); err != nil {
		t.Fatal(err)
	}
	want := `path         format  how much  size    last write  opened
runs/a       —       —         —       3 min ago   —
e␛[31mvil␊   trl     —         2.0 MB  5 h ago     —
`
	got := b.String()
	if strings.ContainsAny(got, "\x1b") || strings.Count(got, "\n") != 3 || !strings.Contains(got, "runs/a ") || !strings.Contains(got, "2.0 MB") {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
