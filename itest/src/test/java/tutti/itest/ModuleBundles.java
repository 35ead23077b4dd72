package tutti.itest;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** Creates bundles of modules for tests: other versions of modules ring and hub, and small modules from source text. */
final class ModuleBundles {
    private static final String SOURCE = """
        package probe;
        import java.util.*;
        import tutti.coll.*;
        import tutti.coll.advanced.*;
        public class Probe implements CollModule, org.osgi.framework.BundleActivator {
          public void start(org.osgi.framework.BundleContext context) throws Exception {
            %s
          }
          public void stop(org.osgi.framework.BundleContext context) throws Exception {
            %s
          }
          %s
        }
        """;
    private static final String DECLINES = "public QueryResult query(CollComm comm) { return new QueryResult.Declined(\"a probe\"); }";
    private static final String COMPONENT = """
        <component xmlns="http://www.osgi.org/xmlns/scr/v1.3.0" name="probe.Probe">
          <implementation class="probe.Probe"/>
          <property name="coll.name" value="%s"/>
          <service><provide interface="tutti.coll.CollModule"/></service>
          %s
        </component>
        """;
    private static final String PARAMETERS = """
        <MetaData xmlns="http://www.osgi.org/xmlns/metatype/v1.4.0">
          <OCD id="coll.%1$s" name="%1$s"><AD id="how" type="String" default="" required="false"/></OCD>
          <Designate pid="coll.%1$s"><Object ocdref="coll.%1$s"/></Designate>
        </MetaData>
        """;

    /** A linear broadcast that swaps the halves of calls of one size, and sends a part of calls of another size ten times. */
    private static final String LINEAR = """
        public QueryResult query(CollComm comm) {
            return QueryResult.usable(90, AlgorithmTable.builder().intra(Operation.BCAST, "linear", (call, plan) -> {
                long half = call.bytes() / 2;
                BufferRange first = Buffer.RECV.at(0, half);
                BufferRange second = Buffer.RECV.at(half, call.bytes() - half);
                boolean wrong = call.bytes() == %d;
                boolean slow = call.bytes() == %d;
                for (int r = 0; r < plan.size(); r++) {
                    if (plan.rank() == call.root() && r != call.root()) {
                        plan.send(first, r);
                        plan.send(second, r);
                        for (int i = 0; slow && i < 9; i++) { plan.send(first, r); }
                    } else if (plan.rank() == r && r != call.root()) {
                        plan.recv(wrong ? second : first, call.root());
                        plan.recv(wrong ? first : second, call.root());
                        for (int i = 0; slow && i < 9; i++) { plan.recv(first, call.root()); }
                    }
                }
            }).build());
        }
        """;

    private final Path folder;

    /** Creates bundles in the given folder. */
    ModuleBundles(final Path folder) {
        this.folder = folder;
    }

    /** Creates module ring in the given version. */
    Path ring(final String version) throws IOException {
        return ring(version, "", 0);
    }

    /** Creates module ring in the given version with another digest: by a word in the manifest, and by incompressible bytes. */
    Path ring(final String version, final String word, final int padding) throws IOException {
        final byte[] random = new byte[padding];
        new java.util.Random(1).nextBytes(random);
        return withManifest(original(), folder.resolve("ring-" + version + word + ".jar"), m -> {
            m.putValue("Bundle-Version", version);
            m.putValue("Built-For", "tests" + word);
        }, padding == 0 ? Map.of() : Map.of("padding", random));
    }

    /** Creates module hub, which no node starts with, in the given version. */
    Path hub(final String version) throws IOException {
        return withManifest(ProjectPaths.MODULES.resolve("com.example.coll.hub.jar"), "hub-" + version, m -> m.putValue("Bundle-Version", version));
    }

    /** Creates module linear, which broadcasts linearly, in the given version: wrong at calls of one size, and slow at those of another. */
    Path linear(final String version, final int wrongBytes, final int slowBytes) throws IOException {
        return withManifest(withMembers("linear", LINEAR.formatted(wrongBytes, slowBytes)), "linear-" + version,
            m -> m.putValue("Bundle-Version", version));
    }

    private static Path original() throws IOException {
        final Path shipped = ProjectPaths.BUNDLES.resolve("tutti.coll.ring.jar");
        if (Files.exists(shipped)) {
            return shipped;
        }
        try (Stream<Path> jars = Files.list(ProjectPaths.DIR.resolve("coll.ring/target"))) {
            return jars.filter(p -> p.getFileName().toString().matches("tutti\\.coll\\.ring-[^-]+(-SNAPSHOT)?\\.jar")).findFirst().orElseThrow();
        }
    }

    /** Creates a module, version 1.0.0, that declines on every communicator and whose activator runs the given code. */
    Path withActivator(final String name, final String start) throws IOException {
        return module(name, name, start, "", DECLINES, "");
    }

    /** Creates a module that declares one name and publishes another. */
    Path withOtherName(final String name, final String published) throws IOException {
        return module(name, published, "", "", DECLINES, "");
    }

    /** Creates a module, version 1.0.0, with the given members in its class and a parameter {@code how}. */
    Path withMembers(final String name, final String members) throws IOException {
        return module(name, name, "", "", members, "");
    }

    /** Creates a module whose component needs a service. */
    Path withReference(final String name, final String service) throws IOException {
        return module(name, name, "", "", DECLINES, "<reference name=\"needed\" interface=\"" + service + "\"/>");
    }

    /** Creates a module, version 1.0.0, that declines on every communicator and whose activator runs the given code when it is stopped. */
    Path withStop(final String name, final String stop) throws IOException {
        return module(name, name, "", stop, DECLINES, "");
    }

    /** Creates a copy of a bundle with another content of an entry. */
    Path withEntry(final Path jar, final String name, final String entry, final byte[] content) throws IOException {
        return withManifest(jar, folder.resolve(name + ".jar"), m -> {
            // as it is
        }, Map.of(entry, content));
    }

    private Path module(final String name, final String published, final String start, final String stop, final String members,
        final String reference) throws IOException {
        final Map<String, byte[]> entries = compile(name, SOURCE.formatted(start, stop, members));
        entries.put("OSGI-INF/probe.xml", COMPONENT.formatted(published, reference).getBytes(StandardCharsets.UTF_8));
        entries.put("OSGI-INF/metatype/probe.xml", PARAMETERS.formatted(name).getBytes(StandardCharsets.UTF_8));
        final Manifest manifest = new Manifest();
        final Attributes m = manifest.getMainAttributes();
        m.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        m.putValue("Bundle-ManifestVersion", "2");
        m.putValue("Bundle-SymbolicName", "probe." + name);
        m.putValue("Bundle-Version", "1.0.0");
        m.putValue("Bundle-Activator", "probe.Probe");
        m.putValue("Service-Component", "OSGI-INF/probe.xml");
        m.putValue("Import-Package", "tutti.coll,tutti.coll.advanced,org.osgi.framework");
        m.putValue("Provide-Capability", "tutti.coll;tutti.coll=" + name);
        m.putValue("Require-Capability", "osgi.extender;filter:=\"(osgi.extender=osgi.component)\"");
        return pack(folder.resolve(name + ".jar"), manifest, entries);
    }

    /** Creates a copy of a bundle with another manifest. */
    Path withManifest(final Path jar, final String name, final Consumer<Attributes> change) throws IOException {
        return withManifest(jar, folder.resolve(name + ".jar"), change, Map.of());
    }

    private static Path withManifest(final Path jar, final Path into, final Consumer<Attributes> change, final Map<String, byte[]> more)
        throws IOException {
        final Map<String, byte[]> entries = new LinkedHashMap<>();
        try (JarInputStream in = new JarInputStream(Files.newInputStream(jar))) {
            final Manifest manifest = in.getManifest();
            change.accept(manifest.getMainAttributes());
            for (JarEntry e = in.getNextJarEntry(); e != null; e = in.getNextJarEntry()) {
                if (!e.isDirectory()) {
                    entries.put(e.getName(), in.readAllBytes());
                }
            }
            entries.putAll(more);
            return pack(into, manifest, entries);
        }
    }

    private static Path pack(final Path jar, final Manifest manifest, final Map<String, byte[]> entries) throws IOException {
        final ByteArrayOutputStream first = new ByteArrayOutputStream();
        manifest.write(first);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            put(out, JarFile.MANIFEST_NAME, first.toByteArray());
            for (final Map.Entry<String, byte[]> e : entries.entrySet()) {
                put(out, e.getKey(), e.getValue());
            }
        }
        return jar;
    }

    /** Writes an entry with a fixed time, so that the same entries yield the same bytes. */
    private static void put(final JarOutputStream out, final String name, final byte[] bytes) throws IOException {
        final JarEntry entry = new JarEntry(name);
        entry.setTimeLocal(LocalDateTime.of(2000, 1, 1, 0, 0));
        out.putNextEntry(entry);
        out.write(bytes);
        out.closeEntry();
    }

    private Map<String, byte[]> compile(final String name, final String source) throws IOException {
        final Path sources = Files.createDirectories(folder.resolve(name));
        final Path file = Files.writeString(sources.resolve("Probe.java"), source);
        final Path classes = Files.createDirectories(sources.resolve("classes"));
        final String path = ProjectPaths.jars().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        if (ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp", path, "-d", classes.toString(), file.toString()) != 0) {
            throw new IllegalStateException("does not compile: " + file);
        }
        final Map<String, byte[]> entries = new LinkedHashMap<>();
        try (Stream<Path> all = Files.walk(classes)) {
            for (final Path c : all.filter(Files::isRegularFile).sorted().toList()) {
                try (InputStream in = Files.newInputStream(c)) {
                    entries.put(classes.relativize(c).toString().replace(File.separatorChar, '/'), in.readAllBytes());
                }
            }
        }
        return entries;
    }
}
