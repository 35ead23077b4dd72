package tutti.itest;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

/** Creates bundles to load: module basic in another version. */
final class BasicModuleJar {
    private BasicModuleJar() {}

    /** Puts module basic of the given version into a folder, with additional entries by name; the file appears complete. */
    static Path put(final Path folder, final String version, final Map<String, String> more) throws IOException {
        final Path complete = Files.createTempFile(folder.getParent(), "basic", ".jar");
        try (JarFile from = new JarFile(ProjectPaths.BUNDLES.resolve("tutti.coll.basic.jar").toFile())) {
            final Manifest manifest = from.getManifest();
            manifest.getMainAttributes().putValue("Bundle-Version", version);
            try (JarOutputStream to = new JarOutputStream(Files.newOutputStream(complete), manifest)) {
                for (final JarEntry entry : from.stream().filter(e -> !e.isDirectory() && !e.getName().equals(JarFile.MANIFEST_NAME)).toList()) {
                    try (InputStream in = from.getInputStream(entry)) {
                        put(to, entry.getName(), in.readAllBytes());
                    }
                }
                for (final Map.Entry<String, String> entry : more.entrySet()) {
                    put(to, entry.getKey(), entry.getValue().getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        return Files.move(complete, folder.resolve("basic-" + version + ".jar"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void put(final JarOutputStream to, final String name, final byte[] bytes) throws IOException {
        to.putNextEntry(new JarEntry(name));
        to.write(bytes);
        to.closeEntry();
    }
}
