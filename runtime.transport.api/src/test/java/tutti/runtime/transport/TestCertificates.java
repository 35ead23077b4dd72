package tutti.runtime.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate authority for tests, whose certificates the JDK's keytool makes. */
public final class TestCertificates {
    private static final char[] PASSWORD = "secret".toCharArray();

    private final Path file;

    /** Creates an authority in a new folder. */
    public TestCertificates() {
        try {
            file = Files.createTempDirectory("tutti-ca").resolve("ca.p12");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        keytool("-alias", "ca", "-dname", "CN=ca", "-ext", "bc:critical=ca:true");
    }

    /** Makes a certificate that is valid now; returns the context of its holder, who trusts this authority. */
    public SSLContext valid(final String name) {
        keytool("-alias", name, "-dname", "CN=" + name, "-signer", "ca");
        return context(name);
    }

    /** Makes a certificate that was valid until yesterday. */
    public SSLContext expired(final String name) {
        keytool("-alias", name, "-dname", "CN=" + name, "-signer", "ca", "-startdate", "-2d", "-validity", "1");
        return context(name);
    }

    private SSLContext context(final String name) {
        try {
            final KeyStore all = KeyStore.getInstance(file.toFile(), PASSWORD);
            final KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(null, null);
            own.setKeyEntry(name, all.getKey(name, PASSWORD), PASSWORD, all.getCertificateChain(name));
            final KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("ca", all.getCertificate("ca"));
            final KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(own, PASSWORD);
            final TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            final SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(e);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void keytool(final String... arguments) {
        final List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-genkeypair", "-keyalg", "EC", "-groupname", "secp256r1", "-storetype", "PKCS12",
            "-keystore", file.toString(), "-storepass", new String(PASSWORD)));
        command.addAll(List.of(arguments));
        try {
            final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            final String text = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                throw new IllegalStateException("keytool failed: " + text);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
