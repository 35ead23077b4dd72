package tutti.runtime.transport.shm;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Settings of a transport.
 *
 * @param folder          folder of the sockets and of the memory, on a file system in memory
 * @param ringBytes       length of the ring of one direction of a link; a power of two
 * @param handshakeMillis time within which a peer must do each step of its handshake
 * @param maxHandshakes   largest number of unfinished handshakes of accepted connections
 * @param cma             whether links access the memory of their peers by functions of Linux, where that is permitted
 * @param room            tells the bytes that are free in the folder
 */
record ShmSettings(Path folder, int ringBytes, long handshakeMillis, int maxHandshakes, boolean cma, Room room) {
    static final Path FOLDER = Path.of("/dev/shm");
    static final ShmSettings DEFAULT = of(FOLDER);
    /** Largest ring that a peer may offer. */
    static final int MAX_RING = 64 << 20;

    /** Tells the free bytes of a folder. */
    @FunctionalInterface
    interface Room {
        /** Returns the bytes that are free. */
        long bytes(Path folder) throws IOException;
    }

    ShmSettings {
        if (!SharedRegion.isRing(ringBytes) || handshakeMillis < 1 || maxHandshakes < 1) {
            throw new IllegalArgumentException(
                "settings out of range: ringBytes=" + ringBytes + ", handshakeMillis=" + handshakeMillis + ", maxHandshakes=" + maxHandshakes);
        }
    }

    /** Returns the default settings for a folder. */
    static ShmSettings of(final Path folder) {
        return new ShmSettings(folder, 512 << 10, 120_000, 512, true, ShmSettings::usable);
    }

    private static long usable(final Path folder) throws IOException {
        final FileStore store = Files.getFileStore(folder);
        return store.getTotalSpace() == 0 ? Long.MAX_VALUE : store.getUsableSpace(); // a tmpfs without a limit tells zeros
    }

    ShmSettings withHandshakes(final long millis, final int max) {
        return new ShmSettings(folder, ringBytes, millis, max, cma, room);
    }

    ShmSettings withCma(final boolean permitted) {
        return new ShmSettings(folder, ringBytes, handshakeMillis, maxHandshakes, permitted, room);
    }

    ShmSettings withRoom(final Room other) {
        return new ShmSettings(folder, ringBytes, handshakeMillis, maxHandshakes, cma, other);
    }
}
