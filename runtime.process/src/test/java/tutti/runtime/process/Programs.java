package tutti.runtime.process;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles small programs. */
final class Programs {
    private Programs() {}

    /** Compiles sources, given by class name, into a folder, and returns the folder. */
    static Path compile(final Path folder, final Map<String, String> sources) {
        final List<JavaFileObject> files = sources.entrySet().stream().map(e -> source(e.getKey(), e.getValue())).toList();
        final boolean done = ToolProvider.getSystemJavaCompiler()
            .getTask(null, null, null, List.of("-d", folder.toString(), "-cp", folder.toString(), "-nowarn", "-Xlint:none"), null, files).call();
        if (!done) {
            throw new IllegalArgumentException("sources do not compile: classes=" + sources.keySet());
        }
        return folder;
    }

    private static JavaFileObject source(final String name, final String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + name.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(final boolean ignoreErrors) {
                return text;
            }
        };
    }

    /** Packs the contents of a folder into a jar, and returns the jar. */
    static Path jar(final Path jar, final Path folder, final Map<String, String> manifest) {
        final Manifest head = new Manifest();
        head.getMainAttributes().putValue("Manifest-Version", "1.0");
        manifest.forEach(head.getMainAttributes()::putValue);
        try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file, head);
             Stream<Path> all = Files.walk(folder)) {
            for (final Path each : all.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new ZipEntry(folder.relativize(each).toString()));
                Files.copy(each, out);
            }
            return jar;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
