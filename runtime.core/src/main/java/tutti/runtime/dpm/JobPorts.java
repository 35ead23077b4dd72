package tutti.runtime.dpm;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import tutti.runtime.job.Endpoint;
import tutti.runtime.job.JobHost;
import tutti.runtime.model.ErrorClass;
import tutti.runtime.model.MpiFailure;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.Link;
import tutti.runtime.transport.LinkHandler;
import tutti.runtime.transport.RefusedException;
import tutti.runtime.transport.Transport;

/** The ports of a job's part on a node. Safe for any thread: the lock of this object guards the ports, and is held for one access. */
final class JobPorts {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SECRET_BYTES = 16;

    private final String job;
    private final Map<Integer, Port> ports = new HashMap<>();
    private int numbers;

    /** A port, with the connections that no accept has taken and the accepts that wait for one. */
    private static final class Port {
        private final PortName name;
        private final Deque<MeetingLink> arrived = new ArrayDeque<>();
        private final Deque<CompletableFuture<Meeting>> waiting = new ArrayDeque<>();

        Port(final PortName name) {
            this.name = name;
        }
    }

    /** Creates the ports of a job, by its identity. */
    JobPorts(final String job) {
        this.job = job;
    }

    /** Opens a port on the node with that endpoint; returns its name. */
    synchronized String open(final Endpoint node) {
        final byte[] secret = new byte[SECRET_BYTES];
        RANDOM.nextBytes(secret);
        final PortName name = new PortName(node.host(), node.port(), job, ++numbers, HexFormat.of().formatHex(secret));
        ports.put(name.number(), new Port(name));
        return name.toString();
    }

    /** Closes a port: connections that nobody has accepted are closed. */
    void close(final String text) {
        final Port port;
        synchronized (this) {
            port = own(text);
            ports.remove(port.name.number());
        }
        end(port);
    }

    private static void end(final Port port) {
        port.arrived.forEach(MeetingLink::close);
        port.waiting.forEach(w -> w.completeExceptionally(new IOException("the port was closed")));
    }

    /** Closes all ports. */
    void closeAll() {
        final Map<Integer, Port> all;
        synchronized (this) {
            all = Map.copyOf(ports);
            ports.clear();
        }
        all.values().forEach(JobPorts::end);
    }

    /** Returns the next connection to a port. */
    synchronized CompletableFuture<Meeting> accept(final String text) {
        final Port port = own(text);
        MeetingLink next = port.arrived.poll();
        while (next != null && next.isClosed()) {
            // its root has given up
            next = port.arrived.poll();
        }
        if (next != null) {
            return CompletableFuture.completedFuture(next);
        }
        final CompletableFuture<Meeting> later = new CompletableFuture<>();
        port.waiting.add(later);
        return later;
    }

    private Port own(final String text) {
        final PortName name = PortName.parse(text);
        final Port port = name.job().equals(job) ? ports.get(name.number()) : null;
        if (port == null || !port.name.equals(name)) {
            // Cause: it was closed, or another node has it.
            throw new MpiFailure(ErrorClass.PORT, "no such port is open on this node: use the rank that opened it as root: name=" + text);
        }
        return port;
    }

    /** Connects to a port of any job. */
    static CompletableFuture<Meeting> connect(final String text, final Transport transport, final Duration limit, final String jobName) {
        final PortName name = PortName.parse(text);
        final CompletableFuture<Meeting> connected = new CompletableFuture<>();
        Thread.ofVirtual().name("tutti-" + jobName + "-port").inheritInheritableThreadLocals(false).start(() -> {
            final MeetingLink meeting = new MeetingLink();
            try {
                meeting
                    .attach(transport.connect(new InetSocketAddress(name.host(), name.port()), new Hello(JobHost.PURPOSE_PORT, hello(name)), meeting,
                        limit));
                if (!connected.complete(meeting)) {
                    meeting.close();
                }
            } catch (final IOException | RuntimeException e) {
                connected.completeExceptionally(e);
            }
        });
        return connected;
    }

    private static byte[] hello(final PortName name) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeUTF(name.job());
            out.writeInt(Meeting.VERSION);
            out.writeInt(name.number());
            out.writeUTF(name.secret());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Accepts the link of a root that connects to a port. */
    LinkHandler accept(final Link link, final Hello hello) throws RefusedException {
        final MeetingLink meeting = new MeetingLink();
        @Nullable
        CompletableFuture<Meeting> receiver = null;
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(hello.payload()))) {
            in.readUTF();
            final int version = in.readInt();
            if (version != Meeting.VERSION) {
                // Cause: connected jobs run on different releases.
                throw new RefusedException(
                    "the port has version " + Meeting.VERSION + ", this job " + version + "; use the same release for both jobs");
            }
            final int number = in.readInt();
            final byte[] secret = in.readUTF().getBytes(StandardCharsets.US_ASCII);
            synchronized (this) {
                final Port port = ports.get(number);
                if (port == null || !MessageDigest.isEqual(secret, port.name.secret().getBytes(StandardCharsets.US_ASCII))) {
                    // Cause: `closePort`, or the job that opened it has ended. Remedy: start the other program first.
                    throw new RefusedException("the port is closed");
                }
                receiver = port.waiting.poll();
                while (receiver != null && receiver.isDone()) {
                    // its accept has given up
                    receiver = port.waiting.poll();
                }
                if (receiver == null) {
                    port.arrived.add(meeting);
                }
            }
        } catch (final RefusedException e) {
            throw e;
        } catch (final IOException e) {
            // Cause: the peer runs another release. Remedy: the same release everywhere.
            throw new RefusedException("bad hello of a port");
        }
        meeting.attach(link);
        if (receiver != null && !receiver.complete(meeting)) {
            // Cause: `closePort`, or the job that opened it has ended, while the program waited. Remedy: start the other program first.
            throw new RefusedException("the port was closed");
        }
        return meeting;
    }
}
