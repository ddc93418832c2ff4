// Package combin counts combinatorial objects and draws them uniformly, both exactly.
//
// Counts outgrow float64 early (171! is infinite there), so they are big integers throughout; what leaves as a float64
// is a logarithm or a ratio, correctly rounded or nearly so at any size.
//
// Draws take few random bits. One 64-bit word holds many dice: multiplied with the number of faces it gives the result of
// a die in the upper half of the product and the word for the next die in the lower one (Brackett-Rozinsky and Lemire,
// Batched ranged random integer generation, 2024, after Lemire, Fast random integer generation in an interval, 2019). A
// whole batch is thrown again where its last remainder says that some results would come up more often than others, so
// that all results are equally likely, not nearly so. That takes a division only where the remainder is below the product
// of the faces, which is kept to 2⁶² at most.
//
// A Table draws from a distribution whose probabilities are ratios of big integers. It compares the first digits of a
// uniform real number with those of the cumulative probabilities and draws further digits only where these are equal. So
// it is exact as well, and nearly every draw takes one word.
//
// All draws depend on the generator alone, and nothing is kept from call to call.
package combin
