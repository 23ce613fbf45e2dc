package analysis

import (
	"reflect"
	"testing"

	"vantage/model"
)

// A setting has the stages computed again from the first one that reads it, and none before. One that is not in this list has all of them.
func TestStagesThatASettingChanges(t *testing.T) {
	first := map[string]string{
		"Overlong": "shaped", "Framework": "unfiltered", "Estimator": "unfiltered", "Scale": "unfiltered", "Options": "unfiltered",
		"Assumed": "unfiltered", "FromLog": "unfiltered", "OwnRule": "unfiltered", "GroupFilter": "admitted", "KeepPos": "kept", "KeepNeg": "kept",
		"Recompute": "recomputed", "OffPolicy": "corrected", "Loss": "weighted",
	}
	set := model.DefaultSettings()
	set.Loss = "verl/token-mean"
	list := stageList()
	before := readBy(list, set)
	fields := reflect.TypeFor[model.Settings]()
	for i := range fields.NumField() {
		name, want := fields.Field(i).Name, "grouped"
		if name == "StageOptions" {
			continue // see the next test
		}
		if at, known := first[name]; known {
			want = at
		}
		changed := set
		change(t, reflect.ValueOf(&changed).Elem().Field(i))
		for k, read := range readBy(list, changed) {
			if read != before[k] {
				if list[k].name != want {
					t.Errorf("%s has the stages computed again from %s on, want %s", name, list[k].name, want)
				}
				break
			}
			if k == len(list)-1 {
				t.Errorf("no stage reads %s", name)
			}
		}
	}
}

// change gives a setting another value.
func change(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Float64:
		v.SetFloat(v.Float() / 2)
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Struct:
		change(t, v.Field(0))
	default:
		t.Fatalf("no other value of %s", v.Type())
	}
}

// Options of a penalty, a filter or a loss have the stages computed again from the first one that has the option.
func TestStagesThatAnOptionChanges(t *testing.T) {
	set := model.DefaultSettings()
	set.Overlong, set.GroupFilter, set.Loss = "trl/soft_overlong_punishment", "skyrl/zero_variance_filter", "trl/dr_grpo"
	list := stageList()
	for option, want := range map[string]string{
		"soft_punish_cache": "shaped", "max_completion_len": "shaped", "max_completion_length": "weighted", "zero_variance_filter_tol": "admitted",
	} {
		changed := set
		changed.StageOptions = changed.StageOptions.With(option, "7")
		before, after := readBy(list, set), readBy(list, changed)
		k := 0
		for k < len(list) && before[k] == after[k] {
			k++
		}
		if k == len(list) || list[k].name != want {
			t.Errorf("%s changes %d stages, want those from %s on", option, len(list)-k, want)
		}
	}
}
