package tutti.runtime.job;

import java.util.List;
import tutti.runtime.process.owner.RankProgram;

/**
 * The program of some ranks of a job.
 *
 * @param mainClass the class with {@code main}
 * @param args      its arguments
 * @param ranks     number of consecutive ranks that run it
 * @param requested number of ranks that were requested, some of which may not have been started
 * @param options   options of its command line
 */
public record JobProgram(String mainClass, List<String> args, int ranks, int requested, RankProgram.Options options) {
    /** Copies the list; without options there are none. */
    public JobProgram {
        args = List.copyOf(args);
        options = options == null ? RankProgram.Options.NONE : options;
    }

    /** Creates a program without options, all of whose ranks are started. */
    public JobProgram(final String mainClass, final List<String> args, final int ranks) {
        this(mainClass, args, ranks, ranks, RankProgram.Options.NONE);
    }
}
