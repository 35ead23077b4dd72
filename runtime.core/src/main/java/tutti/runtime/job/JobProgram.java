package tutti.runtime.job;

import java.util.List;

/**
 * The program of some ranks of a job.
 *
 * @param mainClass the class with {@code main}
 * @param args      its arguments
 * @param ranks     number of consecutive ranks that run it
 */
public record JobProgram(String mainClass, List<String> args, int ranks) {
    /** Copies the list. */
    public JobProgram {
        args = List.copyOf(args);
    }
}
