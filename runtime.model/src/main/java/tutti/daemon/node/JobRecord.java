package tutti.daemon.node;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Job as {@code tutti ps --all} shows it: one that runs, or one that has ended. Its texts have one line.
 *
 * @param id         unique in the cluster
 * @param program    as the user wrote it
 * @param ranks      number of ranks; the number that was requested if the job ended before it was placed
 * @param nodes      names of the nodes that had ranks; empty if the job ended before it was placed
 * @param launchedBy user who ran the command
 * @param launchedAt name of the node that coordinated the job
 * @param since      time of launch, in milliseconds of the epoch
 * @param end        the end; null while the job runs
 */
public record JobRecord(String id, String program, int ranks, List<String> nodes, String launchedBy, String launchedAt, long since,
    @Nullable End end) {
    /** Most characters of a text. */
    private static final int MAX_TEXT = 300;

    /**
     * End of a job.
     *
     * @param at     time of the end, in milliseconds of the epoch; 0 if the node ended first and nobody knows it
     * @param status exit status of the job
     * @param reason why it ended, one line; empty after a success
     */
    public record End(long at, int status, String reason) {
        /** Makes one line of the reason. */
        public End {
            reason = line(reason);
        }
    }

    /** Checks that names are present, copies the list, and makes one line of each text. */
    public JobRecord {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(launchedAt, "launchedAt");
        program = line(program);
        launchedBy = line(launchedBy);
        nodes = List.copyOf(nodes);
    }

    /** Returns the record of a job that runs. */
    public static JobRecord of(final JobInfo job) {
        return new JobRecord(job.id(), job.program(), job.ranks(), job.nodes(), job.launchedBy(), job.launchedAt(), job.since(), null);
    }

    /** Returns the record of this job after its end. */
    public JobRecord ended(final End how) {
        return new JobRecord(id, program, ranks, nodes, launchedBy, launchedAt, since, how);
    }

    /** Returns how long the job ran, in milliseconds; -1 if nobody knows, or it runs. */
    public long millis() {
        return end == null || end.at() == 0 ? -1 : Math.max(0, end.at() - since);
    }

    /** Returns the first line that is not blank, without control characters, of at most 300 characters. */
    private static String line(final String text) {
        final String first = Objects.requireNonNullElse(text, "").lines().filter(l -> !l.isBlank()).findFirst().orElse("").strip()
            .replaceAll("\\p{Cntrl}", "?");
        return first.length() <= MAX_TEXT ? first : first.substring(0, MAX_TEXT) + "...";
    }
}
