package diagnosis

import (
	"maps"
	"slices"
	"strings"

	"vantage/model"
)

// sourceNames are the names of fields that say where a prompt comes from, in the order in which they are asked.
var sourceNames = []string{
	"data_source", "source", "dataset", "dataset_name", "env_name", "env_id", "env", "environment", "scenario", "task_type", "task_name",
	"domain", "subject", "category", "ability", "level", "difficulty", "tags", "task",
}

// SourceOf is where the prompt of a record comes from, by the first of its fields that may say it; "" if none does.
func SourceOf(fields []model.Field) string {
	telling := tellingFields(fields)
	for _, name := range sourceNames {
		if i := slices.IndexFunc(telling, func(f model.Field) bool { return f.Name == name }); i >= 0 {
			return telling[i].Value
		}
	}
	return ""
}

// maxSources is how many sources a run has at most: a field with more values numbers prompts.
const maxSources = 24

// takeFields notes what the other fields of a record say: the source of the prompt, and whether the answer was cut off.
func (t *Texts) takeFields(p Pick, fields []model.Field) (cut bool) {
	for _, f := range fields {
		if f == cutOff {
			cut = true
			continue
		}
		if t.fields[f.Name] == nil {
			t.fields[f.Name] = map[uint64]string{}
		}
		t.fields[f.Name][t.sourceKey(p.at, p.group)] = f.Value
	}
	if name := t.sourceField(); name != "" {
		t.sources = t.fields[name]
	}
	return cut
}

// cutOff is the field by which a record says that its answer was cut off, in whatever words it does.
var cutOff = model.Field{Name: "cut off"}

// tellingFields are those of a record that name a source, by the last part of their names, and cutOff.
func tellingFields(fields []model.Field) (telling []model.Field) {
	for _, f := range fields {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		switch {
		case slices.Contains(sourceNames, name) && len(f.Value) <= 200:
			if value := nameIn(f.Value); value != "" {
				telling = append(telling, model.Field{Name: strings.Clone(name), Value: strings.Clone(value)})
			}
		case saysCut(name, f.Value) && !slices.Contains(telling, cutOff):
			telling = append(telling, cutOff)
		}
	}
	return telling
}

func saysCut(name, value string) bool {
	switch name {
	case "finish_reason", "stop_reason":
		return value == "length" || value == "max_tokens"
	case "truncated", "is_truncated", "overlong":
		return value == "true" || value == "True" || value == "1"
	}
	return strings.Contains(value, `"finish_reason": "length"`) || strings.Contains(value, `"finish_reason":"length"`)
}

// nameIn returns the id or name in an object, such as an environment, "" if it has none, what stands in a list, and any other value as it
// is.
func nameIn(value string) string {
	if !strings.HasPrefix(value, "{") {
		return strings.Trim(value, `[]"`)
	}
	for _, key := range []string{`"id"`, `"name"`} {
		if _, after, found := strings.Cut(value, key); found {
			if parts := strings.SplitN(after, `"`, 3); len(parts) == 3 {
				return parts[1]
			}
		}
	}
	return ""
}

// sourceList are the names of the sources, sorted.
func (t *Texts) sourceList() []string {
	return slices.Compact(slices.Sorted(maps.Values(t.sources)))
}

// sourceField is the first field with several values, each of several prompts, "" if none has.
func (t *Texts) sourceField() string {
	for _, name := range sourceNames {
		distinct := map[string]bool{}
		for _, v := range t.fields[name] {
			distinct[v] = true
		}
		if len(distinct) > 1 && len(distinct) <= min(maxSources, len(t.fields[name])/2) {
			return name
		}
	}
	return ""
}
