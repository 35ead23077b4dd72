package tutti.runtime.host;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The processor time that this JVM has used, and whether other processes use the machine. In a container with limits, the machine is what the
 * container has. For one thread.
 */
class MachineLoad {
    /** The share of all processors from which on other processes are not to be disturbed. */
    private static final double BUSY = 0.25;

    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private long measured = System.nanoTime();
    private long cpuThen = system.getProcessCpuTime();

    /** Begins to measure. */
    MachineLoad() {
        // its next result is the load since this call
        system.getCpuLoad();
    }

    /** Returns the processor time of all threads of this JVM, in nanoseconds. */
    long cpuNanos() {
        return system.getProcessCpuTime();
    }

    /** Returns whether other processes have used the machine since the last call; false where the system does not tell. */
    boolean isBusy() {
        final double machine = system.getCpuLoad();
        final long now = System.nanoTime();
        final long cpu = cpuNanos();
        final double own = (double) (cpu - cpuThen) / Math.max(1, now - measured) / system.getAvailableProcessors();
        measured = now;
        cpuThen = cpu;
        return machine - own > BUSY;
    }
}
