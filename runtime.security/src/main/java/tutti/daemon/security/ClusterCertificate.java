package tutti.daemon.security;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateExpiredException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import tutti.runtime.transport.Transport;

/**
 * Certificate of a node or a user, with its key and the authority of the cluster. Its subject has the name as {@code CN} and the role as {@code OU}.
 * Links are encrypted, and both sides show a certificate of the authority.
 *
 * <p>A file is a PKCS12 key store with one key, whose chain ends with the authority. Its password is {@value #PASSWORD} for all: the permissions of
 * the file protect it. Immutable.
 */
public final class ClusterCertificate implements Credential {
    /** End of the names of files with certificates. */
    public static final String SUFFIX = ".p12";
    /** Password of the files. */
    public static final String PASSWORD = "tutti-secret";

    private final Subject subject;
    private final SSLContext context;

    /**
     * Whom a certificate names.
     *
     * @param role what its holder may do
     * @param name name of the node or user
     */
    public record Subject(Role role, String name) {

        /**
         * Reads the subject of a certificate.
         *
         * @throws IllegalArgumentException when the certificate names none; the message says which subject it has
         */
        static Subject of(final X509Certificate certificate) {
            final String text = certificate.getSubjectX500Principal().getName();
            try {
                final Map<String, String> parts = new HashMap<>();
                for (final Rdn part : new LdapName(text).getRdns()) {
                    parts.put(part.getType().toUpperCase(Locale.ROOT), String.valueOf(part.getValue()));
                }
                return new Subject(Role.parse(parts.getOrDefault("OU", "")), Objects.requireNonNull(parts.get("CN"), "name of a certificate"));
            } catch (final InvalidNameException | IllegalArgumentException | NullPointerException e) {
                // Cause: the certificate was made by other means. Remedy: `tutti secure node` or `tutti secure user`.
                throw new IllegalArgumentException("certificate without a name and a role: subject=" + text + ", expected=CN=NAME,OU=ROLE", e);
            }
        }
    }

    private ClusterCertificate(final Subject subject, final SSLContext context) {
        this.subject = subject;
        this.context = context;
    }

    /**
     * Reads a file.
     *
     * @throws IOException when it cannot be read, has no certificate that is valid now, or others have access to it; the message is one line
     */
    static ClusterCertificate read(final Path file) throws IOException {
        final char[] password = PASSWORD.toCharArray();
        try (InputStream in = open(file)) {
            final KeyStore own = KeyStore.getInstance("PKCS12");
            own.load(in, password);
            final Certificate[] chain = chain(own);
            if (chain == null) {
                // Cause: the file lacks the key, or the certificate of the authority. Remedy: `tutti secure node` or `tutti secure user`.
                throw new IOException("no key with the chain of its certificate: file=" + file);
            }
            final X509Certificate certificate = (X509Certificate) chain[0];
            certificate.checkValidity();
            final KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            trusted.setCertificateEntry("authority", chain[chain.length - 1]);
            final KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(own, password);
            final TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            final SSLContext context = SSLContext.getInstance("TLSv1.3");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return new ClusterCertificate(Subject.of(certificate), context);
        } catch (final CertificateExpiredException e) {
            throw new IOException("certificate has expired: file=" + file + ", " + e.getMessage() + "; make a new one with 'tutti secure'", e);
        } catch (final GeneralSecurityException | IllegalArgumentException e) {
            // Cause: the file is another one. Remedy: `tutti secure node` or `tutti secure user`.
            throw new IOException("not a certificate of a cluster: file=" + file + ", reason=" + e.getMessage(), e);
        }
    }

    private static InputStream open(final Path file) throws IOException {
        try {
            ClusterSecret.checkAccess(file);
            return Files.newInputStream(file);
        } catch (final FileSystemException e) {
            throw ClusterSecret.failure("read", file, e);
        }
    }

    private static Certificate @Nullable [] chain(final KeyStore own) throws GeneralSecurityException {
        for (final String alias : Collections.list(own.aliases())) {
            if (own.isKeyEntry(alias) && own.getCertificateChain(alias).length > 1) {
                return own.getCertificateChain(alias);
            }
        }
        return null;
    }

    @Override
    public Role role() {
        return subject.role();
    }

    /** Returns the name of the node or user. */
    public String name() {
        return subject.name();
    }

    @Override
    public Transport over(final Transport transport) {
        return new CertifiedTransport(transport.secured(context));
    }

    @Override
    public String toString() {
        return "certificate of " + subject.name() + " for role " + subject.role();
    }
}
