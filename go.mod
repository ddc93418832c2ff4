module combpred

go 1.26

require (
	github.com/go-python/gopy v0.5.0
	gonum.org/v1/gonum v0.17.0
)

require golang.org/x/tools v0.42.0 // indirect
