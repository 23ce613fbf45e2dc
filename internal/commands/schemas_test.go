package commands

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFolder holds a JSON Schema for each object that a command writes.
const schemaFolder = "../../.github/docs/schemas"

// schemas are the schemas by their names, and which keys of theirs were seen.
type schemas struct {
	compiled map[string]*jsonschema.Schema
	seen     map[string]bool // as placeOf says
	used     map[string]bool
}

func readSchemas(t *testing.T) *schemas {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(schemaFolder, "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d schemas, %v", len(files), err)
	}
	s := &schemas{map[string]*jsonschema.Schema{}, map[string]bool{}, map[string]bool{}}
	for _, file := range files {
		text := filetest.Read(t, file)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "@")
		place := "urn:vantage:" + name + ":" + version
		if err := c.AddResource(place, document); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile(place)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if want := "vantage/" + name + "@" + version; compiled.Title != want {
			t.Errorf("%s describes %s", file, compiled.Title)
		}
		s.compiled["vantage/"+name+"@"+version] = compiled
	}
	return s
}

// check validates an object by the schema that it names, or else that of the name.
func (s *schemas) check(t *testing.T, line string, text []byte, name string) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Errorf("%s: %v in %.300s", line, err, text)
		return
	}
	object, _ := value.(map[string]any)
	if named, ok := object["schema"].(string); ok {
		name = named
	}
	schema := s.compiled[name]
	if schema == nil {
		t.Errorf("%s: there is no schema %q for %.200s", line, name, text)
		return
	}
	s.used[name] = true
	if err := schema.Validate(value); err != nil {
		t.Errorf("%s: %v\n%.600s", line, err, text)
	}
	s.see(schema, value)
}

// placeInSchemas names a key of a schema. What several schemas define alike is one place.
func placeInSchemas(schema *jsonschema.Schema, key string) string {
	place := schema.Location
	if _, shared, found := strings.Cut(place, "#/$defs/"); found {
		place = shared
	}
	return place + " " + key
}

// see notes the keys of a value, and of those within it, in each schema that may describe it.
func (s *schemas) see(schema *jsonschema.Schema, value any) {
	if schema == nil {
		return
	}
	s.see(schema.Ref, value)
	for _, one := range append(slices.Clone(schema.AnyOf), schema.OneOf...) {
		if one.Validate(value) == nil {
			s.see(one, value)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if p := schema.Properties[key]; p != nil {
				s.seen[placeInSchemas(schema, key)] = true
				s.see(p, inner)
			} else if pattern, p := patternOf(schema, key); p != nil {
				s.seen[placeInSchemas(schema, pattern)] = true
				s.see(p, inner)
			} else if additional, ok := schema.AdditionalProperties.(*jsonschema.Schema); ok {
				s.see(additional, inner)
			}
		}
	case []any:
		for _, inner := range v {
			if items, ok := schema.Items.(*jsonschema.Schema); ok {
				s.see(items, inner)
			}
			s.see(schema.Items2020, inner)
		}
	}
}

// patternOf returns the pattern of a schema that a key has, and what describes its values; nil if there is none.
func patternOf(schema *jsonschema.Schema, key string) (string, *jsonschema.Schema) {
	for pattern, p := range schema.PatternProperties {
		if pattern.MatchString(key) {
			return pattern.String(), p
		}
	}
	return "", nil
}

// unseen returns the keys that a schema describes and nothing had, and the shapes that are open or undescribed.
func (s *schemas) unseen(schema *jsonschema.Schema, path string, done map[*jsonschema.Schema]bool) (keys, faults []string) {
	if schema == nil || done[schema] {
		return nil, nil
	}
	done[schema] = true
	into := func(inner *jsonschema.Schema, path string) {
		k, f := s.unseen(inner, path, done)
		keys, faults = append(keys, k...), append(faults, f...)
	}
	into(schema.Ref, path)
	into(schema.Items2020, path+"[]")
	if additional, ok := schema.AdditionalProperties.(*jsonschema.Schema); ok {
		into(additional, path+".*")
	}
	for pattern, p := range schema.PatternProperties {
		if !s.seen[placeInSchemas(schema, pattern.String())] {
			keys = append(keys, path+"."+pattern.String())
		}
		into(p, path+"."+pattern.String())
	}
	for _, one := range slices.Concat(schema.AnyOf, schema.OneOf) {
		into(one, path)
	}
	if len(schema.Properties) > 0 && schema.AdditionalProperties != false {
		faults = append(faults, path+" is open")
	}
	for _, key := range slices.Sorted(maps.Keys(schema.Properties)) {
		if p := schema.Properties[key]; p.Description == "" && (p.Ref == nil || p.Ref.Description == "") && key != "schema" {
			faults = append(faults, path+"."+key+" has no description")
		}
		if !s.seen[placeInSchemas(schema, key)] {
			keys = append(keys, path+"."+key)
		}
		into(schema.Properties[key], path+"."+key)
	}
	return keys, faults
}
