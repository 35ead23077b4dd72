package tutti.daemon.modules;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import jdk.security.jarsigner.JarSigner;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ModuleSignersTest {
    private static final String PASSWORD = "password";
    private static final String CLASS = "probe/Probe.class";

    @TempDir
    private static Path dir;
    private static KeyStore keys;

    @BeforeAll
    static void makeCertificates() throws Exception {
        final Path store = dir.resolve("keys.p12");
        keytool(store, "-alias", "alice", "-dname", "CN=alice");
        keytool(store, "-alias", "eve", "-dname", "CN=eve");
        keytool(store, "-alias", "old", "-dname", "CN=old", "-startdate", "-3d", "-validity", "1");
        keytool(store, "-alias", "early", "-dname", "CN=early", "-startdate", "+3d");
        keytool(store, "-alias", "server", "-dname", "CN=server", "-ext", "eku=serverAuth");
        keytool(store, "-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c");
        keytool(store, "-alias", "bob", "-dname", "CN=bob", "-signer", "authority", "-ext", "eku=codeSigning");
        keytool(store, "-alias", "carol", "-dname", "CN=carol", "-signer", "alice");
        keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    }

    private static void keytool(final Path store, final String... options) throws Exception {
        final List<String> line = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-genkeypair", "-keyalg", "EC", "-keystore", store.toString(), "-storepass",
            PASSWORD));
        line.addAll(List.of(options));
        final Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), text);
    }

    private static Path trust(final String... aliases) throws Exception {
        final StringBuilder pem = new StringBuilder();
        for (final String alias : aliases) {
            pem.append("-----BEGIN CERTIFICATE-----\n").append(Base64.getMimeEncoder().encodeToString(keys.getCertificate(alias).getEncoded()))
                .append("\n-----END CERTIFICATE-----\n");
        }
        return Files.writeString(Files.createTempFile(dir, "trusted", ".pem"), pem);
    }

    private static Map<String, byte[]> module() {
        final Map<String, byte[]> entries = new LinkedHashMap<>();
        entries.put(CLASS, new byte[] {1, 2, 3});
        entries.put("OSGI-INF/probe.xml", new byte[] {4});
        return entries;
    }

    private static Path jar(final Map<String, byte[]> entries) throws IOException {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Bundle-SymbolicName", "probe; singleton:=true");
        manifest.getMainAttributes().putValue("Bundle-Version", "1.2.3");
        final Path jar = Files.createTempFile(dir, "module", ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            write(out, entries);
        }
        return jar;
    }

    private static void write(final JarOutputStream out, final Map<String, byte[]> entries) throws IOException {
        for (final Map.Entry<String, byte[]> e : entries.entrySet()) {
            out.putNextEntry(new ZipEntry(e.getKey()));
            out.write(e.getValue());
        }
    }

    private static Path sign(final Path jar, final String alias) throws Exception {
        final Path signed = Files.createTempFile(dir, "signed", ".jar");
        final List<Certificate> chain = Arrays.asList(keys.getCertificateChain(alias));
        try (ZipFile in = new ZipFile(jar.toFile()); OutputStream out = Files.newOutputStream(signed)) {
            new JarSigner.Builder((PrivateKey) keys.getKey(alias, PASSWORD.toCharArray()),
                CertificateFactory.getInstance("X.509").generateCertPath(chain)).signerName(alias).build().sign(in, out);
        }
        return signed;
    }

    /** Copies a signed jar with other entries: those with value null are left out. */
    private static Path changed(final Path jar, final Map<String, byte[]> changes) throws IOException {
        final Map<String, byte[]> entries = new LinkedHashMap<>();
        try (ZipFile in = new ZipFile(jar.toFile())) {
            for (final ZipEntry e : in.stream().toList()) {
                entries.put(e.getName(), in.getInputStream(e).readAllBytes());
            }
        }
        entries.putAll(changes);
        entries.values().removeIf(java.util.Objects::isNull);
        final Path copy = Files.createTempFile(dir, "changed", ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(copy))) {
            write(out, entries);
        }
        return copy;
    }

    private static void assertRefused(final Path jar, final Path trusted, final String... words) {
        final IOException e = assertThrows(IOException.class, () -> ModuleSigners.check(jar, trusted));
        assertEquals(1, e.getMessage().lines().count(), e.getMessage());
        assertTrue(e.getMessage().startsWith("module bundle is refused: bundle="), e.getMessage());
        for (final String word : words) {
            assertTrue(e.getMessage().contains(word), e.getMessage());
        }
    }

    @Test
    void shouldAcceptAnythingWithoutTheSetting() {
        assertDoesNotThrow(() -> ModuleSigners.check(jar(module()), null));
    }

    @Test
    void shouldAcceptABundleThatATrustedSignerHasSigned() throws Exception {
        ModuleSigners.check(sign(jar(module()), "alice"), trust("authority", "alice"));
    }

    @Test
    void shouldAcceptABundleWhoseSignerHasACertificateOfATrustedAuthority() throws Exception {
        ModuleSigners.check(sign(jar(module()), "bob"), trust("authority"));
    }

    @Test
    void shouldAcceptABundleThatAStrangerHasSignedAsWell() throws Exception {
        ModuleSigners.check(sign(sign(jar(module()), "eve"), "alice"), trust("alice"));
    }

    @Test
    void shouldRefuseABundleThatIsNotSigned() throws Exception {
        assertRefused(jar(module()), trust("alice"), "bundle=probe 1.2.3, entry=" + CLASS + ": it is not signed");
    }

    @Test
    void shouldRefuseTheSignatureOfAStranger() throws Exception {
        assertRefused(sign(jar(module()), "eve"), trust("alice", "authority"), "bundle=probe 1.2.3, entry=" + CLASS
            + ", signer=CN=eve: its certificate is not trusted: trusted=");
    }

    @Test
    void shouldRefuseASignerWhoseCertificateIsIssuedByOneThatIsNoAuthority() throws Exception {
        assertRefused(sign(jar(module()), "carol"), trust("alice"), "signer=CN=carol: its certificate is not trusted");
    }

    @Test
    void shouldRefuseCertificatesThatAreNotValidNow() throws Exception {
        assertRefused(sign(jar(module()), "old"), trust("old"), "signer=CN=old: its certificate has expired: notAfter=");
        assertRefused(sign(jar(module()), "early"), trust("early"), "signer=CN=early: its certificate is not valid yet: notBefore=");
    }

    @Test
    void shouldRefuseACertificateThatIsNotForSigning() throws Exception {
        assertRefused(sign(jar(module()), "server"), trust("server"), "signer=CN=server: its certificate is not for signing code");
    }

    @Test
    void shouldRefuseAnEntryThatWasChanged() throws Exception {
        assertRefused(changed(sign(jar(module()), "alice"), Map.of(CLASS, new byte[] {1, 2, 4})), trust("alice"), "entry=" + CLASS
            + ": it was changed after it was signed");
    }

    @Test
    void shouldRefuseAnEntryThatWasAdded() throws Exception {
        assertRefused(changed(sign(jar(module()), "alice"), Map.of("probe/More.class", new byte[] {1})), trust("alice"),
            "entry=probe/More.class: it is not signed");
    }

    @Test
    void shouldRefuseAnEntryThatWasRemoved() throws Exception {
        final Map<String, byte[]> without = new LinkedHashMap<>();
        without.put(CLASS, null);
        assertRefused(changed(sign(jar(module()), "alice"), without), trust("alice"), "entry=" + CLASS + ": it was signed and is missing");
    }

    @Test
    void shouldRefuseAManifestThatWasChanged() throws Exception {
        final Path signed = sign(jar(module()), "alice");
        final byte[] manifest;
        try (ZipFile in = new ZipFile(signed.toFile())) {
            final String text = new String(in.getInputStream(in.getEntry(JarFile.MANIFEST_NAME)).readAllBytes(), StandardCharsets.UTF_8);
            manifest = text.replace("Bundle-Version: 1.2.3", "Bundle-Version: 1.2.4").getBytes(StandardCharsets.UTF_8);
        }
        assertRefused(changed(signed, Map.of(JarFile.MANIFEST_NAME, manifest)), trust("alice"), "bundle=probe 1.2.4, entry=",
            "it was changed after it was signed");
    }

    @Test
    void shouldNameTheSettingWhenItsFileHasNoCertificate() throws Exception {
        final Path jar = sign(jar(module()), "alice");
        for (final Path file : List.of(dir.resolve("missing.pem"), Files.writeString(dir.resolve("empty.pem"), ""),
            Files.writeString(dir.resolve("garbage.pem"), "garbage"))) {
            final IOException e = assertThrows(IOException.class, () -> ModuleSigners.check(jar, file));
            assertTrue(e.getMessage().startsWith("no module can be checked: tutti.node.signers=" + file), e.getMessage());
            assertEquals(1, e.getMessage().lines().count());
        }
    }
}
