package tutti.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test method on the ranks of a job: each rank executes the body, between {@code MPI.Init} and {@code MPI.Finalize}. On a class it holds for
 * all of its test methods.
 *
 * <pre>{@code
 * @Test
 * @Ranks(4)
 * void shouldSumOverAllRanks() throws MPIException {
 *     int[] sum = {MPI.COMM_WORLD.getRank()};
 *     MPI.COMM_WORLD.allReduce(sum, 1, MPI.INT, MPI.SUM);
 *     assertEquals(6, sum[0]);
 * }
 * }</pre>
 *
 * <p><b>Classes.</b> A rank is what it is in {@code tutti run}: a thread of a node, which is a JVM of its own, with a class loader of its own. Every
 * class of the test's class path is loaded by each rank, the test class, its neighbours and libraries alike, so each rank has their statics. Only
 * the classes of the JDK are shared by the ranks of a node. The test class of the JVM that JUnit runs in is another one: what it stores in a
 * field, a rank does not see.
 *
 * <p><b>Life cycle.</b> A rank creates an instance of the test class and calls the methods with {@code @BeforeAll}, {@code @BeforeEach}, the test,
 * {@code @AfterEach} and {@code @AfterAll}, in this order, on every rank and for each test. In JUnit's JVM an instance is created, too, as JUnit
 * demands, and none of these methods is called, but for {@code @BeforeAll} and {@code @AfterAll} of a class that is not annotated itself. A rank
 * whose test fails ends at once: its {@code @AfterEach} and {@code @AfterAll} are not called, since they could wait for ranks that have ended.
 *
 * <p><b>Parameters.</b> Arguments of parameterized tests are copied to the ranks by serialization; a {@code @TempDir Path} parameter is the same
 * folder on all of them. Other extensions act in JUnit's JVM alone: fields that they set are not set on a rank.
 *
 * <p><b>Errors.</b> The test fails with the failure of the first rank that failed, named in its message, and with those of the other ranks as
 * suppressed ones. Errors of MPI calls are exceptions: the handler of {@code MPI.COMM_WORLD} is {@code MPI.ERRORS_RETURN}. Calls are compared between
 * ranks, as with {@code check=full}. Each line of output has its rank before it.
 */
@Documented
@Inherited
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RanksExtension.class)
public @interface Ranks {
    /** Returns the number of ranks. */
    int value();

    /** Returns the number of nodes, each a JVM with an equal part of the ranks. They are started once for all tests that have as many. */
    int nodes() default 1;

    /**
     * Returns the time limit in seconds. A test that takes longer fails, with the stacks of its ranks and what each waits for. System property
     * {@code tutti.junit.timeout} replaces it, for a debugger.
     */
    int timeoutSeconds() default 60;

    /** Returns parameters of the job, as {@code KEY=VALUE}: those of option {@code -p} of {@code tutti run}. */
    String[] parameters() default {};
}
