package tutti.itest;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** OpenSSH servers of this user, on a port of their own: one on several loopback addresses, which stand for hosts, or one on each host. */
final class SshServer implements AutoCloseable {
    /** The hosts. */
    static final List<String> HOSTS = List.of("127.0.0.2", "127.0.0.3", "127.0.0.4");
    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    /** A server that root starts needs this folder. */
    private static final Path PRIVILEGE_SEPARATION = Path.of("/run/sshd");

    private final List<Process> processes;
    private final Path config;
    private final boolean madeFolder;

    private SshServer(final List<Process> processes, final Path config, final boolean madeFolder) {
        this.processes = processes;
        this.config = config;
        this.madeFolder = madeFolder;
    }

    /** Starts a server whose files are in a folder. Skips the test where there is none. */
    static SshServer start(final Path folder) throws Exception {
        final int port = freePort();
        return start(folder, port, HOSTS, List.of(List.of()), host -> accepts(host, port));
    }

    private static int freePort() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(HOSTS.getFirst()))) {
            return free.getLocalPort();
        }
    }

    /**
     * Starts servers whose files are in a folder. Skips the test where there is none.
     *
     * @param addresses addresses of the hosts, of which each server listens on those that it finds
     * @param hosts     for each server the command that starts another one on its host
     * @param accepts   returns whether the server at an address accepts connections
     */
    static SshServer start(final Path folder, final int port, final List<String> addresses, final List<List<String>> hosts,
        final Predicate<String> accepts) throws Exception {
        assumeTrue(Files.isExecutable(SSHD), "no OpenSSH server here, " + SSHD + ": install it with: apt-get install openssh-server");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        key(folder.resolve("host-key"));
        key(folder.resolve("user-key"));
        final StringBuilder server = new StringBuilder("Port " + port + "\nPidFile none\nHostKey " + folder.resolve("host-key")
            + "\nAuthorizedKeysFile " + folder.resolve("user-key.pub")
            + "\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n");
        addresses.forEach(h -> server.append("ListenAddress ").append(h).append('\n'));
        Files.writeString(folder.resolve("server"), server);
        final Path config = Files.writeString(folder.resolve("client"), "Host *\n  Port " + port + "\n  IdentityFile " + folder.resolve("user-key")
            + "\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n  UserKnownHostsFile " + folder.resolve("known-hosts") + "\n  LogLevel ERROR\n");
        final boolean isRoot = System.getProperty("user.name").equals("root");
        final boolean made = isRoot && !Files.exists(PRIVILEGE_SEPARATION);
        if (made) {
            Files.createDirectory(PRIVILEGE_SEPARATION, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        }
        final Path log = folder.resolve("log");
        final List<Process> processes = new ArrayList<>();
        final SshServer started = new SshServer(processes, config, made);
        for (final List<String> host : hosts) {
            final List<String> line = new ArrayList<>(host);
            line.addAll(List.of(SSHD.toString(), "-D", "-e", "-f", folder.resolve("server").toString()));
            processes.add(new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start());
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> !processes.stream().allMatch(Process::isAlive) || addresses.stream().allMatch(accepts));
        if (!processes.stream().allMatch(Process::isAlive)) {
            started.close();
            throw new IOException("OpenSSH server does not start: " + Files.readString(log));
        }
        return started;
    }

    private static void key(final Path file) throws IOException, InterruptedException {
        final Process process = new ProcessBuilder("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file.toString()).inheritIO().start();
        if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException("ssh-keygen failed: file=" + file);
        }
    }

    private static boolean accepts(final String host, final int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port));
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    /** Returns the ssh command that logs in to the hosts. */
    String command() {
        return "ssh -F " + config;
    }

    @Override
    public void close() throws IOException {
        processes.forEach(Process::destroy);
        await().atMost(Duration.ofSeconds(60)).until(() -> processes.stream().noneMatch(Process::isAlive));
        if (madeFolder) {
            Files.deleteIfExists(PRIVILEGE_SEPARATION);
        }
    }
}
