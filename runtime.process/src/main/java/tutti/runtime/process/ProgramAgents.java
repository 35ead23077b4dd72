package tutti.runtime.process;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;
import tutti.runtime.process.jdk.JdkAccess;
import tutti.runtime.process.owner.RankProgram;

/**
 * Starts the agents of the program of a JVM that runs one rank: those of its command line, and the launcher agent of its jar. Their classes are those
 * of the program. What an agent names as {@code Boot-Class-Path} is not found.
 *
 * <p>Also an agent itself, which the JVM starts to get an {@link Instrumentation}; not for use in source code.
 */
public final class ProgramAgents {
    private static final String IMPLEMENTATION = "sun.instrument.InstrumentationImpl";
    private static final String PREMAIN = "Premain-Class";
    private static volatile @Nullable Instrumentation instrumentation;

    private ProgramAgents() {}

    /** Receives the instrumentation of this JVM. Called by the JVM. */
    public static void agentmain(final @Nullable String argument, final Instrumentation given) {
        instrumentation = given;
    }

    /**
     * Starts agents in their order, on the calling thread.
     *
     * @throws ProgramException when one cannot be started, or fails; the message names it
     */
    static void start(final List<RankProgram.Agent> agents, final ProgramClassPath classPath) throws ProgramException {
        for (final RankProgram.Agent agent : agents) {
            final Path jar = classPath.paths().get(agent.entry());
            try {
                if (agent.launched()) {
                    load(jar);
                } else {
                    premain(jar, agent.argument());
                }
            } catch (final InvocationTargetException e) {
                throw new ProgramException("agent failed: agent=" + jar.getFileName() + ", reason="
                    + StackText.of(Objects.requireNonNullElse(e.getCause(), e)));
            } catch (final ReflectiveOperationException | IOException e) {
                throw new ProgramException("agent cannot be started: agent=" + jar.getFileName() + ", reason=" + e);
            }
        }
    }

    /** Starts the launcher agent of a jar. */
    private static void load(final Path jar) throws ReflectiveOperationException {
        JdkAccess.openClass(IMPLEMENTATION).getMethod("loadAgent", String.class).invoke(null, jar.toString());
    }

    private static void premain(final Path jar, final @Nullable String argument) throws ReflectiveOperationException, IOException {
        final String name;
        try (JarFile file = new JarFile(jar.toFile())) {
            name = file.getManifest() == null ? null : file.getManifest().getMainAttributes().getValue(PREMAIN);
        }
        if (name == null) {
            throw new IOException("no " + PREMAIN + " in the manifest");
        }
        if (instrumentation == null) {
            loadThis();
        }
        final Method premain = JdkAccess.openClass(IMPLEMENTATION).getDeclaredMethod("loadClassAndCallPremain", String.class, String.class);
        premain.setAccessible(true);
        premain.invoke(instrumentation, name.strip(), argument);
    }

    /** Starts this class as an agent, with a jar that has nothing but a manifest. */
    private static void loadThis() throws ReflectiveOperationException, IOException {
        final Manifest manifest = new Manifest();
        final Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue("Launcher-Agent-Class", ProgramAgents.class.getName());
        List.of("Can-Redefine-Classes", "Can-Retransform-Classes", "Can-Set-Native-Method-Prefix").forEach(c -> main.putValue(c, "true"));
        final Path jar = Files.createTempFile("tutti-agent", ".jar");
        try {
            try (OutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
                out.flush();
            }
            load(jar);
        } finally {
            Files.delete(jar);
        }
    }
}
