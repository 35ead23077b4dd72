package tutti.daemon.modules;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.security.GeneralSecurityException;
import java.security.cert.CertPath;
import java.security.cert.CertPathValidator;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.PKIXParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Constants;
import tutti.daemon.node.NodeProperties;

/**
 * The certificates whose holders may sign modules, and the check that a bundle is signed by one of them.
 *
 * <p>A bundle is accepted when every entry, except the signature itself, is unchanged and signed. The signer holds one of the certificates. Where a
 * certificate is that of an authority, its signer may also be whoever holds a certificate that the authority has issued. Certificates must be valid
 * now: a time stamp extends nothing. Revocation is not checked. Only bytes are read: no class of the bundle is loaded.
 *
 * <p>Immutable.
 */
final class ModuleSigners {
    /** Begins the refusal of a bundle. */
    static final String REFUSED = "module bundle is refused: ";
    private static final String META_INF = "META-INF/";
    private static final Set<String> SIGNATURES = Set.of("SF", "RSA", "DSA", "EC");
    private static final Set<String> CODE_SIGNING = Set.of("1.3.6.1.5.5.7.3.3", "2.5.29.37.0");
    private static final String DIGEST = "-digest";

    private final Path source;
    private final Set<X509Certificate> trusted;
    private final Map<CertPath, String> checked = new HashMap<>();

    private ModuleSigners(final Path source, final Set<X509Certificate> trusted) {
        this.source = source;
        this.trusted = trusted;
    }

    /**
     * Reads a file with certificates in PEM format.
     *
     * @throws IOException when the file cannot be read, or has something else or nothing in it; the message is one line that names setting and file
     */
    private static ModuleSigners read(final Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            final Collection<? extends Certificate> all = CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (all.isEmpty()) {
                // Cause: the file with the signers is empty. Remedy: put the certificates of the signers there.
                throw new IOException("it has no certificate");
            }
            return new ModuleSigners(file, all.stream().map(X509Certificate.class::cast).collect(Collectors.toUnmodifiableSet()));
        } catch (final IOException | CertificateException e) {
            // Cause: the file with the signers is damaged, or another one.
            throw new IOException("no module can be checked: " + NodeProperties.SIGNERS + "=" + file + ": " + e.getClass().getSimpleName() + ": "
                + String.valueOf(e.getMessage()).lines().findFirst().orElse("") + "; give it certificates in PEM format", e);
        }
    }

    /**
     * Checks a bundle by the certificates that a file has now.
     *
     * @param certificates the file with the certificates in PEM format; null when bundles need not be signed
     * @throws IOException when the bundle is not signed as demanded; the message is one line that names bundle, entry and signer
     */
    static void check(final Path bundle, final @Nullable Path certificates) throws IOException {
        if (certificates != null) {
            read(certificates).check(bundle);
        }
    }

    private void check(final Path bundle) throws IOException {
        try (JarFile jar = new JarFile(bundle.toFile(), true)) {
            final String name = name(jar.getManifest(), bundle);
            final Set<String> names = new HashSet<>();
            for (final Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements();) {
                final JarEntry entry = entries.nextElement();
                if (!names.add(entry.getName())) {
                    throw refused(name, entry.getName(), "", "the jar has two entries of that name");
                }
                if (!entry.isDirectory() && !isSignature(entry.getName())) {
                    check(jar, entry, name);
                }
            }
            for (final Map.Entry<String, Attributes> section : jar.getManifest().getEntries().entrySet()) {
                if (!names.contains(section.getKey()) && isSigned(section.getValue())) {
                    throw refused(name, section.getKey(), "", "it was signed and is missing");
                }
            }
        } catch (final SecurityException e) {
            // the manifest itself, or a file of a signature
            throw refused(bundle.getFileName().toString(), JarFile.MANIFEST_NAME, "", changed(e));
        }
    }

    private void check(final JarFile jar, final JarEntry entry, final String bundle) throws IOException {
        try (InputStream in = jar.getInputStream(entry)) {
            // the signers are known when the entry has been read
            in.transferTo(OutputStream.nullOutputStream());
        } catch (final SecurityException e) {
            throw refused(bundle, entry.getName(), "", changed(e));
        }
        final CodeSigner[] signers = entry.getCodeSigners();
        if (signers == null) {
            throw refused(bundle, entry.getName(), "", "it is not signed");
        }
        final List<String> reasons = new ArrayList<>();
        for (final CodeSigner signer : signers) {
            final String reason = checked.computeIfAbsent(signer.getSignerCertPath(), this::reason);
            if (reason.isEmpty()) {
                return;
            }
            reasons.add(reason);
        }
        throw refused(bundle, entry.getName(), signer(signers[0].getSignerCertPath()), String.join("; ", reasons));
    }

    /** Returns why a signer is not accepted; empty when it is. */
    private String reason(final CertPath path) {
        final List<X509Certificate> certificates = path.getCertificates().stream().map(X509Certificate.class::cast).toList();
        final X509Certificate signer = certificates.getFirst();
        try {
            signer.checkValidity();
            if (signer.getExtendedKeyUsage() != null && signer.getExtendedKeyUsage().stream().noneMatch(CODE_SIGNING::contains)) {
                return "its certificate is not for signing code";
            }
            if (trusted.contains(signer)) {
                return "";
            }
            final Set<TrustAnchor> authorities = new HashSet<>();
            for (final X509Certificate authority : trusted) {
                if (authority.getBasicConstraints() >= 0 && isValid(authority)) {
                    authorities.add(new TrustAnchor(authority, null));
                }
            }
            if (authorities.isEmpty()) {
                return unknown();
            }
            final PKIXParameters parameters = new PKIXParameters(authorities);
            parameters.setRevocationEnabled(false);
            // the path of a signature may include the authority, which is no part of a path to validate
            final List<X509Certificate> below = certificates.stream().takeWhile(c -> !trusted.contains(c)).toList();
            CertPathValidator.getInstance("PKIX").validate(CertificateFactory.getInstance("X.509").generateCertPath(below), parameters);
            return "";
        } catch (final CertificateExpiredException e) {
            return "its certificate has expired: notAfter=" + signer.getNotAfter().toInstant();
        } catch (final CertificateNotYetValidException e) {
            return "its certificate is not valid yet: notBefore=" + signer.getNotBefore().toInstant();
        } catch (final GeneralSecurityException e) {
            return unknown();
        }
    }

    private String unknown() {
        return "its certificate is not trusted: trusted=" + source;
    }

    private static boolean isValid(final X509Certificate certificate) {
        try {
            certificate.checkValidity();
            return true;
        } catch (final CertificateException e) {
            return false;
        }
    }

    /** Returns whether an entry is the manifest or belongs to a signature, which nobody can sign. */
    private static boolean isSignature(final String entry) {
        final String name = entry.toUpperCase(Locale.ROOT);
        if (!name.startsWith(META_INF) || name.indexOf('/', META_INF.length()) >= 0) {
            return false;
        }
        return name.equals(JarFile.MANIFEST_NAME) || SIGNATURES.contains(name.substring(name.lastIndexOf('.') + 1));
    }

    private static boolean isSigned(final Attributes section) {
        return section.keySet().stream().anyMatch(k -> k.toString().toLowerCase(Locale.ROOT).endsWith(DIGEST));
    }

    private static String name(final Manifest manifest, final Path bundle) {
        final String name = manifest == null ? null : manifest.getMainAttributes().getValue(Constants.BUNDLE_SYMBOLICNAME);
        return name == null ? bundle.getFileName().toString()
            : name.replaceFirst(";.*", "") + " " + manifest.getMainAttributes().getValue(Constants.BUNDLE_VERSION);
    }

    private static String changed(final SecurityException e) {
        return "it was changed after it was signed: " + String.valueOf(e.getMessage()).lines().findFirst().orElse("");
    }

    private static String signer(final CertPath path) {
        return ((X509Certificate) path.getCertificates().getFirst()).getSubjectX500Principal().getName();
    }

    private static IOException refused(final String bundle, final String entry, final String signer, final String reason) {
        // Cause: the nodes take [signed modules](security.md#signed-modules) alone.
        return new IOException(REFUSED + "bundle=" + bundle + ", entry=" + entry + (signer.isEmpty() ? "" : ", signer=" + signer) + ": " + reason
            + "; sign all of it with jarsigner and a certificate of " + NodeProperties.SIGNERS);
    }
}
