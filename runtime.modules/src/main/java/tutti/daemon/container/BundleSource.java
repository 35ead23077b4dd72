package tutti.daemon.container;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;

/**
 * Where another JVM finds a bundle of this container: the location of a bundle that is a file, and otherwise that of a file which is written for it.
 * It is loaded from the class path there, so it uses the API of OSGi alone.
 *
 * <p>What the location of a bundle leads to is copied, since the digest of a module is that of its file. A bundle of whose location nothing can be
 * read, which has no digest, is made of its entries; it gets its location there, too. The lock of the class is held while a file is written.
 */
public final class BundleSource {
    private static final String REFERENCE = "^reference:";
    private static final String FILE = "file:";
    private static final String FOLDER = "written";
    // Cause: a bundle that is no file cannot be written as one. Remedy: start it from a file.
    private static final String MANIFEST = "META-INF/MANIFEST.MF";
    /** Between the address of a file and the location of its bundle, where it is another one. */
    private static final String SEPARATOR = " ";

    private BundleSource() {}

    /** Returns the source of a bundle, for {@link #install}. */
    public static String of(final BundleContext context, final Bundle bundle) throws IOException {
        if (bundle.getLocation().replaceFirst(REFERENCE, "").startsWith(FILE)) {
            return bundle.getLocation();
        }
        final Path file = file(context, bundle);
        return file.toUri() + (isReadable(bundle) ? "" : SEPARATOR + bundle.getLocation());
    }

    /** Returns the file of a bundle. */
    static synchronized Path file(final BundleContext context, final Bundle bundle) throws IOException {
        final String location = bundle.getLocation().replaceFirst(REFERENCE, "");
        if (location.startsWith(FILE)) {
            return Path.of(URI.create(location));
        }
        final File folder = context.getDataFile(FOLDER);
        if (folder == null) {
            // Cause: a job JVM or the process of a proof needs the bundles of the container as files. Remedy: start the container from files, or with
            // a storage folder.
            throw new IOException("bundle " + bundle.getSymbolicName() + " has no file, and this container has no folder to write one: location="
                + bundle.getLocation());
        }
        final Path file = folder.toPath().resolve(bundle.getBundleId() + "-" + bundle.getLastModified() + ".jar").toAbsolutePath();
        if (!Files.exists(file)) {
            Files.createDirectories(folder.toPath());
            final Path whole = Files.createTempFile(folder.toPath(), "bundle", "");
            write(bundle, whole);
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        }
        return file;
    }

    /** Installs a bundle of a source. */
    public static Bundle install(final BundleContext context, final String source) throws BundleException, IOException {
        final int end = source.indexOf(SEPARATOR);
        if (end < 0) {
            return context.installBundle(source);
        }
        try (InputStream in = URI.create(source.substring(0, end)).toURL().openStream()) {
            return context.installBundle(source.substring(end + 1), in);
        }
    }

    private static boolean isReadable(final Bundle bundle) {
        try (InputStream in = URI.create(bundle.getLocation()).toURL().openStream()) {
            return in.read() >= 0;
        } catch (final IOException | IllegalArgumentException e) {
            return false;
        }
    }

    private static void write(final Bundle bundle, final Path file) throws IOException {
        try (OutputStream to = Files.newOutputStream(file)) {
            if (isReadable(bundle)) {
                try (InputStream in = URI.create(bundle.getLocation()).toURL().openStream()) {
                    in.transferTo(to);
                }
            } else {
                try (ZipOutputStream jar = new ZipOutputStream(to)) {
                    writeEntries(bundle, jar);
                }
            }
        }
    }

    /** Writes the entries of a bundle alone: those of its fragments are in their own files. The manifest is first, where readers expect it. */
    private static void writeEntries(final Bundle bundle, final ZipOutputStream jar) throws IOException {
        writeEntry(bundle, MANIFEST, jar);
        final Deque<String> folders = new ArrayDeque<>();
        folders.add("/");
        while (!folders.isEmpty()) {
            final Enumeration<String> paths = bundle.getEntryPaths(folders.remove());
            for (final String path : paths == null ? Collections.<String>emptyList() : Collections.list(paths)) {
                if (path.endsWith("/")) {
                    folders.add(path);
                } else if (!path.equals(MANIFEST)) {
                    writeEntry(bundle, path, jar);
                }
            }
        }
    }

    private static void writeEntry(final Bundle bundle, final String path, final ZipOutputStream jar) throws IOException {
        final URL entry = bundle.getEntry(path);
        if (entry == null) {
            // Cause: a bundle that is no file cannot be written as one. Remedy: start it from a file.
            throw new IOException("bundle " + bundle.getSymbolicName() + " has no entry " + path + ": location=" + bundle.getLocation());
        }
        jar.putNextEntry(new ZipEntry(path));
        try (InputStream in = entry.openStream()) {
            in.transferTo(jar);
        }
        jar.closeEntry();
    }
}
