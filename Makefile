# Shortcuts. Each is one command that you can as well type.
.PHONY: run test ci bench pictures

run: ## a generated run that grows while you watch
	go run . demo

test:
	go test ./...

ci: ## everything that must hold
	.ci/run

bench: ## what the pages claim about speed, next to other programs
	.ci/bench/reading
	.ci/bench/jobs

pictures: ## the pictures of the screen in the pages
	go test ./tui -run Pictures -update
