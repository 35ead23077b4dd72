package tutti.daemon.health;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Examines the machine of this process for {@code tutti doctor}. */
public final class MachineExamination {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Path SHARED = Path.of("/dev/shm");
    private static final Pattern FILES = Pattern.compile("(?m)^Max open files\\s+(\\d+)");
    private static final Pattern PROCESSES = Pattern.compile("(?m)^Max processes\\s+(\\d+)");
    private static final Pattern MEMORY = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB");
    private static final long KIB = 1024;

    private MachineExamination() {}

    /**
     * Returns what this process finds.
     *
     * @param name        name of the node
     * @param version     version of Tutti
     * @param cores       processors that it may use
     * @param folder      its folder
     * @param unreachable the other nodes to which it cannot connect, each with the reason
     */
    public static NodeHealth of(final String name, final String version, final int cores, final Path folder, final Map<String, String> unreachable) {
        final String host = host();
        return new NodeHealth(name, version, System.getProperty("java.version"), cores, Runtime.getRuntime().maxMemory(), memoryFree(), openFiles(),
            number(LIMITS, FILES), number(LIMITS, PROCESSES), free(SHARED), folder.toString(), free(folder), System.currentTimeMillis(), host,
            !addresses(host).isEmpty(), unreachable, null);
    }

    private static long memoryFree() {
        final long kib = number(Path.of("/proc/meminfo"), MEMORY);
        return kib < 0 ? -1 : kib * KIB;
    }

    private static long number(final Path file, final Pattern pattern) {
        try {
            final Matcher m = pattern.matcher(Files.readString(file));
            return m.find() ? Long.parseLong(m.group(1)) : -1;
        } catch (final IOException e) {
            return -1;
        }
    }

    private static long openFiles() {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        } catch (final IOException e) {
            return -1;
        }
    }

    private static long free(final Path at) {
        try {
            return Files.getFileStore(at).getUsableSpace();
        } catch (final IOException e) {
            return -1;
        }
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (final IOException e) {
            return "";
        }
    }

    /** Returns the addresses of a host name; none if it has none. May block. */
    public static List<InetAddress> addresses(final String host) {
        try {
            return host.isEmpty() ? List.of() : List.of(InetAddress.getAllByName(host));
        } catch (final UnknownHostException e) {
            return List.of();
        }
    }
}
