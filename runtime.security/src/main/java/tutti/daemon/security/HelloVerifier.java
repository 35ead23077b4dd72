package tutti.daemon.security;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.Hello;
import tutti.runtime.transport.RefusedException;

/**
 * Verifier of the hellos that a node receives: finds out what the sender may do.
 *
 * <p>A hello is accepted once, and only when the clocks of both hosts differ by less than {@link #WINDOW_MINUTES}. Safe for any thread.
 */
public final class HelloVerifier {
    /** Time during which a hello is accepted, before and after it was made. */
    static final long WINDOW_MINUTES = 5;
    private static final long WINDOW_MILLIS = TimeUnit.MINUTES.toMillis(WINDOW_MINUTES);

    /** How often hellos are forgotten that do not count any more: not with each new one, of which a flood may bring many. */
    private static final long PURGE_MILLIS = 1_000;

    private final Map<Role, ClusterSecret> secrets = new EnumMap<>(Role.class);
    private final boolean isOpen;
    private final boolean byCertificate;
    private final LongSupplier clock;
    /** The random bytes of the hellos of the last minutes, with the time when they end to count. Only who has the secret adds to them. */
    private final Map<String, Long> seen = new ConcurrentHashMap<>();
    private final AtomicLong purge = new AtomicLong();

    /**
     * A hello as its sender made it, and what the sender may do.
     *
     * @param role  what the sender may do
     * @param hello the hello without its signature
     * @param name  name of the node or user, as the certificate says; null without one
     * @param isKnown whether the sender has shown a secret or a certificate
     */
    public record Verified(Role role, Hello hello, @Nullable String name, boolean isKnown) {
        /**
         * Returns the name of the sender as owner of jobs: the user of its certificate, or else who has the secret of its role. Null where everybody
         * may do everything, since nobody is known.
         */
        public @Nullable String owner() {
            if (!isKnown) {
                return null;
            }
            return name == null ? "secret for role " + role : "user " + name;
        }
    }

    /**
     * Creates the verifier of a node.
     *
     * @param own what the node shows itself; null for a node where everybody may do everything
     */
    public HelloVerifier(final @Nullable Credential own) {
        this(own, System::currentTimeMillis);
    }

    HelloVerifier(final @Nullable Credential own, final LongSupplier clock) {
        this.isOpen = own == null;
        this.byCertificate = own instanceof ClusterCertificate;
        this.clock = clock;
        if (own instanceof final ClusterSecret secret) {
            for (final Role role : Role.values()) {
                secrets.put(role, secret.derive(role));
            }
        }
    }

    /**
     * Verifies the sender of a hello.
     *
     * @param shown the certificate of the link's peer, which is trusted; null for none
     * @param ports ports at which this node is reached
     * @throws RefusedException when the sender has no secret or certificate of this cluster; the message says what to do
     */
    public Verified verify(final @Nullable X509Certificate shown, final Hello hello, final Set<Integer> ports) throws RefusedException {
        if (!byCertificate) {
            return verify(hello, ports);
        }
        if (shown == null) {
            // Cause: the cluster has certificates, and the command none.
            throw new RefusedException("no certificate was given, and this node wants one of its cluster: set " + ClusterSecret.VARIABLE
                + " to a file that 'tutti secure user' makes");
        }
        try {
            final ClusterCertificate.Subject subject = ClusterCertificate.Subject.of(shown);
            return new Verified(subject.role(), hello, subject.name(), true);
        } catch (final IllegalArgumentException e) {
            throw new RefusedException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Verifies a hello.
     *
     * @param ports ports at which this node is reached
     * @throws RefusedException when the sender has no secret of this cluster; the message says what to do
     */
    public Verified verify(final Hello hello, final Set<Integer> ports) throws RefusedException {
        final byte[] payload = hello.payload();
        final boolean isSigned = payload.length >= HelloSigner.HEAD_BYTES + HelloSigner.MAC_BYTES && payload[0] == HelloSigner.SIGNED;
        if (!isSigned) {
            if (isOpen) {
                return new Verified(Role.NODE, hello, null, false);
            }
            // Cause: the command has none, the cluster has one.
            throw new RefusedException("no secret was given, and this node wants that of its cluster: " + remedy());
        }
        final byte[] head = Arrays.copyOf(payload, HelloSigner.HEAD_BYTES);
        final byte[] mac = Arrays.copyOfRange(payload, HelloSigner.HEAD_BYTES, HelloSigner.HEAD_BYTES + HelloSigner.MAC_BYTES);
        final byte[] body = Arrays.copyOfRange(payload, HelloSigner.HEAD_BYTES + HelloSigner.MAC_BYTES, payload.length);
        final Hello inner = new Hello(hello.purpose(), body);
        if (isOpen) {
            return new Verified(Role.NODE, inner, null, false);
        }
        final int ordinal = head[1];
        if (ordinal < 0 || ordinal >= Role.values().length) {
            // Cause: what connects does not know the secret. Remedy: the secret of the cluster.
            throw new RefusedException("bad signature of a hello: role=" + ordinal);
        }
        final Role role = Role.values()[ordinal];
        final ClusterSecret secret = Objects.requireNonNull(secrets.get(role), "secret of a role");
        if (ports.stream().noneMatch(port -> MessageDigest.isEqual(mac, HelloSigner.mac(secret, head, port, hello.purpose(), body)))) {
            throw new RefusedException("the secret is not that of this cluster, or another port was forwarded: " + remedy());
        }
        final ByteBuffer fields = ByteBuffer.wrap(head, 2, HelloSigner.HEAD_BYTES - 2);
        final long now = clock.getAsLong();
        final long made = fields.getLong();
        if (Math.abs(now - made) > WINDOW_MILLIS) {
            // Cause: a secret is proved with the time.
            throw new RefusedException("clocks differ by " + TimeUnit.MILLISECONDS.toSeconds(Math.abs(now - made)) + " s, max="
                + TimeUnit.MINUTES.toSeconds(WINDOW_MINUTES) + " s: set the clocks of both hosts");
        }
        final long next = purge.get();
        if (now >= next && purge.compareAndSet(next, now + PURGE_MILLIS)) {
            seen.values().removeIf(end -> end < now);
        }
        if (seen.putIfAbsent(HexFormat.of().formatHex(head, 2 + Long.BYTES, HelloSigner.HEAD_BYTES), made + WINDOW_MILLIS) != null) {
            // Cause: somebody repeats what was sent over the network. Remedy: look who it is.
            throw new RefusedException("the hello was sent before");
        }
        return new Verified(role, inner, null, true);
    }

    private static String remedy() {
        return "run the command as the user who started the node, or set " + ClusterSecret.VARIABLE + " to a file with the secret";
    }
}
