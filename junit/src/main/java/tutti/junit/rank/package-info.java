/** Program that a rank of a test runs: it calls the test's methods and stores their results. */
@NullMarked
package tutti.junit.rank;

import org.jspecify.annotations.NullMarked;
