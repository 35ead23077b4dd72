package tutti.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Enumeration;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipException;
import org.osgi.framework.Constants;
import org.osgi.framework.Version;
import tutti.daemon.channel.TempFolders;
import tutti.daemon.node.ExitStatus;

/**
 * Copies of the bundle of a module under development: the version gets the time as its qualifier. So a changed bundle is a higher version than the
 * one before, which the cluster replaces, although its author has not changed the number.
 */
final class DevelopmentBundle {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmssSSS");

    private DevelopmentBundle() {}

    /**
     * Copies a bundle into a folder of its own.
     *
     * @throws CommandFailure when the file is not a bundle
     */
    static Path of(final Path bundle) throws IOException {
        return of(bundle, LocalDateTime.now(ZoneOffset.UTC));
    }

    static Path of(final Path bundle, final LocalDateTime time) throws IOException {
        try (JarFile jar = new JarFile(bundle.toFile())) {
            final Manifest manifest = jar.getManifest();
            if (manifest == null || manifest.getMainAttributes().getValue(Constants.BUNDLE_SYMBOLICNAME) == null) {
                throw new CommandFailure(ExitStatus.USAGE, "not a bundle: " + bundle + ": Bundle-SymbolicName missing in its manifest");
            }
            final Attributes main = manifest.getMainAttributes();
            final Version version = Version.parseVersion(main.getValue(Constants.BUNDLE_VERSION));
            main.putValue(Constants.BUNDLE_VERSION, new Version(version.getMajor(), version.getMinor(), version.getMicro(), (version.getQualifier()
                .isEmpty() ? "" : version.getQualifier() + "-") + "dev" + TIME.format(time)).toString());
            final Path copy = TempFolders.create("dev").resolve(bundle.getFileName());
            try (OutputStream file = Files.newOutputStream(copy); JarOutputStream out = new JarOutputStream(file, manifest)) {
                for (final Enumeration<JarEntry> entries = jar.entries(); entries.hasMoreElements();) {
                    final JarEntry entry = entries.nextElement();
                    if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
                        out.putNextEntry(new JarEntry(entry.getName()));
                        jar.getInputStream(entry).transferTo(out);
                        out.closeEntry();
                    }
                }
            }
            return copy;
        } catch (final ZipException e) {
            throw new CommandFailure(ExitStatus.USAGE, "not a bundle: " + bundle + ": not a jar: " + e.getMessage(), e);
        }
    }
}
