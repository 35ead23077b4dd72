package tutti.daemon.modules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.container.program.ContainerProgram;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.snapshot.JvmSnapshot;

/**
 * Proof of a module in a process that a node has started for it: a store prepares its installation, as on a node. Not used on nodes.
 *
 * <p>Adds lines to file {@link #RESULT} in the folder, since the module may print: the steps, then {@link #PROVED} or {@link #REFUSED} and the
 * reason. Without that line the module has ended the process.
 */
@Component(property = ContainerProgram.NAME + "=" + ModuleProof.PROGRAM)
public final class ModuleProof implements ContainerProgram {
    /** Name of the program. */
    static final String PROGRAM = "tutti.proof";
    /** Name of the module's file in the folder. */
    static final String MODULE = "module.jar";
    /** The file with the result. */
    static final String RESULT = "result";
    /** Begins the line that names the step that follows. */
    static final String STEP = "step ";
    /** The line for a module that may be installed. */
    static final String PROVED = "proved";
    /** Begins the line for a module that may not be installed. */
    static final String REFUSED = "refused ";
    /** Most changes of the JVM that a refusal names. */
    private static final int MAX = 5;
    /** Most threads of the process. */
    private static final int MAX_THREADS = 1_000;
    private static final long WATCH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final int STATUS = 1;

    private final BundleContext context;
    private final NodeModules registry;

    /** Creates a proof that has not begun. */
    @Activate
    public ModuleProof(final BundleContext context, @Reference(name = "registry") final NodeModules registry) {
        this.context = context;
        this.registry = registry;
    }

    @Override
    public void run(final Path folder) {
        Thread.ofPlatform().daemon().name("proof-watch").start(() -> watch(folder));
        final JvmSnapshot before = JvmSnapshot.take();
        final String failure = prove(folder);
        final List<String> changed = before.changedSettings();
        // which may be why the proof has failed
        final String reason = changed.isEmpty() ? failure
            : "the module changes its JVM: " + String.join("; ", changed.subList(0, Math.min(changed.size(), MAX)))
                + (changed.size() > MAX ? "; ..." : "") + "; use configuration in place of such changes, or install it anyway with: --no-verify";
        end(folder, reason == null ? PROVED : REFUSED + reason, 0);
    }

    /** Returns why the module cannot be installed; null when it can. */
    private @Nullable String prove(final Path folder) {
        try {
            ModuleStore.tryInstall(context, registry, folder.resolve(MODULE), step -> add(folder, STEP + step));
            return null;
        } catch (final IOException | RuntimeException e) {
            return Protocol.oneLine(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    private static void end(final Path folder, final String line, final int status) {
        try {
            add(folder, line);
        } finally {
            Runtime.getRuntime().halt(status);
        }
    }

    private static void add(final Path folder, final String line) {
        try {
            Files.writeString(folder.resolve(RESULT), line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (final IOException e) {
            throw new UncheckedIOException("result of the proof cannot be written", e);
        }
    }

    /** Ends the process when it has too many threads. */
    private static void watch(final Path folder) {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        while (all.activeCount() <= MAX_THREADS) {
            LockSupport.parkNanos(WATCH_NANOS);
        }
        end(folder, REFUSED + "too many threads: max=" + MAX_THREADS, STATUS);
    }
}
