// Package trainer translates between settings and the options of trainers: [Dialect.Emit]
// writes settings as options or a call, [ReadConfig] takes settings from a trainer's
// configuration, whose options the caller has already parsed. The commands and the screen
// call it.
package trainer
