// Package control is the part of the library that speaks in scalars and strings: the catalogue of structures, facts about open spaces,
// the version, and the choice of a BLAS. The C interface has a function of the same name for each of its own. For Python they are wrapped
// by gopy, which carries an error to Python as a RuntimeError and nothing else, so they take and return only numbers and strings. Arrays
// never pass here.
package control

import (
	"combpred/core/catalogue"
	"combpred/core/control/spaces"
)

// Catalogue returns a JSON object: "structures" describes every structure in order of the names, "capabilities" what the names of
// capabilities mean, and "names" lists the values of parameters.
func Catalogue() (text string, err error) {
	defer recoverTo(&err)
	return catalogue.JSON()
}

// SpaceFacts returns a JSON object of what is known about the open space of a handle without long computations.
func SpaceFacts(space uint64) (text string, err error) {
	defer recoverTo(&err)
	return spaces.Facts(space)
}
