package tutti.daemon.modules;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.osgi.framework.launch.FrameworkFactory;
import tutti.daemon.channel.ProgramFiles;
import tutti.daemon.protocol.ModuleChange;
import tutti.daemon.protocol.ProgramFile;
import tutti.runtime.module.ModuleId;
import tutti.runtime.registry.ModuleRegistry;

/**
 * Node of a change, for tests: a real store in a real framework, which can crash before any step on its disk. A crashed node does nothing more, until
 * it is started again on what its disk holds.
 */
final class ChangeNode {
    final String name;
    private final Path folder;
    private final Path containers;
    private final ChangeSettlement.Peers peers;
    private volatile Run run;

    /** Thrown at the step before which a node crashes. */
    static final class Crash extends Error {
        private static final long serialVersionUID = 1;

        Crash(final String step) {
            super(step);
        }
    }

    /** One life of the node, from its start to its crash. */
    private static final class Run {
        private volatile StateFile.Steps steps = StateFile.Steps.ON_DISK;
        private volatile boolean hasCrashed;
        private Framework framework;
        private ModuleRegistry registry;
        private ModuleStore store;
        private ChangeSettlement settlement;
    }

    ChangeNode(final String name, final Path dir, final Map<String, ChangeNode> cluster) throws IOException {
        this.name = name;
        this.folder = dir.resolve(name);
        this.containers = Files.createDirectory(dir.resolve("containers-" + name));
        this.peers = (change, nodes) -> phases(cluster, change, nodes);
    }

    /** Returns the phases on other nodes, when this one and they live. */
    private ChangeSettlement.Answers phases(final Map<String, ChangeNode> cluster, final String change, final Collection<String> nodes) {
        return new ChangeSettlement.Answers(nodes.stream().map(cluster::get).filter(n -> !n.run.hasCrashed).map(n -> n.run.store.phase(change))
            .toList(), true);
    }

    /** Starts the node on what its disk holds. */
    void start() throws Exception {
        final Run next = new Run();
        next.framework = ServiceLoader.load(FrameworkFactory.class).findFirst().orElseThrow().newFramework(Map.of(Constants.FRAMEWORK_STORAGE,
            Files.createTempDirectory(containers, "container").toString(), Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, "tutti.coll"));
        next.framework.start();
        final BundleContext context = next.framework.getBundleContext();
        next.registry = new ModuleRegistry(context);
        next.store = new ModuleStore(context, next.registry, folder, null, 256, step -> {
            if (next.hasCrashed) {
                throw new Crash(step);
            }
            next.steps.before(step);
        });
        next.store.restore();
        next.settlement = new ChangeSettlement(name, next.store, peers);
        run = next;
        next.settlement.wake();
    }

    /** Ends the node as a crash of its process does. */
    void crash() throws BundleException {
        run.hasCrashed = true;
        run.settlement.close();
        run.framework.stop();
    }

    boolean hasCrashed() {
        return run.hasCrashed;
    }

    /** Receives the steps on the disk of this life before they are carried out. */
    void steps(final StateFile.Steps steps) {
        run.steps = steps;
    }

    /** Tells the node that others come or go. */
    void wake() {
        run.settlement.wake();
    }

    ModuleStore store() {
        return run.store;
    }

    /** Returns the versions of module probe that the node offers. */
    List<String> versions() {
        return modules().stream().map(m -> m.version().toString()).toList();
    }

    /** Returns the modules that the node offers. */
    List<ModuleId> modules() {
        return run.registry.catalogue().modules();
    }

    /** Returns the node of a change, as the coordinator of one change sees it. */
    ChangeParticipant participant() {
        final Run life = run;
        final LocalChange change = new LocalChange(life.store);
        return new ChangeParticipant(name, new Target(life, change), () -> {
            if (!life.hasCrashed) {
                change.close();
            }
        });
    }

    /** Target on a node: tells the coordinator that the node is gone when it crashes. */
    private record Target(Run life, LocalChange change) implements ChangeTarget {
        private <T> CompletionStage<T> unlessCrashed(final Supplier<CompletionStage<T>> step) {
            final CompletionStage<T> result = life.hasCrashed ? CompletableFuture.failedStage(new IOException("closed")) : step.get();
            return result.exceptionallyCompose(e -> {
                if (e.getCause() instanceof Crash) {
                    life.hasCrashed = true;
                    return CompletableFuture.failedStage(new IOException("closed"));
                }
                return CompletableFuture.failedStage(e);
            });
        }

        @Override
        public CompletionStage<Void> reserve(final String id, final boolean force) {
            return unlessCrashed(() -> change.reserve(id, force));
        }

        @Override
        public CompletionStage<PreparedChange> prepare(final String id, final List<String> nodes, final ModuleChange what, final InputStream file) {
            return unlessCrashed(() -> change.prepare(id, nodes, what, file));
        }

        @Override
        public CompletionStage<Void> commit() {
            return unlessCrashed(change::commit);
        }

        @Override
        public CompletionStage<Void> finish() {
            return unlessCrashed(change::finish);
        }

        @Override
        public CompletionStage<Void> undo() {
            return unlessCrashed(change::undo);
        }
    }

    /** Writes the bundle of module probe in a version. */
    static Path bundle(final Path dir, final String version) throws IOException {
        final Manifest manifest = new Manifest();
        final Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
        main.putValue(Constants.BUNDLE_SYMBOLICNAME, "probe");
        main.putValue(Constants.BUNDLE_VERSION, version);
        main.putValue(Constants.BUNDLE_ACTIVATOR, ProbeModule.class.getName());
        main.putValue(Constants.IMPORT_PACKAGE, "tutti.coll,org.osgi.framework");
        main.putValue(Constants.PROVIDE_CAPABILITY, "tutti.coll;tutti.coll=probe;operations:List<String>=\"bcast\"");
        final Path file = dir.resolve("probe-" + version + ".jar");
        final String entry = ProbeModule.class.getName().replace('.', '/') + ".class";
        try (OutputStream out = Files.newOutputStream(file);
             JarOutputStream jar = new JarOutputStream(out, manifest);
             InputStream in = Objects.requireNonNull(ProbeModule.class.getClassLoader().getResourceAsStream(entry))) {
            jar.putNextEntry(new JarEntry(entry));
            in.transferTo(jar);
        }
        return file;
    }

    /** Returns the description of a bundle for a change. */
    static ProgramFile describe(final Path bundle) throws IOException {
        return ProgramFiles.describe(bundle);
    }

    /** Stops the framework. */
    void close() throws Exception {
        run.settlement.close();
        run.framework.stop();
        run.framework.waitForStop(TimeUnit.SECONDS.toMillis(60));
    }
}
