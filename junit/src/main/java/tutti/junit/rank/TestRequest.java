package tutti.junit.rank;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The test that the ranks of a job run.
 *
 * @param testClass      name of the test class, whose instance is created
 * @param declaringClass name of the class that declares the method
 * @param method         name of the test method
 * @param parameterTypes names of the types of its parameters
 * @param arguments      the arguments
 */
public record TestRequest(String testClass, String declaringClass, String method, List<String> parameterTypes,
    ArrayList<@Nullable Object> arguments) implements Serializable {
    /** Name of its file in the folder of a test. */
    public static final String FILE = "request";
}
