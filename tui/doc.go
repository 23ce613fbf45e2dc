// Package tui is the program of the screen: it takes messages, keeps what all views read, and does what they want.
//
// App is a Bubble Tea model, copied at every message. Update is a switchboard; work runs in commands on immutable snapshots, and an answer
// to another request than the latest is dropped. A view is a package below this one, with its own state: it draws from the env that it is
// handed, and its keys return what they want of the program as values, which grant does. View changes nothing.
//
// The chapters, in the order in which they are best read:
//
//	app.go          what the program keeps: the env that all read, the views, and what is around them
//	update.go       a message: it is handled, what all read is brought up to date, the views work
//	source.go       rows come from the log
//	analysis.go     the steps on the screen are computed, then the trend over all
//	logged.go       the advantages of the log say which estimator, groups and reward it was written with
//	judged.go       off-policy rules judge the samples of the log
//	findings.go     what ails the run is looked for
//	scope.go        which steps are on the screen
//	grouprows.go    which of their groups, in which order
//	views.go        the list of the views, and the keys that all have
//	position.go     which view is open, and the way back
//	keys.go         a key is found among those of the view and those that all have
//	mouse.go        so is a click, by what is drawn there
//	grant.go        what a view or a key wants of the program is done
//	opening.go      views are opened that need something first
//	overview.go     the keys of the overview, whose panes move each other
//	finding.go      those of a finding
//	reader.go       a group is opened, and left
//	destination.go  the cursor goes to a step, a group, a sample
//	settings.go     settings change, and change back
//	input.go        a line is typed: what all lines have, and the filter of the groups
//	commandline.go  the line of a command, and the table of commands
//	commands.go     what those do that are more than a wish
//	export.go       what is copied or exported
//	session.go      what is kept for the next time
//	frame.go        the screen is drawn, from the header to the last line
//	hints.go        the last line: the keys that there is room for
//	notice.go       what the program says, for a moment
//	help.go         the help, over everything
//	helpfigures.go  the metrics that it explains
package tui
