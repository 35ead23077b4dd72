/** What runs on a rank of a test: it calls the test's methods and stores how they ended. */
@NullMarked
package tutti.junit.rank;

import org.jspecify.annotations.NullMarked;
