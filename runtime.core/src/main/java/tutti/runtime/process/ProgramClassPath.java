package tutti.runtime.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The class path of a job on this node, opened once and shared by the job's ranks there: jars and folders, searched in order.
 *
 * <p>Classes are read and rewritten once and kept until {@link #close}, so that the second rank costs no more than their definition. Safe
 * for any thread. After {@code close} no file is open and nothing is found any more.
 */
public final class ProgramClassPath implements AutoCloseable {
    private final List<Path> classPath;
    private final List<ClassPathEntry> parts = new ArrayList<>();
    private final ConcurrentHashMap<String, ImageClass> classes = new ConcurrentHashMap<>();
    private volatile boolean virtualThreads;
    private volatile boolean closed;

    private ProgramClassPath(final List<Path> classPath) {
        this.classPath = List.copyOf(classPath);
    }

    /**
     * Opens a class path.
     *
     * @throws IOException when an entry is missing or is neither a folder nor a jar; the message names it
     */
    public static ProgramClassPath open(final List<Path> classPath) throws IOException {
        final ProgramClassPath image = new ProgramClassPath(classPath);
        try {
            for (final Path entry : classPath) {
                image.parts.add(part(entry));
            }
            return image;
        } catch (final IOException | RuntimeException e) {
            image.close();
            throw e;
        }
    }

    private static ClassPathEntry part(final Path entry) throws IOException {
        if (!Files.exists(entry)) {
            throw new IOException("class path entry is missing: path=" + entry);
        }
        return Files.isDirectory(entry) ? new FolderEntry(entry) : new JarClassPathEntry(entry);
    }

    /** What was opened. */
    public List<Path> classPath() {
        return classPath;
    }

    /** The bytes of a resource, to be closed by the caller; null when there is none of that name. */
    public InputStream open(final String name) throws IOException {
        for (final ClassPathEntry part : parts()) {
            final InputStream in = part.open(name);
            if (in != null) {
                return in;
            }
        }
        return null;
    }

    /** Where the resources of that name are, in the order of the class path; empty when there is none. */
    public List<URL> urls(final String name) {
        final List<URL> found = new ArrayList<>();
        for (final ClassPathEntry part : parts()) {
            final URL url = part.url(name);
            if (url != null) {
                found.add(url);
            }
        }
        return found;
    }

    /** The class of that binary name, ready to be defined, or null. */
    ImageClass findClass(final String name) {
        return closed ? null : classes.computeIfAbsent(name, this::read);
    }

    private ImageClass read(final String name) {
        final String file = name.replace('.', '/').concat(".class");
        try {
            for (final ClassPathEntry part : parts) {
                try (InputStream in = part.open(file)) {
                    if (in != null) {
                        final byte[] bytes = in.readAllBytes();
                        virtualThreads |= mentionsVirtualThreads(bytes);
                        return new ImageClass(ClassRewriter.rewrite(bytes), part);
                    }
                }
            }
            return null;
        } catch (final IOException e) {
            throw new UncheckedIOException("class cannot be read: class=" + name, e);
        }
    }

    private static boolean mentionsVirtualThreads(final byte[] classFile) {
        final String text = new String(classFile, StandardCharsets.ISO_8859_1);
        return text.contains("ofVirtual") || text.contains("VirtualThread") || text.contains("StructuredTaskScope");
    }

    /** Whether a class read so far mentions them: ranks that have none need not look for them, which is dear. */
    boolean mayUseVirtualThreads() {
        return virtualThreads;
    }

    private List<ClassPathEntry> parts() {
        return closed ? List.of() : parts;
    }

    /** Lets go of all files and of all classes read. Idempotent. */
    @Override
    public void close() {
        closed = true;
        classes.clear();
        for (final ClassPathEntry part : parts) {
            part.close();
        }
    }

    /**
     * A class of the program.
     *
     * @param bytes as they are to be defined
     * @param part  where it was found
     */
    record ImageClass(byte[] bytes, ClassPathEntry part) { }
}
