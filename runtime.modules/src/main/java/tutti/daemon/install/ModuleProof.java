package tutti.daemon.install;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import tutti.daemon.modules.ModuleStore;
import tutti.daemon.protocol.Protocol;
import tutti.runtime.module.NodeModules;
import tutti.runtime.process.snapshot.JvmSnapshot;

/**
 * Proof of a module in a process that a node has started for it: a store prepares its installation, as on a node. Not used on nodes.
 *
 * <p>A function of the module's file and a receiver of the steps; returns why the module is refused, or null when it may be installed.
 */
@Component(service = BiFunction.class, property = ModuleStore.PROOF + "=true")
public final class ModuleProof implements BiFunction<Path, Consumer<String>, String> {
    /** Most changes of the JVM that a refusal names. */
    private static final int MAX = 5;

    private final BundleContext context;
    private final NodeModules registry;

    /** Creates a proof that has not begun. */
    @Activate
    public ModuleProof(final BundleContext context, @Reference(name = "registry") final NodeModules registry) {
        this.context = context;
        this.registry = registry;
    }

    @Override
    public @Nullable String apply(final Path file, final Consumer<String> steps) {
        final JvmSnapshot before = JvmSnapshot.take();
        final String failure = prove(file, steps);
        final List<String> changed = before.changedSettings();
        // which may be why the proof has failed
        return changed.isEmpty() ? failure : "the module changes its JVM: " + String.join("; ", changed.subList(0, Math.min(changed.size(), MAX)))
            + (changed.size() > MAX ? "; ..." : "") + "; use configuration in place of such changes, or install it anyway with: --no-verify";
    }

    /** Returns why the module cannot be installed; null when it can. */
    private @Nullable String prove(final Path file, final Consumer<String> steps) {
        try {
            ModuleStore.tryInstall(context, registry, file, steps::accept);
            return null;
        } catch (final IOException | RuntimeException e) {
            return Protocol.oneLine(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }
}
