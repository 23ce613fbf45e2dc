package tui_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vantage/tui"

	"vantage/internal/testkit/repotest"
)

// keyWords matches what names a key of the screen: the letters of the key tables in parentheses or quotes, the names of others, and words
// of the line that : opens.
func keyWords(t *testing.T) *regexp.Regexp {
	t.Helper()
	letters, names := "", []string{"Enter", "Esc", "Tab", "Space"}
	for _, group := range tui.Keys() {
		for _, k := range group.Keys {
			for word := range strings.FieldsSeq(k.Key) {
				if len(word) == 1 && !strings.Contains(letters, word) {
					letters += word
				}
			}
		}
	}
	if len(letters) < 30 {
		t.Fatalf("the key tables have only %q", letters)
	}
	class := "["
	for _, r := range letters {
		class += regexp.QuoteMeta(string(r))
	}
	class = strings.ReplaceAll(class, "-", `\-`) + "]"
	return regexp.MustCompile(`\(` + class + `(, ` + class + `)*\)|[` + "`" + `'“]` + class + `[` + "`" + `'”]|\b[Pp]ress(es|ing)? |\b(` + strings.Join(names, "|") + `)\b|[ (` + "`" + `]:[a-z]{3,}\b|; [A-Z] [a-z]+s |: [A-Z] shows`)
}

// Nothing that is printed where there is no screen names its keys: in CI there are none to press. The logs raise warnings of all sorts.
func TestOutputNamesNoKeys(t *testing.T) {
	t.Parallel()
	dir, keys, script := t.TempDir(), keyWords(t), regexp.MustCompile(`(?s)<(script|style)>.*?</(script|style)>`)
	writeWarningLogs(t, dir)
	settings := []string{"", "--keep-neg-ratio 0.1 --compute-new-adv", "--keep-pos-ratio 0 --keep-neg-ratio 0.6 --compute-new-adv", "--framework verl --keep-pos-ratio 0.3", "--framework trl --group-filter verl/filter_groups", "--compute-new-adv", "--framework verl --overlong verl", "--loss trl/dapo", "--framework twinkle --num-generations 3"}
	for _, log := range []string{"mixed.jsonl", "refusals.jsonl"} {
		for _, set := range settings {
			lines := []string{"report %", "report % --format json", "check % --fail-on killed-groups>0 --fail-on sign-flips>0 --fail-on one-sided-push>0 --fail-on answers-alike>0 --fail-on too-few-kept>0 --junit NAME.xml --prom NAME.prom", "check % --format github"}
			if !strings.Contains(set, "--loss") {
				lines = append(lines, "summary %", "sweep % --keep-pos-ratio 0.5")
			}
			if set == "" {
				lines = append(lines, "report % --format md", "report % --format html", "report % --format csv", "report % --per group", "report % --svg charts-NAME.svg", "check % --format json", "check % --format junit", "report % --brief", "export %", "summary % --json", "why a %", "why %", "plan % --sizes-only", "prompts %", "grep % nothing", "match %", "tail % --idle-timeout 50ms", "compare % %")
			}
			for _, line := range lines {
				name := strings.NewReplacer(" ", "", "%", "", "/", "").Replace(log + set + line)
				args := strings.Fields(strings.NewReplacer("%", log, "NAME", name).Replace(line) + " " + set)
				t.Run(strings.Join(args, " "), func(t *testing.T) {
					repotest.OneIn(t, 30)
					t.Parallel()
					_, out, said := runIn(t, dir, args...)
					text := script.ReplaceAllString(string(out), "") + said
					for _, file := range []string{"charts-" + name + ".svg", name + ".xml", name + ".prom"} {
						if more, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
							text += string(more)
						}
					}
					for _, found := range keys.FindAllStringIndex(text, -1) {
						t.Errorf("%q in …%s…", text[found[0]:found[1]], text[max(0, found[0]-60):min(len(text), found[1]+60)])
					}
				})
			}
		}
	}
	for _, line := range []string{"list estimators", "list filters", "list losses", "list formats", "report --emit verl", "version", "report nowhere.jsonl", "mixed.jsonl"} {
		_, out, said := runIn(t, dir, strings.Fields(line)...)
		if found := keys.FindString(string(out) + said); found != "" && !strings.HasPrefix(found, "(") { // formulas have letters in parentheses
			t.Errorf("vantage %s: %q", line, found)
		}
	}
}

// writeWarningLogs writes a log with groups of all sorts, and one of a model that refuses.
func writeWarningLogs(t *testing.T, dir string) {
	t.Helper()
	var mixed, refusals strings.Builder
	put := func(to *strings.Builder, step, i int, group, answer string, reward any) {
		row, err := json.Marshal(map[string]any{"step": step, "group_id": group, "prompt": "What is " + group + "?", "response": answer, "reward": reward, "response_length": 3 + i, "advantage": 0.25})
		if err != nil {
			t.Fatal(err)
		}
		to.Write(append(row, '\n'))
	}
	for step := 1; step <= 6; step++ {
		for i := range 8 {
			put(&mixed, step, i, "a", "so", float64(i%3)/2)
			put(&mixed, step, i, "b", "so", 0.1)
			put(&mixed, step, i, "c", "so", float64(i/7))
			put(&refusals, step, i, "a", "I can't help with that.", 0)
			put(&refusals, step, i, "b", "I can't help with that, sorry.", 0)
			put(&refusals, step, i, "c", "yes", float64(i%2))
		}
		put(&mixed, step, 0, "d", "so", 1)
		put(&mixed, step, 0, "e", "so", nil)
		put(&mixed, step, 1, "e", "so", 1)
	}
	writeFile(t, filepath.Join(dir, "mixed.jsonl"), mixed.String())
	writeFile(t, filepath.Join(dir, "refusals.jsonl"), refusals.String())
}
