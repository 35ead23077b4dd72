package tutti.runtime.process.owner;

import java.util.List;
import java.util.Map;

/**
 * The program that a rank runs.
 *
 * @param job       id of the job, for names and messages
 * @param rank      number of the rank in the job, for names and messages
 * @param mainClass name of the class with {@code main}
 * @param args      arguments of {@code main}
 * @param environment variables that the program finds in its environment, besides those of the JVM, which they replace
 * @param options   options of its command line
 */
public record RankProgram(String job, int rank, String mainClass, List<String> args, Map<String, String> environment, JavaOptions options) {
    /** Copies the arguments and variables. */
    public RankProgram {
        args = List.copyOf(args);
        environment = Map.copyOf(environment);
    }

    /** Creates a program with the environment of the JVM. */
    public RankProgram(final String job, final int rank, final String mainClass, final List<String> args) {
        this(job, rank, mainClass, args, Map.of(), JavaOptions.NONE);
    }

    /** Returns the name of the main thread, which is also the prefix of the names of the runtime's threads for this rank. */
    public String threadName() {
        return "tutti-" + job + "-rank" + rank;
    }
}
