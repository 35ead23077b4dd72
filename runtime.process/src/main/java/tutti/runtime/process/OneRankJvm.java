package tutti.runtime.process;

import org.jspecify.annotations.Nullable;

/**
 * A JVM that runs one rank of one job and then ends, so that the rank is a process: its class loader is that of the program for the whole JVM.
 *
 * <p><b>Threads.</b> Safe for any thread: the owner of the JVM writes the field once, before the rank is created.
 */
public final class OneRankJvm {
    /** The job of the rank; null in a JVM that ranks share. */
    private static volatile @Nullable String job;

    private OneRankJvm() {}

    /** Makes this JVM that of the one rank which a job has here. Called before the rank is created, and never undone. */
    public static void begin(final String of) {
        job = of;
    }

    /** Returns whether this JVM is that of one rank. */
    static boolean isBegun() {
        return job != null;
    }

    /** Returns whether this JVM is that of one rank of the given job. */
    static boolean isOf(final String wanted) {
        return wanted.equals(job);
    }
}
