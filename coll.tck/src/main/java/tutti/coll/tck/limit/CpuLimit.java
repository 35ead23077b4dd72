package tutti.coll.tck.limit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.FutureTask;

/**
 * Limits code that is not trusted by its own processor time, so that it does not matter how busy the machine is, or whether the JVM was stopped.
 *
 * <p>Code that waits uses no processor time. The thread that waits for the code looks at it at intervals, and counts those in which the code used
 * none: while all threads of the code wait, up to half the limit; while some could run, which an overloaded machine may not let, up to
 * {@value #STARVED} times the limit. An interval counts once, however long it took: so a JVM that is stopped or has no processor does not count.
 *
 * <p>The code runs on threads of a group of its own, and those that it starts belong to the group. Virtual threads are not counted. For one piece of
 * code. Safe for any thread; each wait counts its own intervals.
 *
 * <pre>{@code
 * CpuLimit limit = new CpuLimit("proof", Duration.ofSeconds(10));
 * Thread thread = limit.start("proof", code);
 * CpuLimit.Verdict verdict = limit.await(thread::join);
 * if (verdict != CpuLimit.Verdict.ENDED) { System.err.println("it did not end within " + limit.text(verdict)); }
 * }</pre>
 */
public final class CpuLimit {
    /** Processor time of one action of a module: many times what a right one needs. */
    public static final Duration ACTION = Duration.ofSeconds(10);
    /** How many limits may pass while the code could run and does not. */
    private static final int STARVED = 6;
    private static final Duration INTERVAL = Duration.ofMillis(50);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Use use;
    private final ThreadGroup group;
    private final long limit;

    /** The result of a wait. */
    public enum Verdict {
        /** The code has ended. */
        ENDED(""),
        /** The code has used its processor time. */
        USED(" of processor time"),
        /** The code waits for something. */
        WAITS(" of waiting"),
        /** The code could run and does not: its threads wait for locks or for input, or the machine gives it no processor. */
        STARVED(" of waiting for locks or for input");

        private final String of;

        Verdict(final String of) {
            this.of = of;
        }
    }

    /** Waits for the end of the code, up to a time; returns whether it has ended. */
    @FunctionalInterface
    public interface End {
        /** Waits for the end. */
        boolean await(Duration time) throws InterruptedException;
    }

    /** What the code uses. */
    private interface Use {
        /** Returns the processor time so far, in nanoseconds. */
        long nanos();

        /** Returns whether all threads of the code wait. */
        boolean isAsleep();
    }

    private CpuLimit(final ThreadGroup group, final Use use, final Duration limit) {
        this.group = group;
        this.use = use;
        this.limit = limit.toNanos();
    }

    private CpuLimit(final ThreadGroup group, final Duration limit) {
        this(group, new GroupUse(group), limit);
    }

    /**
     * Creates the limit of code that {@link #start} runs.
     *
     * @param name  name of the group of its threads
     * @param limit processor time of all its threads together
     */
    public CpuLimit(final String name, final Duration limit) {
        this(new ThreadGroup(name), limit);
    }

    /**
     * Creates the limit of code that {@link #start} runs.
     *
     * @param parent group of which its threads are
     * @param name   name of the group of its threads
     * @param limit  processor time of all its threads together
     */
    public CpuLimit(final ThreadGroup parent, final String name, final Duration limit) {
        this(new ThreadGroup(parent, name), limit);
    }

    /** Creates the limit of a process, which is counted as one that could run. */
    public static CpuLimit of(final ProcessHandle process, final Duration limit) {
        return new CpuLimit(Thread.currentThread().getThreadGroup(), new Use() {
            @Override
            public long nanos() {
                return process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
            }

            @Override
            public boolean isAsleep() {
                return false;
            }
        }, limit);
    }

    /** Starts code on a daemon thread, which inherits neither thread locals nor a class loader, and drops the code when it has ended. */
    public Thread start(final String name, final Runnable code) {
        // references to the thread may remain, which must not retain the code; a FutureTask drops it
        final Thread thread = Thread.ofPlatform().group(group).daemon().inheritInheritableThreadLocals(false).name(name)
            .unstarted(new FutureTask<>(code, null));
        thread.setContextClassLoader(null);
        thread.start();
        return thread;
    }

    /** Waits until the code has ended or has reached the limit. */
    public Verdict await(final End end) throws InterruptedException {
        long before = use.nanos();
        long asleep = 0;
        long starved = 0;
        while (!end.await(INTERVAL)) {
            final long now = use.nanos();
            if (now - before >= INTERVAL.toNanos() / 50) {
                before = now;
            } else if (use.isAsleep()) {
                asleep += INTERVAL.toNanos();
            } else {
                starved += INTERVAL.toNanos();
            }
            if (now >= limit) {
                return Verdict.USED;
            }
            if (asleep >= limit / 2) {
                return Verdict.WAITS;
            }
            if (starved >= STARVED * limit) {
                return Verdict.STARVED;
            }
        }
        return Verdict.ENDED;
    }

    /** Interrupts all threads of the code. */
    public void interrupt() {
        group.interrupt();
    }

    /** Returns what the code has reached, such as {@code 10000 ms of processor time}. */
    public String text(final Verdict verdict) {
        return Duration.ofNanos(switch (verdict) {
            case ENDED, USED -> limit;
            case WAITS -> limit / 2;
            case STARVED -> STARVED * limit;
        }).toMillis() + " ms" + verdict.of;
    }

    /** The use of the threads of a group. */
    private static final class GroupUse implements Use {
        private final ThreadGroup group;
        /** Processor time of each thread when it was last looked at, by its id. */
        private final Map<Long, Long> used = new HashMap<>();

        GroupUse(final ThreadGroup group) {
            this.group = group;
        }

        private Thread[] threads() {
            Thread[] all = new Thread[8];
            int count = group.enumerate(all, true);
            while (count == all.length) {
                // threads for which there is no room are left out
                all = new Thread[2 * count];
                count = group.enumerate(all, true);
            }
            return Arrays.copyOf(all, count);
        }

        @Override
        public synchronized long nanos() {
            for (final Thread thread : threads()) {
                final long time = THREADS.getThreadCpuTime(thread.threadId());
                if (time >= 0) {
                    used.put(thread.threadId(), time);
                }
            }
            return used.values().stream().mapToLong(Long::longValue).sum();
        }

        @Override
        public boolean isAsleep() {
            for (final Thread thread : threads()) {
                switch (thread.getState()) {
                    case RUNNABLE, BLOCKED -> {
                        return false;
                    }
                    default -> {}
                }
            }
            return true;
        }
    }
}
