// Package control is the part of the library that speaks in scalars and strings: the catalogue of structures, versions, and
// the choice of a BLAS. Its functions are wrapped by gopy, which carries an error to Python as a RuntimeError and nothing
// else, so they take and return only numbers and strings. Arrays never pass here.
package control

import "combpred/core/catalogue"

// Catalogue returns a JSON object: "structures" describes every structure in order of the names (name, doc, params, ref,
// capabilities), and "names" lists the values of parameters.
func Catalogue() (text string, err error) {
	defer recoverTo(&err)
	out, err := catalogue.JSON()
	return string(out), err
}
