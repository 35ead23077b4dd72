package tutti.runtime.registry;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
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
import tutti.coll.QueryResult;
import tutti.runtime.module.Catalogue;
import tutti.runtime.module.ModuleId;
import tutti.runtime.module.NodeCatalogue;
import tutti.runtime.module.NodeModules;
import tutti.runtime.module.QuarantinedModule;

/**
 * The registry of the modules that are active on this node.
 *
 * <p>Modules are registered and unregistered at any time; a job pins them by a {@link Lease}. Service objects are obtained only when a job
 * keeps the module, so the code of a module runs for jobs alone, except in {@link #probe} and {@link #with}. Safe for any thread.
 *
 * <p><b>Threads.</b> The lock of this object guards all its fields, and no code of a module runs under it. Service objects are obtained under the
 * lock of their lease. Who waits for a retired bundle is notified without a lock.
 */
@Component(service = {NodeCatalogue.class, NodeModules.class, ModuleProvider.class})
public final class ModuleRegistry implements NodeModules, ModuleProvider {
    private static final Logger LOG = LoggerFactory.getLogger(ModuleRegistry.class);

    private final BundleContext context;
    private final ServiceTracker<CollModule, Offer> tracker;
    private final Map<ServiceReference<CollModule>, Offer> offers = new HashMap<>();
    private final Set<Long> hidden = new HashSet<>();
    private final Map<Long, Integer> pins = new HashMap<>();
    private final Map<Long, CompletableFuture<Void>> unpinned = new HashMap<>();
    private List<QuarantinedModule> quarantine = List.of();
    private long epoch;

    private record Offer(ModuleId id, Bundle bundle, ServiceReference<CollModule> reference) {}

    /** Starts tracking module services. */
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

    private final class Customizer implements ServiceTrackerCustomizer<CollModule, @Nullable Offer> {
        @Override
        public @Nullable Offer addingService(final ServiceReference<CollModule> reference) {
            try {
                final Offer offer = new Offer(id(reference), reference.getBundle(), reference);
                synchronized (ModuleRegistry.this) {
                    offers.put(reference, offer);
                    epoch++;
                }
                return offer;
            } catch (final IllegalArgumentException e) {
                // Cause: a component publishes a module without the properties that it needs. Remedy: annotate it with `@ProvidesCollectives`.
                LOG.warn("service of bundle {} is not a module: {}", reference.getBundle(), e.getMessage());
                return null;
            }
        }

        @Override
        public void modifiedService(final ServiceReference<CollModule> reference, final Offer offer) {
            // the properties of the identity do not change
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
        return new Catalogue(epoch, visible().stream().map(Offer::id).toList(), quarantine);
    }

    private List<Offer> visible() {
        return offers.values().stream().filter(o -> !hidden.contains(o.bundle().getBundleId())).toList();
    }

    @Override
    public synchronized List<ModuleId> of(final Bundle bundle) {
        return offers.values().stream().filter(o -> o.bundle().equals(bundle)).map(Offer::id).sorted().toList();
    }

    @Override
    public synchronized @Nullable Bundle bundleOf(final ModuleId id) {
        return bundle(visible(), id);
    }

    @Override
    public synchronized @Nullable Bundle installed(final ModuleId id) {
        return bundle(offers.values(), id);
    }

    private static @Nullable Bundle bundle(final Collection<Offer> of, final ModuleId id) {
        return of.stream().filter(o -> o.id().equals(id)).map(Offer::bundle).findFirst().orElse(null);
    }

    @Override
    public void probe(final Bundle bundle) throws IOException {
        final List<Offer> ofBundle;
        synchronized (this) {
            ofBundle = offers.values().stream().filter(o -> o.bundle().equals(bundle)).toList();
        }
        for (final Offer o : ofBundle) {
            final ServiceObjects<CollModule> objects = context.getServiceObjects(o.reference());
            objects.ungetService(create(o, objects));
        }
    }

    @Override
    public <T> T with(final Bundle bundle, final ModuleFunction<T> function) throws Exception {
        final Offer offer;
        synchronized (this) {
            offer = offers.values().stream().filter(o -> o.bundle().equals(bundle)).findFirst()
                .orElseThrow(() -> new IOException("bundle publishes no module: bundle=" + bundle));
        }
        final ServiceObjects<CollModule> objects = context.getServiceObjects(offer.reference());
        final CollModule module = create(offer, objects);
        try {
            return function.apply(module);
        } finally {
            objects.ungetService(module);
        }
    }

    private static CollModule create(final Offer offer, final ServiceObjects<CollModule> objects) throws IOException {
        final CollModule module = objects == null ? null : objects.getService();
        if (module == null) {
            throw new IOException("module " + offer.id() + " cannot be created: bundle=" + offer.bundle() + "; its component failed or was removed");
        }
        return module;
    }

    @Override
    public synchronized boolean isOffered(final Bundle bundle) {
        return visible().stream().anyMatch(o -> o.bundle().equals(bundle));
    }

    @Override
    public synchronized void hide(final Bundle bundle) {
        hidden.add(bundle.getBundleId());
    }

    @Override
    public synchronized void show(final Bundle bundle) {
        hidden.remove(bundle.getBundleId());
        epoch++;
    }

    @Override
    public synchronized CompletionStage<Void> retire(final Bundle bundle) {
        hidden.add(bundle.getBundleId());
        epoch++;
        if (!pins.containsKey(bundle.getBundleId())) {
            return CompletableFuture.completedFuture(null);
        }
        return unpinned.computeIfAbsent(bundle.getBundleId(), b -> new CompletableFuture<>());
    }

    @Override
    public synchronized void setQuarantine(final List<QuarantinedModule> all) {
        quarantine = List.copyOf(all);
        epoch++;
    }

    @Override
    public synchronized void forget(final Bundle bundle) {
        hidden.remove(bundle.getBundleId());
    }

    @Override
    public Lease lease() {
        return leaseAll();
    }

    @Override
    public Pinned pin() {
        final ModuleLease all = leaseAll();
        return new Pinned() {
            @Override
            public void keep(final List<ModuleId> modules) {
                all.releaseOthers(modules);
            }

            @Override
            public void close() {
                all.close();
            }
        };
    }

    private synchronized ModuleLease leaseAll() {
        final List<Offer> held = visible();
        held.forEach(o -> pins.merge(o.bundle().getBundleId(), 1, Integer::sum));
        return new ModuleLease(held, new Catalogue(epoch, held.stream().map(Offer::id).toList(), quarantine));
    }

    /** Pins the modules that are offered now and not in a list, and adds them; returns the catalogue of all that are offered. */
    private synchronized Catalogue pinOthers(final List<Offer> pinned) {
        final List<Offer> now = visible();
        for (final Offer o : now) {
            if (!pinned.contains(o)) {
                pins.merge(o.bundle().getBundleId(), 1, Integer::sum);
                pinned.add(o);
            }
        }
        return new Catalogue(epoch, now.stream().map(Offer::id).toList(), quarantine);
    }

    private void unpin(final List<Offer> released) {
        final List<CompletableFuture<Void>> now = new ArrayList<>();
        synchronized (this) {
            for (final Offer o : released) {
                if (pins.merge(o.bundle().getBundleId(), -1, Integer::sum) == 0) {
                    pins.remove(o.bundle().getBundleId());
                    final CompletableFuture<Void> waiting = unpinned.remove(o.bundle().getBundleId());
                    if (waiting != null) {
                        now.add(waiting);
                    }
                }
            }
        }
        now.forEach(w -> w.complete(null));
    }

    private final class ModuleLease implements Lease {
        /** A service object; without one where it could not be created. */
        private record Acquired(@Nullable ServiceObjects<CollModule> objects, OfferedModule module) {}

        private final Catalogue catalogue;
        private final Map<ModuleId, Acquired> acquired = new LinkedHashMap<>();
        private List<Offer> leased;

        ModuleLease(final List<Offer> leased, final Catalogue catalogue) {
            this.leased = leased;
            this.catalogue = catalogue;
        }

        @Override
        public Catalogue catalogue() {
            return catalogue;
        }

        @Override
        public synchronized Catalogue extend() {
            final List<Offer> all = new ArrayList<>(leased);
            final Catalogue now = pinOthers(all);
            leased = all;
            return now;
        }

        @Override
        public synchronized List<OfferedModule> keep(final List<ModuleId> modules, final Collection<ModuleId> needed) throws IOException {
            final List<OfferedModule> result = new ArrayList<>();
            for (final ModuleId id : modules) {
                final Offer offer = leased.stream().filter(o -> o.id().equals(id)).findFirst()
                    .orElseThrow(() -> new IOException("module is not leased: " + id));
                result.add(acquire(offer, needed.contains(id)));
            }
            releaseOthers(modules);
            return result;
        }

        synchronized void releaseOthers(final List<ModuleId> modules) {
            final List<Offer> others = leased.stream().filter(o -> !modules.contains(o.id())).toList();
            leased = leased.stream().filter(o -> modules.contains(o.id())).toList();
            others.forEach(o -> unget(acquired.remove(o.id())));
            unpin(others);
        }

        private OfferedModule acquire(final Offer offer, final boolean isNeeded) throws IOException {
            final Acquired known = acquired.get(offer.id());
            if (known != null) {
                return known.module();
            }
            final ServiceObjects<CollModule> objects = context.getServiceObjects(offer.reference());
            Acquired got;
            try {
                got = new Acquired(objects, new OfferedModule(offer.id(), create(offer, objects)));
            } catch (final IOException e) {
                if (isNeeded) {
                    throw e;
                }
                // Cause: the module was stopped or removed while the job started; the job does without it. Remedy: `tutti modules`; install it again.
                LOG.warn("module is left out of a job: {}", e.getMessage());
                got = new Acquired(null, new OfferedModule(offer.id(), comm -> new QueryResult.Declined(String.valueOf(e.getMessage()))));
            }
            acquired.put(offer.id(), got);
            return got.module();
        }

        private static void unget(final @Nullable Acquired released) {
            if (released != null && released.objects() != null) {
                try {
                    released.objects().ungetService(released.module().module());
                } catch (final IllegalArgumentException | IllegalStateException e) {
                    LOG.debug("service of a module was removed before the end of its job", e);
                }
            }
        }

        @Override
        public synchronized void close() {
            releaseOthers(List.of());
        }
    }
}
