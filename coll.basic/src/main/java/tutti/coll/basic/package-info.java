/** The module {@code basic}: linear and logarithmic algorithms for every operation and any number of ranks. */
package tutti.coll.basic;
