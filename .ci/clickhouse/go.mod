module clickhouseserver

go 1.25.8

require github.com/ebitengine/purego v0.11.3
