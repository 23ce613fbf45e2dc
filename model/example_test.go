package model_test

import (
	"fmt"

	"vantage/model"
)

// Settings by the names that trainers give them.
func ExampleSettings_Set() {
	set := model.DefaultSettings()
	for _, o := range []model.Option{{Name: "algorithm.keep_pos_ratio", Value: "0.7"}, {Name: "compute_new_adv", Value: "true"}, {Name: "keep_neg_ratio", Value: "1.5"}} {
		var err error
		if set, err = set.Set(o.Name, o.Value); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(set.KeepPos, set.Recompute)
	fmt.Println(set.Validate())
	// Output:
	// 0.7 true
	// keep_neg_ratio must be in the range [0.0, 1.0]. Got keep_neg_ratio=1.5. 0.0 means discard all negative samples, 1.0 means keep all negative samples.
}
