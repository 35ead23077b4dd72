package tutti.runtime.job;

import java.util.List;

/**
 * The program of some ranks of a job.
 *
 * @param mainClass the class with {@code main}
 * @param args      its arguments
 * @param ranks     number of consecutive ranks that run it
 * @param requested number of ranks that were requested, some of which may not have been started
 */
public record JobProgram(String mainClass, List<String> args, int ranks, int requested) {
    /** Copies the list. */
    public JobProgram {
        args = List.copyOf(args);
    }

    /** Creates a program all of whose ranks are started. */
    public JobProgram(final String mainClass, final List<String> args, final int ranks) {
        this(mainClass, args, ranks, ranks);
    }
}
