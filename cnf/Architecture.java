import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Draws docs/guide/architecture.svg: the project's jars in the distribution, and which uses packages of which, by their manifests; of a jar that is
 * no bundle by its class files. With {@code --check} it changes nothing and ends with status 1 when the picture is out of date.
 *
 * <p>Usage, in the project's folder after a build: {@code java cnf/Architecture.java [--check]}, with JDK 25.
 */
public final class Architecture {
    private static final Path PICTURE = Path.of("docs/guide/architecture.svg");
    private static final Path DISTRIBUTION = Path.of("dist/target/tutti");
    private static final String OWN = "tutti.";
    private static final Map<String, String> LIBRARIES =
        new TreeMap<>(Map.of("com.fasterxml.jackson", "Jackson", "org.apache.felix.framework", "Felix",
            "org.apache.felix.service", "Gogo", "org.apache.mina", "MINA", "org.osgi.service", "OSGi services", "picocli", "picocli"));
    private static final int CHAR = 7;
    private static final int LINE = 15;
    private static final int PAD = 10;
    private static final int GAP_X = 28;
    private static final int GAP_Y = 56;

    /** A jar, or several jars that export nothing and use the same packages. */
    private static final class Box {
        private final List<String> names = new ArrayList<>();
        /** The exported packages; all packages of a jar that is no bundle are {@link #contents} and not exported. */
        private final Set<String> exports;
        private final Set<String> contents;
        private final boolean isPlain;
        private final Set<String> uses;
        private final Set<Box> below = new LinkedHashSet<>();
        private int row = -1;
        private int x;
        private int y;

        Box(final String name, final boolean isPlain, final Set<String> exports, final Set<String> contents, final Set<String> uses) {
            names.add(name);
            this.isPlain = isPlain;
            this.exports = exports;
            this.contents = contents;
            this.uses = uses;
        }

        /** Returns whether this box uses a package of the other, of which a bundle sees the exported ones alone. */
        boolean uses(final Box other) {
            return other != this && (isPlain ? other.contents : other.exports).stream().anyMatch(uses::contains);
        }

        int row() {
            if (row < 0) {
                row = below.stream().mapToInt(Box::row).max().orElse(-1) + 1;
            }
            return row;
        }

        List<String> lines() {
            final List<String> lines = new ArrayList<>();
            for (int i = 0; i < names.size(); i += 3) {
                lines.add(names.subList(i, Math.min(names.size(), i + 3)).stream().map(Architecture::shorten).collect(Collectors.joining(", ")));
            }
            exports.forEach(lines::add);
            final String needs =
                LIBRARIES.entrySet().stream().filter(l -> uses.stream().anyMatch(u -> u.startsWith(l.getKey()))).map(Map.Entry::getValue)
                    .collect(Collectors.joining(", "));
            if (!needs.isEmpty()) {
                lines.add("with " + needs);
            }
            return lines;
        }

        int titles() {
            return (names.size() + 2) / 3;
        }

        int width() {
            return lines().stream().mapToInt(String::length).max().orElse(0) * CHAR + 2 * PAD;
        }

        int height() {
            return lines().size() * LINE + 2 * PAD;
        }

        /** Returns whether a chain of uses leads to the other box. */
        boolean reaches(final Box other) {
            return below.stream().anyMatch(b -> b == other || b.reaches(other));
        }
    }

    private Architecture() {
    }

    public static void main(final String[] args) throws IOException {
        final String picture = draw(boxes());
        if (!List.of(args).contains("--check")) {
            Files.writeString(PICTURE, picture);
        } else if (!Files.readString(PICTURE).equals(picture)) {
            System.err.println(PICTURE + " does not show the jars as they are built; run: java cnf/Architecture.java");
            System.exit(1);
        }
    }

    private static String shorten(final String name) {
        return name.substring(OWN.length());
    }

    private static List<Box> boxes() throws IOException {
        final List<Box> boxes = new ArrayList<>();
        for (final String folder : List.of("boot", "bundle", "modules")) {
            try (Stream<Path> files = Files.list(DISTRIBUTION.resolve(folder))) {
                for (final Path file : files.filter(f -> f.getFileName().toString().startsWith(OWN)).sorted().toList()) {
                    add(boxes, file);
                }
            }
        }
        for (final Box box : boxes) {
            boxes.stream().filter(box::uses).forEach(box.below::add);
        }
        // a use that follows from others is not drawn
        boxes.forEach(box -> box.below.removeIf(b -> box.below.stream().anyMatch(other -> other != b && other.reaches(b))));
        return boxes;
    }

    private static void add(final List<Box> boxes, final Path file) throws IOException {
        try (JarFile jar = new JarFile(file.toFile())) {
            final Attributes manifest = jar.getManifest().getMainAttributes();
            final String name = file.getFileName().toString().replace(".jar", "");
            final Set<String> exports = packages(manifest.getValue("Export-Package"));
            final boolean isPlain = manifest.getValue("Bundle-SymbolicName") == null;
            final Set<String> contents = jar.stream().map(JarEntry::getName).filter(n -> n.endsWith(".class"))
                .map(n -> n.substring(0, n.lastIndexOf('/')).replace('/', '.')).collect(Collectors.toCollection(TreeSet::new));
            final Set<String> uses = isPlain ? used(jar) : packages(manifest.getValue("Import-Package"));
            uses.removeAll(isPlain ? contents : exports);
            uses.removeIf(u -> u.startsWith("java."));
            final Box same = boxes.stream().filter(b -> !isPlain && exports.isEmpty() && b.exports.isEmpty() && own(b.uses).equals(own(uses)))
                .findFirst().orElse(null);
            if (same == null) {
                boxes.add(new Box(name, isPlain, exports, contents, uses));
            } else {
                same.names.add(name);
            }
        }
    }

    private static Set<String> own(final Set<String> packages) {
        return packages.stream().filter(p -> p.startsWith(OWN) || p.equals("mpi")).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the packages that a manifest header lists, without attributes. */
    private static Set<String> packages(final String header) {
        final Set<String> names = new TreeSet<>();
        if (header != null) {
            for (final String clause : header.replaceAll("\"[^\"]*\"", "").split(",")) {
                for (final String part : clause.split(";")) {
                    if (!part.contains("=") && !part.isBlank()) {
                        names.add(part.strip());
                    }
                }
            }
        }
        return names;
    }

    /** Returns the packages of the classes that the classes of a jar name. */
    private static Set<String> used(final JarFile jar) throws IOException {
        final Set<String> names = new TreeSet<>();
        for (final JarEntry entry : jar.stream().filter(e -> e.getName().endsWith(".class")).toList()) {
            ClassFile.of().parse(jar.getInputStream(entry).readAllBytes()).constantPool().forEach(constant -> {
                if (constant instanceof ClassEntry type && type.asInternalName().contains("/")) {
                    final String internal = type.asInternalName().replaceFirst("^\\[+L?", "");
                    names.add(internal.substring(0, internal.lastIndexOf('/')).replace('/', '.'));
                }
            });
        }
        return names;
    }

    private static String draw(final Collection<Box> boxes) {
        final Map<Integer, List<Box>> rows = new TreeMap<>(Comparator.reverseOrder());
        boxes.forEach(b -> rows.computeIfAbsent(b.row(), r -> new ArrayList<>()).add(b));
        final int width = rows.values().stream().mapToInt(Architecture::width).max().orElse(0) + 2 * GAP_X;
        int y = GAP_X;
        for (final List<Box> row : rows.values()) {
            final int space = (width - row.stream().mapToInt(Box::width).sum()) / (row.size() + 1);
            int x = space;
            for (final Box box : row) {
                box.x = x;
                box.y = y;
                x += box.width() + space;
            }
            y += row.stream().mapToInt(Box::height).max().orElse(0) + GAP_Y;
        }
        final StringBuilder svg =
            new StringBuilder("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" ".formatted(width, y - GAP_Y + GAP_X)
                + "font-family=\"monospace\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        boxes.forEach(box -> box.below.forEach(b -> svg.append("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#888\"/>\n"
            .formatted(box.x + box.width() / 2, box.y + box.height(), b.x + b.width() / 2, b.y))));
        for (final Box box : boxes) {
            svg.append("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"#eef3fa\" stroke=\"#345\"/>\n"
                .formatted(box.x, box.y, box.width(), box.height()));
            int line = 0;
            for (final String text : box.lines()) {
                final boolean title = line++ < box.titles();
                svg.append("<text x=\"%d\" y=\"%d\"%s>%s</text>\n".formatted(box.x + PAD, box.y + PAD - 4 + line * LINE,
                    title ? " font-weight=\"bold\"" : " fill=\"#555\"", text));
            }
        }
        return svg.append("</svg>\n").toString();
    }

    private static int width(final List<Box> row) {
        return row.stream().mapToInt(Box::width).sum() + (row.size() - 1) * GAP_X;
    }
}
