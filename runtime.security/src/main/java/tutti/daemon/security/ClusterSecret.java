package tutti.daemon.security;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.Transport;

/**
 * Secret of a cluster for one role. Nodes hold the one for {@link Role#NODE}; the secrets for the other roles follow from it, each from that of the
 * next higher role, and none leads back to a higher one.
 *
 * <p>A file with a secret has one line, {@code tutti-secret ROLE HEX}. Others must not have access. Immutable.
 */
public final class ClusterSecret implements Credential {
    /** Environment variable of commands, and of daemons that they start: path of the file with the secret. */
    public static final String VARIABLE = "TUTTI_SECRET";

    private static final String ALGORITHM = "HmacSHA256";
    private static final int KEY_BYTES = 32;
    private static final String START = "tutti-secret";
    /** Text that the token of the live page authenticates. */
    private static final String PAGE = "tutti page";
    /** The owner may let a group read it, as Kubernetes does. */
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE,
        PosixFilePermission.OTHERS_EXECUTE, PosixFilePermission.GROUP_WRITE);

    private final Role role;
    private final byte[] key;

    private ClusterSecret(final Role role, final byte[] key) {
        this.role = role;
        this.key = key;
    }

    /** Returns a new secret for nodes. */
    public static ClusterSecret random() {
        final byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return new ClusterSecret(Role.NODE, key);
    }

    /**
     * Returns the secret of the current user: that of the file which the environment variable {@link #VARIABLE} names, else that of
     * {@code .tutti/secret} in the home folder, which is made when it is missing.
     *
     * @throws IOException when it cannot be read or made, or others have access to it; the message is one line that names the file
     */
    public static ClusterSecret ofUser() throws IOException {
        final String named = System.getenv(VARIABLE);
        return named != null && !named.isBlank() ? read(Path.of(named)) : readOrMake(userFile());
    }

    /** Returns whether the current user has a file with a secret, or the environment names one. */
    public static boolean isOfUserPresent() {
        final String named = System.getenv(VARIABLE);
        return named != null && !named.isBlank() || Files.exists(userFile());
    }

    private static Path userFile() {
        return Path.of(System.getProperty("user.home"), ".tutti", "secret");
    }

    /** Reads the secret of a file, which is made with a new secret for nodes when it is missing. */
    static ClusterSecret readOrMake(final Path file) throws IOException {
        if (Files.notExists(file)) {
            try {
                random().write(file);
            } catch (final IOException e) {
                throw failure("made", file, e);
            }
        }
        // of several processes that make it at the same time, one does
        return read(file);
    }

    static IOException failure(final String what, final Path file, final IOException cause) {
        // Cause: the home folder cannot be written.
        return new IOException("secret cannot be " + what + ": file=" + file + ", reason=" + cause.getClass().getSimpleName().replace("Exception", "")
            + "; set " + VARIABLE + ", or tutti.node.secret of a node, to a file with the secret of the cluster", cause);
    }

    /**
     * Reads the secret of a file.
     *
     * @throws IOException when it cannot be read, is not a secret, or others have access to it
     */
    public static ClusterSecret read(final Path file) throws IOException {
        final String text;
        try {
            checkAccess(file);
            text = Files.readString(file, StandardCharsets.US_ASCII);
        } catch (final FileSystemException e) {
            throw failure("read", file, e);
        }
        try {
            return parse(text);
        } catch (final IllegalArgumentException e) {
            // Cause: a role gives the secrets of lower roles alone, with the file. Remedy: the secret of a higher role.
            throw new IOException(e.getMessage() + ", file=" + file, e);
        }
    }

    static void checkAccess(final Path file) throws IOException {
        final PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view != null) {
            final Set<PosixFilePermission> allowed = view.readAttributes().permissions();
            if (allowed.stream().anyMatch(OTHERS::contains)) {
                throw new IOException("other users have access to a secret: file=" + file + ", permissions=" + PosixFilePermissions.toString(allowed)
                    + "; make a new one, or take the access away: chmod 600 " + file);
            }
        }
    }

    /**
     * Reads a secret from text.
     *
     * @throws IllegalArgumentException when the text is no secret; the message does not have the text
     */
    public static ClusterSecret parse(final String text) {
        final String[] words = text.strip().split(" ");
        if (words.length != 3 || !words[0].equals(START) || words[2].length() != 2 * KEY_BYTES || !words[2].matches("[0-9a-f]+")) {
            // Cause: the file is another one, or was changed. Remedy: the file that `tutti secure init` makes.
            throw new IllegalArgumentException("not a secret: expected one line '" + START + " ROLE HEX'");
        }
        return new ClusterSecret(Role.parse(words[1]), HexFormat.of().parseHex(words[2]));
    }

    /** Returns the line of a file with this secret, without its end. */
    public String text() {
        return START + " " + role + " " + HexFormat.of().formatHex(key);
    }

    /**
     * Writes the secret to a file that does not exist, to which only its owner has access. A file that exists is left as it is.
     *
     * @throws IOException when the file cannot be written
     */
    public void write(final Path file) throws IOException {
        final Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent(), "folder of a file");
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            if (Files.getFileAttributeView(folder, PosixFileAttributeView.class) != null) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            }
        }
        // with the permissions of a temporary file: only the owner's
        final Path made = Files.createTempFile(folder, "secret", "");
        try {
            Files.writeString(made, text() + "\n");
            Files.createLink(file, made);
        } catch (final FileAlreadyExistsException e) {
            return;
        } finally {
            Files.delete(made);
        }
    }

    @Override
    public Role role() {
        return role;
    }

    @Override
    public Transport over(final Transport transport) {
        return new HelloSigner(transport, this);
    }

    /**
     * Returns the secret for a role that this one includes.
     *
     * @throws IllegalArgumentException when this role does not include the other
     */
    public ClusterSecret derive(final Role lower) {
        if (!role.includes(lower)) {
            // Cause: a role gives the secrets of lower roles alone. Remedy: the secret of a higher role.
            throw new IllegalArgumentException("a secret for role " + role + " does not give one for role " + lower);
        }
        ClusterSecret derived = this;
        while (derived.role != lower) {
            final Role next = Role.values()[derived.role.ordinal() - 1];
            derived = new ClusterSecret(next, derived.mac(next.toString().getBytes(StandardCharsets.US_ASCII)));
        }
        return derived;
    }

    /** Returns the token of the live page of all nodes of the cluster that stands for this role. It gives no secret, and no token of another role. */
    public String pageToken() {
        return HexFormat.of().formatHex(mac(PAGE.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Returns the authentication code of a message. */
    byte[] mac(final byte[]... parts) {
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            for (final byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (final GeneralSecurityException e) {
            // Cause: the JDK lacks what each has. Remedy: another JDK.
            throw new IllegalStateException("every JVM has " + ALGORITHM, e);
        }
    }

    @Override
    public boolean equals(final @Nullable Object other) {
        return other instanceof ClusterSecret s && role == s.role && MessageDigest.isEqual(key, s.key);
    }

    @Override
    public int hashCode() {
        return role.hashCode();
    }

    /** Returns the role, without the secret itself. */
    @Override
    public String toString() {
        return "secret for role " + role;
    }
}
