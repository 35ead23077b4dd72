package tutti.runtime.select;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceObjects;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.util.tracker.ServiceTracker;
import org.osgi.util.tracker.ServiceTrackerCustomizer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.coll.CollModule;

/**
 * The modules that are active on this node: every {@link CollModule} service, but for those of bundles that are hidden because they are
 * not yet, or no longer, to be used. They come and go; a job holds them by a {@link Lease}. Service objects are not touched before a job
 * keeps them, so a module's code runs for jobs alone. Safe for any thread.
 */
@Component(service = {ModuleRegistry.class, ModuleProvider.class})
public final class ModuleRegistry implements ModuleProvider {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleRegistry.class);

    private final BundleContext context;
    private final ServiceTracker<CollModule, Offer> tracker;
    private final Map<ServiceReference<CollModule>, Offer> offers = new HashMap<>();
    private final Set<Long> hidden = new HashSet<>();
    private final Map<Long, Integer> pins = new HashMap<>();
    private final Map<Long, CompletableFuture<Void>> idle = new HashMap<>();
    private long epoch;

    private record Offer(ModuleId id, Bundle bundle, ServiceReference<CollModule> reference) { }

    /** Looks for modules from now on. */
    @Activate
    public ModuleRegistry(final BundleContext context) {
        this.context = context;
        this.tracker = new ServiceTracker<>(context, CollModule.class, new Customizer());
        tracker.open();
    }

    @Deactivate
    void close() {
        tracker.close();
    }

    private final class Customizer implements ServiceTrackerCustomizer<CollModule, Offer> {
        @Override
        public Offer addingService(final ServiceReference<CollModule> reference) {
            try {
                final Offer offer = new Offer(id(reference), reference.getBundle(), reference);
                synchronized (ModuleRegistry.this) {
                    offers.put(reference, offer);
                    epoch++;
                }
                return offer;
            } catch (final IllegalArgumentException e) {
                LOG.warn("service of bundle {} is no module: {}", reference.getBundle(), e.getMessage());
                return null;
            }
        }

        @Override
        public void modifiedService(final ServiceReference<CollModule> reference, final Offer offer) {
            // what makes the identity does not change
        }

        @Override
        public void removedService(final ServiceReference<CollModule> reference, final Offer offer) {
            synchronized (ModuleRegistry.this) {
                offers.remove(reference);
                epoch++;
            }
        }
    }

    private static ModuleId id(final ServiceReference<CollModule> reference) {
        if (!(reference.getProperty(CollModule.NAME) instanceof String name) || name.isBlank()) {
            throw new IllegalArgumentException("service property is missing: " + CollModule.NAME);
        }
        final Object version = reference.getProperty(CollModule.VERSION);
        final Bundle bundle = reference.getBundle();
        return new ModuleId(name, version == null ? bundle.getVersion() : Version.parseVersion(version.toString()), BundleDigest.of(bundle));
    }

    @Override
    public synchronized Catalogue catalogue() {
        return new Catalogue(epoch, visible().stream().map(Offer::id).toList());
    }

    private List<Offer> visible() {
        return offers.values().stream().filter(o -> !hidden.contains(o.bundle().getBundleId())).toList();
    }

    /** The modules of one bundle, hidden or not. */
    public synchronized List<ModuleId> of(final Bundle bundle) {
        return offers.values().stream().filter(o -> o.bundle().equals(bundle)).map(Offer::id).sorted().toList();
    }

    /** The bundle of a module that is offered; null when it is not. */
    public synchronized Bundle bundleOf(final ModuleId id) {
        return visible().stream().filter(o -> o.id().equals(id)).map(Offer::bundle).findFirst().orElse(null);
    }

    /** Makes the service objects of a bundle once, to see that its modules can be made at all. Runs the module's code. */
    public void probe(final Bundle bundle) throws IOException {
        final List<Offer> mine;
        synchronized (this) {
            mine = offers.values().stream().filter(o -> o.bundle().equals(bundle)).toList();
        }
        for (final Offer o : mine) {
            final ServiceObjects<CollModule> objects = context.getServiceObjects(o.reference());
            objects.ungetService(make(o, objects));
        }
    }

    /** What a module does when it is used. */
    @FunctionalInterface
    public interface Usage<T> {
        /** Uses it. */
        T by(CollModule module) throws Exception;
    }

    /**
     * Makes the module of a bundle, hidden or not, uses it and lets go of it. Runs the module's code.
     *
     * @throws IOException when it cannot be made
     */
    public <T> T with(final Bundle bundle, final Usage<T> use) throws Exception {
        final Offer offer;
        synchronized (this) {
            offer = offers.values().stream().filter(o -> o.bundle().equals(bundle)).findFirst()
                .orElseThrow(() -> new IOException("bundle publishes no module: bundle=" + bundle));
        }
        final ServiceObjects<CollModule> objects = context.getServiceObjects(offer.reference());
        final CollModule module = make(offer, objects);
        try {
            return use.by(module);
        } finally {
            objects.ungetService(module);
        }
    }

    private static CollModule make(final Offer offer, final ServiceObjects<CollModule> objects) throws IOException {
        final CollModule module = objects == null ? null : objects.getService();
        if (module == null) {
            throw new IOException("module " + offer.id() + " cannot be made: bundle=" + offer.bundle() + "; its component failed or has gone");
        }
        return module;
    }

    /** Whether the bundle's modules are offered. */
    public synchronized boolean isOffered(final Bundle bundle) {
        return visible().stream().anyMatch(o -> o.bundle().equals(bundle));
    }

    /** From now on, and before it is started, the bundle's modules are not offered. */
    public synchronized void hide(final Bundle bundle) {
        hidden.add(bundle.getBundleId());
    }

    /** The bundle's modules are offered from now on. */
    public synchronized void show(final Bundle bundle) {
        hidden.remove(bundle.getBundleId());
        epoch++;
    }

    /** The bundle's modules are no longer offered; completes when no job holds them any more. */
    public synchronized CompletionStage<Void> retire(final Bundle bundle) {
        hidden.add(bundle.getBundleId());
        epoch++;
        if (!pins.containsKey(bundle.getBundleId())) {
            return CompletableFuture.completedFuture(null);
        }
        return idle.computeIfAbsent(bundle.getBundleId(), b -> new CompletableFuture<>());
    }

    /** Forgets a bundle that was uninstalled. */
    public synchronized void forget(final Bundle bundle) {
        hidden.remove(bundle.getBundleId());
    }

    @Override
    public synchronized Lease lease() {
        final List<Offer> held = visible();
        held.forEach(o -> pins.merge(o.bundle().getBundleId(), 1, Integer::sum));
        return new Held(held, new Catalogue(epoch, held.stream().map(Offer::id).toList()));
    }

    private void unpin(final List<Offer> released) {
        final List<CompletableFuture<Void>> now = new ArrayList<>();
        synchronized (this) {
            for (final Offer o : released) {
                if (pins.merge(o.bundle().getBundleId(), -1, Integer::sum) == 0) {
                    pins.remove(o.bundle().getBundleId());
                    final CompletableFuture<Void> waiting = idle.remove(o.bundle().getBundleId());
                    if (waiting != null) {
                        now.add(waiting);
                    }
                }
            }
        }
        now.forEach(w -> w.complete(null));
    }

    private final class Held implements Lease {
        private record Got(ServiceObjects<CollModule> objects, CollModule module) { }

        private final Catalogue catalogue;
        private final List<Got> got = new ArrayList<>();
        private List<Offer> held;

        Held(final List<Offer> held, final Catalogue catalogue) {
            this.held = held;
            this.catalogue = catalogue;
        }

        @Override
        public Catalogue catalogue() {
            return catalogue;
        }

        @Override
        public synchronized List<OfferedModule> keep(final List<ModuleId> modules) throws IOException {
            final List<OfferedModule> result = new ArrayList<>();
            final List<Offer> kept = new ArrayList<>();
            for (final ModuleId id : modules) {
                final Offer offer = held.stream().filter(o -> o.id().equals(id)).findFirst()
                    .orElseThrow(() -> new IOException("module is not held here: " + id));
                final ServiceObjects<CollModule> objects = context.getServiceObjects(offer.reference());
                final CollModule module = make(offer, objects);
                got.add(new Got(objects, module));
                kept.add(offer);
                result.add(new OfferedModule(id, module));
            }
            final List<Offer> others = new ArrayList<>(held);
            others.removeAll(kept);
            held = kept;
            unpin(others);
            return result;
        }

        @Override
        public synchronized void close() {
            for (final Got g : got) {
                try {
                    g.objects().ungetService(g.module());
                } catch (final IllegalArgumentException | IllegalStateException e) {
                    LOG.debug("a module's service has gone before its job", e);
                }
            }
            got.clear();
            final List<Offer> all = held;
            held = List.of();
            unpin(all);
        }
    }
}
