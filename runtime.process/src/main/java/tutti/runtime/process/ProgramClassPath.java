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
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.owner.CallBridge;
import tutti.runtime.process.rewrite.ClassRewriter;
import tutti.runtime.process.rewrite.Redirections;

/**
 * The class path of a job on this node, opened once and shared by the job's ranks there: jars and folders, searched in order.
 *
 * <p>Classes are read and rewritten once and kept until {@link #close}, so that each further rank only defines them. After {@code close} no
 * file is open, and no class or resource is found any more. Safe for any thread.
 *
 * <p><b>Threads.</b> The first thread that asks for a class reads it, while others that ask for the same class wait. Both flags are volatile and only
 * turn true.
 */
public final class ProgramClassPath implements AutoCloseable {
    private final List<Path> paths;
    private final List<ClassPathEntry> entries = new ArrayList<>();
    private final ConcurrentHashMap<String, ProgramClass> classes = new ConcurrentHashMap<>();
    /** The redirections of calls that are intercepted. */
    private final List<Redirections> bridges = new CopyOnWriteArrayList<>();
    private volatile boolean virtualThreads;
    private volatile boolean closed;

    private ProgramClassPath(final List<Path> paths) {
        this.paths = List.copyOf(paths);
    }

    /**
     * Opens a class path.
     *
     * @throws IOException when an entry is missing, or is neither a folder nor a jar; the message names the entry
     */
    public static ProgramClassPath open(final List<Path> paths) throws IOException {
        final ProgramClassPath opened = new ProgramClassPath(paths);
        try {
            for (final Path path : paths) {
                opened.entries.add(openEntry(path));
            }
            return opened;
        } catch (final IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private static ClassPathEntry openEntry(final Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new IOException("class path entry is missing: path=" + path);
        }
        return Files.isDirectory(path) ? new FolderEntry(path) : new JarClassPathEntry(path);
    }

    /** Leads the program's calls to the methods of a class that stands in for them. Called before a class is read. */
    public void redirect(final CallBridge bridge) {
        bridges.add(Redirections.to(bridge));
    }

    /** Returns the paths that were opened. */
    public List<Path> paths() {
        return paths;
    }

    /** Opens a resource, to be closed by the caller; returns null when there is none of that name. */
    public @Nullable InputStream open(final String name) throws IOException {
        for (final ClassPathEntry entry : entries()) {
            final InputStream in = entry.open(name);
            if (in != null) {
                return in;
            }
        }
        return null;
    }

    /** Returns the URLs of all resources of that name, in the order of the class path; empty when there is none. */
    public List<URL> urls(final String name) {
        final List<URL> found = new ArrayList<>();
        for (final ClassPathEntry entry : entries()) {
            final URL url = entry.url(name);
            if (url != null) {
                found.add(url);
            }
        }
        return found;
    }

    /**
     * Returns the class of that binary name, rewritten and ready to be defined, or null.
     *
     * @param ofProcess redirections of members that each rank has of its own, the same at every call
     */
    @Nullable
    ProgramClass findClass(final String name, final Redirections ofProcess) {
        return closed ? null : classes.computeIfAbsent(name, n -> read(n, ofProcess));
    }

    private @Nullable ProgramClass read(final String name, final Redirections ofProcess) {
        final String file = name.replace('.', '/').concat(".class");
        try {
            for (final ClassPathEntry entry : entries) {
                try (InputStream in = entry.open(file)) {
                    if (in != null) {
                        final byte[] bytes = in.readAllBytes();
                        if (mentionsVirtualThreads(bytes)) {
                            virtualThreads = true;
                        }
                        return new ProgramClass(rewritten(bytes, ofProcess), entry);
                    }
                }
            }
            return null;
        } catch (final IOException e) {
            throw new UncheckedIOException("class cannot be read: class=" + name, e);
        }
    }

    private byte[] rewritten(final byte[] bytes, final Redirections ofProcess) {
        byte[] rewritten = ClassRewriter.rewrite(bytes, ofProcess);
        for (final Redirections bridge : bridges) {
            rewritten = ClassRewriter.rewrite(rewritten, bridge);
        }
        return rewritten;
    }

    private static boolean mentionsVirtualThreads(final byte[] classFile) {
        final String text = new String(classFile, StandardCharsets.ISO_8859_1);
        return text.contains("ofVirtual") || text.contains("VirtualThread") || text.contains("StructuredTaskScope");
    }

    /** Returns whether a class that was read so far mentions virtual threads. If none does, the costly search for them is not needed. */
    boolean mayUseVirtualThreads() {
        return virtualThreads;
    }

    private List<ClassPathEntry> entries() {
        return closed ? List.of() : entries;
    }

    /** Closes all files and drops all classes. Idempotent. */
    @Override
    public void close() {
        closed = true;
        classes.clear();
        for (final ClassPathEntry entry : entries) {
            entry.close();
        }
    }

    /**
     * A class of the program.
     *
     * @param bytes the class file, rewritten
     * @param entry  the entry where the class was found
     */
    record ProgramClass(byte[] bytes, ClassPathEntry entry) {}
}
