package mpi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of the host, as the operating system has it. */
final class HostName {
    /** The file of Linux with the name; reading it needs no name service, which may be slow or not know the name. */
    private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");
    private static final String NAME = find();

    private HostName() {}

    /** Returns the name; {@code localhost} if it cannot be determined. */
    static String get() {
        return NAME;
    }

    private static String find() {
        try {
            final String name = Files.readString(KERNEL).strip();
            return name.isEmpty() ? lookUp() : name;
        } catch (final IOException e) {
            return lookUp();
        }
    }

    private static String lookUp() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (final UnknownHostException e) {
            return "localhost";
        }
    }
}
