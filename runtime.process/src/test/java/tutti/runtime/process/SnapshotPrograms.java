package tutti.runtime.process;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import tutti.runtime.process.owner.RankHooks;
import tutti.runtime.process.owner.RankOutcome;
import tutti.runtime.process.owner.RankProgram;
import tutti.runtime.process.snapshot.JvmSnapshot;

/**
 * Main class of a JVM that runs programs one after the other, each as a rank, and prints what each has left behind.
 *
 * <p>Arguments: the folder of the programs, how long to wait for differences to go, in ms, and the names of the programs. Output: a line
 * {@code PROGRAM: milliseconds} for each, and a line {@code PROGRAM| difference} for each difference.
 */
final class SnapshotPrograms {
    private SnapshotPrograms() {}

    public static void main(final String[] args) throws InterruptedException {
        RankStreams.install();
        // a program may replace it
        final PrintStream out = System.out;
        final Path folder = Path.of(args[0]);
        final Duration limit = Duration.ofMillis(Long.parseLong(args[1]));
        for (int i = 2; i < args.length; i++) {
            final long start = System.nanoTime();
            final JvmSnapshot before = JvmSnapshot.take();
            final long taken = System.nanoTime();
            run(folder, args[i], i, out);
            final long ended = System.nanoTime();
            final List<String> differences = before.differences(limit);
            final long compared = System.nanoTime();
            out.println(args[i] + ": take=" + millis(taken - start) + " run=" + millis(ended - taken) + " differences="
                + millis(compared - ended));
            for (final String difference : differences) {
                out.println(args[i] + "| " + difference);
            }
        }
        // a program may have left threads
        Runtime.getRuntime().halt(0);
    }

    private static void run(final Path folder, final String program, final int rank, final PrintStream out) {
        try (TestRank test = new TestRank(folder, new RankProgram("job", rank, program, List.of()), null, RankHooks.NONE)) {
            final RankOutcome outcome = test.run();
            if (outcome.kind() != RankOutcome.Kind.RETURNED) {
                out.println(program + "| " + outcome + test.err());
            }
        }
    }

    private static String millis(final long nanos) {
        return TimeUnit.NANOSECONDS.toMicros(nanos) / 1000.0 + " ms";
    }
}
