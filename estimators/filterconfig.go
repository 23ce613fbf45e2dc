package estimators

// CheckConfig returns what EasyR1-Brian's configuration says to the filter's options
// for an estimator: a ValueError for a ratio outside [0, 1], or for a filter or a
// recompute with another estimator than "grpo", in its order; and a warning, which
// stops nothing, for a recompute without a filter. The estimator itself checks the
// ratios again, see [CheckRatios].
//
// Source: Coobiw/EasyR1-Brian@c414ee81ef06 verl/trainer/config.py:AlgorithmConfig.post_init.
func CheckConfig(estimator string, keepPos, keepNeg float64, recompute bool) (warning string, err error) {
	if err := checkConfigRatio("neg", "negative", keepNeg); err != nil {
		return "", err
	}
	if err := checkConfigRatio("pos", "positive", keepPos); err != nil {
		return "", err
	}
	filters := keepNeg != 1 || keepPos != 1
	switch {
	case filters && estimator != "grpo":
		return "", valueError("keep_neg_ratio and keep_pos_ratio are currently only supported for grpo algorithm. "+
			"Got adv_estimator='%s' with keep_neg_ratio=%s, keep_pos_ratio=%s. Please either set adv_estimator='grpo', "+
			"or set both keep_neg_ratio=1.0 and keep_pos_ratio=1.0.", estimator, pythonRepr(keepNeg), pythonRepr(keepPos))
	case recompute && estimator != "grpo":
		return "", valueError("compute_new_adv is currently only supported for grpo algorithm. "+
			"Got adv_estimator='%s' with compute_new_adv=True. Please either set adv_estimator='grpo', "+
			"or set compute_new_adv=False.", estimator)
	case recompute && !filters:
		return "⚠️ Warning: compute_new_adv=True but keep_neg_ratio=1.0 and keep_pos_ratio=1.0. " +
			"compute_new_adv is only effective when sample filtering is enabled (keep_neg_ratio < 1.0 or keep_pos_ratio < 1.0). " +
			"The computed advantages will be the same as the original GRPO advantages.", nil
	}
	return "", nil
}

func checkConfigRatio(sign, signWord string, ratio float64) error {
	if ratio >= 0 && ratio <= 1 {
		return nil
	}
	return valueError("keep_%s_ratio must be in the range [0.0, 1.0]. Got keep_%[1]s_ratio=%[2]s. "+
		"0.0 means discard all %[3]s samples, 1.0 means keep all %[3]s samples.", sign, pythonRepr(ratio), signWord)
}
