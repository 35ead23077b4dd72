/**
 * Tests of programs with JUnit 5: test methods that run on the ranks of a job, and a launcher of programs for development environments.
 *
 * <p>The nodes are containers of a distribution of Tutti, in JVMs of their own. They are those of the folder that system property {@code tutti.home}
 * or the environment variable {@code TUTTI_HOME} names; without these, those that this jar has in it.
 */
@NullMarked
package tutti.junit;

import org.jspecify.annotations.NullMarked;
