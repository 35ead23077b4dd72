package tutti.runtime.process;

import java.util.List;

/**
 * What a rank runs.
 *
 * @param job       id of the job, for names and messages
 * @param rank      in COMM_WORLD, for names and messages
 * @param mainClass the class with {@code main}
 * @param args      what {@code main} gets
 */
public record RankProgram(String job, int rank, String mainClass, List<String> args) {
    /** Copies the arguments. */
    public RankProgram {
        args = List.copyOf(args);
    }

    /** The name of the main thread, and the start of the names of other threads. */
    String threadName() {
        return "tutti-" + job + "-rank" + rank;
    }
}
