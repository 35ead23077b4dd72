package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** A class path entry that is a jar, multi-release or not. The file is open until {@link #close}. */
final class JarClassPathEntry implements ClassPathEntry {
    private final JarFile jar;
    private final URL location;
    private final @Nullable Manifest manifest;

    JarClassPathEntry(final Path file) throws IOException {
        this.location = file.toUri().toURL();
        try {
            this.jar = new JarFile(file.toFile(), false, ZipFile.OPEN_READ, JarFile.runtimeVersion());
        } catch (final ZipException e) {
            throw new IOException("class path entry is neither a folder nor a jar: path=" + file + ", reason=" + e.getMessage(), e);
        }
        this.manifest = readManifest(file);
    }

    private @Nullable Manifest readManifest(final Path file) throws IOException {
        try {
            return jar.getManifest();
        } catch (final IOException e) {
            jar.close();
            throw new IOException("manifest cannot be read: path=" + file + ", reason=" + e.getMessage(), e);
        }
    }

    @Override
    public @Nullable InputStream open(final String name) throws IOException {
        final JarEntry entry = entry(name);
        try {
            return entry == null || entry.isDirectory() ? null : jar.getInputStream(entry);
        } catch (final IllegalStateException e) {
            return null;
        }
    }

    @Override
    public @Nullable URL url(final String name) {
        final JarEntry entry = entry(name);
        try {
            return entry == null ? null : URL.of(URI.create("jar:" + location + "!/" + encoded(entry.getRealName())), Uncached.HANDLER);
        } catch (final MalformedURLException e) {
            throw new IllegalStateException("jar entry has no URL: jar=" + location + ", entry=" + name, e);
        }
    }

    /** Returns an entry of the jar, or null when there is none of that name or the jar was closed meanwhile. */
    private @Nullable JarEntry entry(final String name) {
        try {
            return jar.getJarEntry(name);
        } catch (final IllegalStateException e) {
            return null;
        }
    }

    private static String encoded(final String name) {
        try {
            return new URI(null, null, "/" + name, null).getRawPath().substring(1);
        } catch (final URISyntaxException e) {
            throw new IllegalArgumentException("jar entry has no URI: entry=" + name, e);
        }
    }

    @Override
    public URL location() {
        return location;
    }

    @Override
    public @Nullable Manifest manifest() {
        return manifest;
    }

    @Override
    public void close() {
        try {
            jar.close();
        } catch (final IOException e) {
            throw new UncheckedIOException("jar cannot be closed: jar=" + location, e);
        }
    }

    /**
     * A URL handler without a cache. The JDK's own handler never closes a jar that was read through a URL; this one makes it open the jar again
     * for each connection and close it afterwards.
     */
    private static final class Uncached extends URLStreamHandler {
        static final Uncached HANDLER = new Uncached();

        @Override
        protected URLConnection openConnection(final URL url) throws IOException {
            final URLConnection connection = URI.create(url.toExternalForm()).toURL().openConnection();
            connection.setUseCaches(false);
            return connection;
        }
    }
}
