package tutti.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import tutti.daemon.node.ExitStatus;
import tutti.daemon.security.ClusterCertificate;
import tutti.daemon.security.Role;

/**
 * Certificate authority of a cluster: a file in a folder that only its owner can read. The JDK's keytool makes keys and certificates, in a process of
 * its own, as the JDK has no interface for that; so no library is needed for a command that is rarely used.
 */
final class CertificateAuthority {
    private static final char[] PASSWORD = ClusterCertificate.PASSWORD.toCharArray();
    private static final String ALIAS = "authority";
    private static final String NAME = "[A-Za-z0-9][A-Za-z0-9._-]*";

    private final Path folder;
    private final Path file;

    CertificateAuthority(final Path folder) {
        this.folder = folder;
        this.file = folder.resolve("authority" + ClusterCertificate.SUFFIX);
    }

    /** Makes the authority; returns its file. */
    Path create(final int days) throws IOException {
        if (Files.exists(file)) {
            throw new CommandFailure(ExitStatus.FAILED, "there is an authority already: " + file + "; nothing was made");
        }
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            restrict(folder, "rwx------");
        }
        // made in a folder of the owner, so that it is never readable by others
        final Path made = Files.createTempDirectory(folder, "made");
        try {
            keytool(made.resolve(file.getFileName()), days, "-alias", ALIAS, "-dname", "CN=Tutti cluster", "-ext", "bc:critical=ca:true,pathlen:0",
                "-ext",
                "ku:critical=keyCertSign");
            restrict(made.resolve(file.getFileName()), "rw-------");
            Files.move(made.resolve(file.getFileName()), file);
        } finally {
            Files.deleteIfExists(made.resolve(file.getFileName()));
            Files.delete(made);
        }
        return file;
    }

    /** Makes a certificate; returns its file. */
    Path issue(final String name, final Role role, final int days) throws IOException {
        if (!name.matches(NAME)) {
            throw new CommandFailure(ExitStatus.USAGE, "bad name of a node or user: name=" + name + ", allowed=letters, digits, '.', '_' and '-'");
        }
        if (!Files.exists(file)) {
            throw new CommandFailure(ExitStatus.USAGE, "no authority: file=" + file + "; make it with: tutti secure init --certificates --dir "
                + folder);
        }
        final Path target = folder.resolve(name + "." + role + ClusterCertificate.SUFFIX);
        if (Files.exists(target)) {
            throw new CommandFailure(ExitStatus.FAILED,
                "there is a certificate already: " + target + "; nothing was made. Delete it to make another");
        }
        // a copy, so that the authority does not keep the keys of others
        final Path made = Files.createTempFile(folder, "made", "");
        try {
            try (OutputStream out = Files.newOutputStream(made)) {
                Files.copy(file, out);
            }
            keytool(made, days, "-alias", name, "-dname", "CN=" + name + ",OU=" + role, "-signer", ALIAS, "-ext", "ku:critical=digitalSignature");
            final KeyStore all = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(made)) {
                all.load(in, PASSWORD);
            }
            all.deleteEntry(ALIAS);
            try (OutputStream out = Files.newOutputStream(made)) {
                all.store(out, PASSWORD);
            }
            Files.move(made, target);
        } catch (final GeneralSecurityException e) {
            throw new IOException("certificate cannot be made: " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(made);
        }
        return target;
    }

    private static void restrict(final Path path, final String permissions) throws IOException {
        if (Files.getFileAttributeView(path, PosixFileAttributeView.class) != null) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        }
    }

    private static void keytool(final Path store, final int days, final String... arguments) throws IOException {
        if (days < 1) {
            throw new CommandFailure(ExitStatus.USAGE, "bad number of days: days=" + days + ", min=1");
        }
        // a short process: what C2 compiles and what G1's threads do costs more than it saves
        final List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-storetype", "PKCS12",
            "-keystore", store.toString(), "-storepass:env", "TUTTI_STORE", "-validity", Integer.toString(days)));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("TUTTI_STORE", ClusterCertificate.PASSWORD);
        final Process process = builder.start();
        process.getOutputStream().close();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        try {
            if (process.waitFor() != 0) {
                throw new IOException("keytool failed: " + text);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
