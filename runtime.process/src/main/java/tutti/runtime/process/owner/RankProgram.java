package tutti.runtime.process.owner;

import java.util.List;

/**
 * The program that a rank runs.
 *
 * @param job       id of the job, for names and messages
 * @param rank      number of the rank in the job, for names and messages
 * @param mainClass name of the class with {@code main}
 * @param args      arguments of {@code main}
 */
public record RankProgram(String job, int rank, String mainClass, List<String> args) {
    /** Copies the arguments. */
    public RankProgram {
        args = List.copyOf(args);
    }

    /** Returns the name of the main thread, which is also the prefix of the names of the runtime's threads for this rank. */
    public String threadName() {
        return "tutti-" + job + "-rank" + rank;
    }
}
