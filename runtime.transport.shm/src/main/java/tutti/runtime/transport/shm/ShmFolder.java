package tutti.runtime.transport.shm;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names, owners and remains of the files of a folder: {@code tutti-PORT} is the socket of a listener, {@code tutti-PORT.RANDOM} the memory of a link
 * during its handshake.
 *
 * <p>Safe for any thread.
 */
final class ShmFolder {
    static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final Logger LOG = LoggerFactory.getLogger(ShmFolder.class);
    private static final Pattern NAME = Pattern.compile("(tutti-[1-9][0-9]{0,4})(\\.[0-9a-f]{16})?");
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final String INSTEAD = "; use transport tcp instead";
    /** Time within which a listener that is being opened begins to listen. */
    private static final long YOUNG_MILLIS = 1_000;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Path folder;

    ShmFolder(final Path folder) {
        this.folder = folder;
    }

    /** Returns what the processes that can be linked have in common. */
    String reach() throws IOException {
        if (!System.getProperty("os.name", "").startsWith("Linux")) {
            throw new IOException("transport shm needs Linux: os=" + System.getProperty("os.name") + INSTEAD);
        }
        if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new IOException("transport shm needs a folder that this user can write: folder=" + folder + "; mount a tmpfs there" + INSTEAD);
        }
        return Files.readString(BOOT_ID).strip() + ":" + Files.getAttribute(folder, "unix:dev");
    }

    /** Returns the file of a listener's socket. */
    Path socket(final int port) {
        return folder.resolve("tutti-" + port);
    }

    /** Returns a new name for the memory of a link. */
    static String newRegion(final int port) {
        return "tutti-" + port + String.format(".%016x", ThreadLocalRandom.current().nextLong());
    }

    /** Returns the file of a link's memory, whose name the listener of a port has sent. */
    Path region(final int port, final String name) throws IOException {
        final Matcher matcher = NAME.matcher(name);
        if (!matcher.matches() || matcher.group(2) == null || !matcher.group(1).equals("tutti-" + port)) {
            throw new IOException("the peer sent a name that is none of its files: name=" + name.replaceAll("[^!-~]", "?"));
        }
        return folder.resolve(name);
    }

    /** Checks that a file belongs to this user: in a folder that all can write, another user may have made it. */
    static void checkOwned(final Path file) throws IOException {
        if (!isOwned(file)) {
            throw new IOException("file of another user: file=" + file + INSTEAD);
        }
    }

    private static boolean isOwned(final Path file) throws IOException {
        return Objects.equals(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS), Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    /** Removes the files of this user whose listener lives no more. */
    void removeRemains() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "tutti-*")) {
            for (final Path file : files) {
                removeIfDead(file);
            }
        } catch (IOException | RuntimeException e) {
            LOG.debug("remains cannot be removed: folder={}", folder, e);
        }
    }

    private void removeIfDead(final Path file) {
        final Matcher name = NAME.matcher(String.valueOf(file.getFileName()));
        try {
            if (!name.matches() || !isOwned(file)) {
                return;
            }
            final Path socket = folder.resolve(name.group(1));
            if (name.group(2) == null ? isDead(socket) : Files.notExists(socket, LinkOption.NOFOLLOW_LINKS)) {
                remove(socket);
                Files.deleteIfExists(file);
                LOG.debug("remains of a process removed: file={}", file);
            }
        } catch (final NoSuchFileException e) {
            LOG.trace("file was removed by another process: file={}", file, e);
        } catch (final IOException e) {
            LOG.debug("remains cannot be removed: file={}", file, e);
        }
    }

    /** Removes the memory of unfinished handshakes, then the socket, so that a second attempt finds what is left. */
    void remove(final Path socket) throws IOException {
        try (DirectoryStream<Path> regions = Files.newDirectoryStream(folder, socket.getFileName() + ".*")) {
            for (final Path region : regions) {
                Files.deleteIfExists(region);
            }
        }
        Files.deleteIfExists(socket);
    }

    /** Returns whether nobody listens at a socket. One that is new is looked at twice, since it may not listen yet. */
    private static boolean isDead(final Path socket) throws IOException {
        final BasicFileAttributes before = attributes(socket);
        if (!before.isOther() || !refuses(socket)) {
            return false;
        }
        if (System.currentTimeMillis() - before.lastModifiedTime().toMillis() > YOUNG_MILLIS) {
            return true;
        }
        LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        return Objects.equals(before.fileKey(), attributes(socket).fileKey()) && refuses(socket);
    }

    private static BasicFileAttributes attributes(final Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean refuses(final Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false); // a listener whose queue is full lives
            channel.connect(UnixDomainSocketAddress.of(socket));
            return false;
        } catch (final ConnectException e) {
            return String.valueOf(e.getMessage()).contains("refused");
        }
    }
}
