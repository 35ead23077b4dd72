package tutti.runtime.process.snapshot;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The open descriptors and the files that are mapped into memory: files, sockets and pipes. Linux only; nothing is examined elsewhere.
 *
 * <p>A file that was open may be open under another number. What the JDK opens by itself, its own files, devices of random numbers and libraries of
 * the system, is no difference.
 *
 * @param descriptors the targets of the descriptors at the snapshot, and how many descriptors each has
 * @param mapped      the files that were mapped at the snapshot
 */
record OpenFiles(Map<String, Integer> descriptors, Set<String> mapped) implements Examined {
    private static final File FOLDER = new File("/proc/self/fd");
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final JdkFiles OF_JDK = JdkFiles.now();
    private static final List<String> OF_SYSTEM = List.of("/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/share/");
    /** Classes of the JDK that open descriptors for good when they are initialised. */
    private static final List<String> OPENING = List.of("sun.nio.ch.UnixDispatcher", "sun.nio.ch.Poller");

    /** A descriptor and what it refers to. */
    private record Descriptor(String number, String target) {}

    static Examined now() {
        if (!FOLDER.isDirectory()) {
            return NOTHING;
        }
        OPENING.forEach(JdkField::initialise);
        final Map<String, Integer> descriptors = new HashMap<>();
        open().forEach(d -> descriptors.merge(d.target(), 1, Integer::sum));
        return new OpenFiles(Map.copyOf(descriptors), Set.copyOf(mappedNow()));
    }

    private static List<Descriptor> open() {
        final String[] numbers = FOLDER.list();
        final List<Descriptor> open = new ArrayList<>();
        for (final String number : numbers == null ? new String[0] : numbers) {
            try {
                open.add(new Descriptor(number, Files.readSymbolicLink(Path.of(FOLDER.getPath(), number)).toString()));
            } catch (final IOException e) {
                // closed meanwhile, as that of the listing is
                continue;
            }
        }
        return open;
    }

    private static List<String> mappedNow() {
        try (Stream<String> lines = Files.lines(MAPS)) {
            // the name is the last column, and other names have no slash after a space
            return lines.filter(line -> line.contains(" /")).map(line -> line.substring(line.indexOf(" /") + 1)).distinct().toList();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<String> differences() {
        final Map<String, Integer> left = new HashMap<>(descriptors);
        final List<String> found = new ArrayList<>();
        for (final Descriptor d : open()) {
            if (left.merge(d.target(), -1, Integer::sum) < 0 && !OF_JDK.contains(d.target())) {
                found.add("descriptor is open: number=" + d.number() + ", target=" + d.target());
            }
        }
        mappedNow().stream().filter(file -> !mapped.contains(file) && !OF_JDK.contains(file) && OF_SYSTEM.stream().noneMatch(file::startsWith))
            .forEach(file -> found.add("file is mapped: " + file));
        return found;
    }

    @Override
    public boolean mayGo() {
        return true;
    }
}
