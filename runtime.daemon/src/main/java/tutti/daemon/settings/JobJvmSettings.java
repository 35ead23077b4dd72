package tutti.daemon.settings;

import org.jspecify.annotations.Nullable;

/**
 * Settings of the job JVMs of a node: how many there are, and the limits of each.
 *
 * @param ready   number that the node keeps ready for jobs
 * @param reuse   most jobs of one owner that one serves, one after the other
 * @param heap    its heap, as for {@code -Xmx}; null for that of the node
 * @param direct  its direct memory, as for {@code -XX:MaxDirectMemorySize}; null for that of the node
 * @param threads most platform threads of it; 0 for the default
 * @param files   most open files and sockets of it; 0 for those of the node
 * @param cores   most cores that it uses; 0 for those of the node
 */
public record JobJvmSettings(int ready, int reuse, @Nullable String heap, @Nullable String direct, int threads, int files, int cores) {}
