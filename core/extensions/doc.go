// Package extensions draws linear extensions of a partial order exactly uniformly: the orders of its elements in which
// every element comes after all that it is to come after.
//
// # Components
//
// Elements that no chain of relations joins order themselves independently: a uniform extension is a uniform one of
// each connected component, merged in a uniform way. Counts multiply, times the number of ways to merge.
//
// # Counting
//
// An extension builds up a downset, element by element. Let e(D) be the number of extensions of the downset D; it is the
// sum of e(D∖m) over the maximal elements m of D, and the last element of a uniform extension of D is m with probability
// e(D∖m)/e(D). That takes a table of all downsets, up to MostDownsets of them: 22 elements of one component whatever
// their relations, and many more where there are many relations. Counting alone goes on from size to size and keeps no
// table, and takes posets apart into parts that come one after the other, too: e multiplies.
//
// # Coupling from the past
//
// Beyond that, the chain of Karzanov and Khachiyan (1991) is followed: a place i and a fair coin are drawn, and the
// elements at places i and i+1 change places if the coin says so and the order allows it. Its moves are symmetric, so
// that its stationary distribution is uniform. Chains from all extensions are followed at once by the bounding chain of
// Huber (2006), which Bounding describes together with why it is exact. The mean number of steps is O(n³ log n) for n elements.
package extensions
