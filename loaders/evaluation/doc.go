// Package evaluation tells tables that a trainer logged while it evaluated from those of training.
//
// In: what each log call wrote, as a [Table]: its step, the prompts of its last groups, the rows per
// group. Out: the tables that hold an evaluation, each with its [Evidence] ([Find]). Package loaders
// calls it for logs whose rows do not say it themselves: TRL writes an evaluation over the training
// rows of its step. It opens nothing and knows no format.
package evaluation
