// Package estimators turns rewards into advantages, in the arithmetic of the
// framework whose training run is looked at, to the last bit.
//
// # Vocabulary
//
// A batch is one training step: N samples in G groups. A group holds the
// samples (responses) of one prompt, in the order in which the trainer's batch
// held them. Each sample has one reward. An estimator maps rewards to
// advantages, one per sample.
//
// # Shapes
//
// Rewards, advantages and kept flags are slices of length N in which the
// samples of a group lie next to each other; group g is the half-open range
// Offsets[g]:Offsets[g+1]. A slice that is written is called dst and comes
// first. Slices of the wrong length are a programmer's error and panic.
//
// # Numbers
//
// All values travel as float64. Where a framework computes in float32 (nearly
// all do) every value written is exactly representable in float32, and equal,
// bit for bit, to what the framework's own code gives under PyTorch on a CPU:
// package torchsum adds in the order in which torch adds. Estimator.Float says
// which it is.
//
// A reward that a log does not hold (null, None, an absent key) is
// [MissingReward], a NaN that [IsMissing] tells from an ordinary one.
//
// Two families are not equal to the bit. What is whitened over response tokens
// (REINFORCE++) is summed in float64 and agrees to 1e-4; NeMo-RL adds in the order
// of its BLAS, and the sums here agree to 1e-5. The Doc of an entry says so.
//
// # What a log must hold
//
// Most estimators need rewards and groups and nothing else. [Needs] says which
// need response lengths, the components of the reward, or the reward of a greedy
// response, and which no reward log can feed, with the reason: those have no
// Advantage (see [Estimator.Computable]) and are in the list so that a reader
// finds them. [Estimator.MissingIn] compares the needs with a batch.
//
// The page .github/docs/estimators.md lists what every entry says of itself.
//
// Options of a framework that change numbers are a scale or an entry of their own;
// all others are at the framework's default: no KL in the reward, gamma 1.
//
// # From rewards to what trains
//
//  1. [Estimator.CleanInto]: what the trainer makes of the rewards as logged.
//  2. [Estimator.Advantage]: the original advantages.
//  3. [Keep]: which samples of each group stay; dropped ones get 0.
//  4. [Recompute]: if asked for, the estimator again, over the kept samples.
//
// [Process] does 2 to 4.
//
// # Errors
//
// A batch that the framework's code would refuse does not stop the others
// here: dst is always filled, by the same formula where the formula is defined
// for a group and with NaN where it is not, and the error carries the
// framework's own text.
package estimators
