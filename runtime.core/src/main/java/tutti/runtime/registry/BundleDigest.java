package tutti.runtime.registry;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.osgi.framework.Bundle;

/** Computes the digest of the file that a bundle was installed from. */
final class BundleDigest {
    private static final String REFERENCE = "reference:";

    private BundleDigest() {}

    /** Returns the SHA-256 digest in hex, or an empty string when the file cannot be read. */
    static String of(final Bundle bundle) {
        final String location = bundle.getLocation();
        final String file = location.startsWith(REFERENCE) ? location.substring(REFERENCE.length()) : location;
        try (InputStream in = URI.create(file).toURL().openStream();
             DigestInputStream digest = new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
            digest.transferTo(OutputStream.nullOutputStream());
            return HexFormat.of().formatHex(digest.getMessageDigest().digest());
        } catch (final IOException | IllegalArgumentException e) {
            return "";
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
