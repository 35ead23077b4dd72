package tutti.daemon.settings;

import org.jspecify.annotations.Nullable;

/**
 * Setting of which JVM runs the ranks of a job, and of the limits of that JVM.
 *
 * @param mode    which JVM
 * @param heap    heap of the JVM of a job, as for {@code -Xmx}; null for that of the node
 * @param direct  its direct memory, as for {@code -XX:MaxDirectMemorySize}; null for that of the node
 * @param threads most platform threads of it; 0 for those that its ranks may have
 * @param files   most open files and sockets of it; 0 for those of the node
 * @param cores   most cores that it uses; 0 for those of the node
 * @param warm    number of JVMs that are started ahead of jobs
 */
public record JobIsolation(Mode mode, @Nullable String heap, @Nullable String direct, int threads, int files, int cores, int warm) {
    /** Ranks run in the JVM of the node. */
    public static final JobIsolation SHARED = new JobIsolation(Mode.SHARED, null, null, 0, 0, 0, NodeConfiguration.WARM);

    /** Which JVM runs the ranks of a job. */
    public enum Mode {
        /** That of the node, which runs the ranks of all jobs. */
        SHARED,
        /** One that the node starts for the ranks of that job. */
        JOB
    }
}
