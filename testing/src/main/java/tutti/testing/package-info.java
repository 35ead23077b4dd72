/**
 * Tests of collective modules in containers, for builds of their own: options of Pax Exam, and clusters for JUnit 5.
 *
 * <p>The containers are those of an installed distribution of Tutti. System property {@code tutti.home} of the test's JVM names its folder: a clone
 * that was built, or an archive that was unpacked.
 */
@NullMarked
package tutti.testing;

import org.jspecify.annotations.NullMarked;
