package tutti.cli.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.felix.framework.FrameworkFactory;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.AllServiceListener;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.BundleEvent;
import org.osgi.framework.BundleException;
import org.osgi.framework.Constants;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.SynchronousBundleListener;
import org.osgi.framework.launch.Framework;
import org.osgi.util.tracker.ServiceTracker;
import org.slf4j.LoggerFactory;
import tutti.runtime.liveness.LiveWait;

/** Felix framework in this JVM with the bundles of a folder. For one thread, except {@link #close}, which any thread may call. */
public final class FelixContainer implements AutoCloseable {
    /** Packages of slf4j, exported from the launcher's class path: one slf4j for the launcher and all bundles, without weaving. */
    private static final String SLF4J = Stream.of("org.slf4j", "org.slf4j.event", "org.slf4j.helpers", "org.slf4j.spi")
        .map(p -> p + ";version=" + slf4jVersion()).reduce((a, b) -> a + "," + b).orElseThrow();

    private final Framework framework;
    private final CountDownLatch stopping = new CountDownLatch(1);
    /** Trackers of services that are waited for, which are closed when the framework stops. */
    private final Set<ServiceTracker<?, ?>> awaited = ConcurrentHashMap.newKeySet();

    private FelixContainer(final Framework framework) {
        this.framework = framework;
    }

    /**
     * Starts a framework and the bundles.
     *
     * @param bundles    folder whose jars are installed and started, in the order of their names
     * @param storage    storage folder of the framework, emptied first
     * @param properties framework properties, visible to the bundles
     * @param cancelled  asked before the framework is created, and before each bundle is installed or started
     * @throws IOException when a bundle cannot be installed or started; the message names it
     * @throws CancellationException when {@code cancelled} says so; the framework is then left as it is, since the caller ends the JVM
     */
    public static FelixContainer start(final Path bundles, final Path storage, final Map<String, String> properties,
        final BooleanSupplier cancelled) throws IOException {
        check(cancelled);
        final Map<String, String> config = new HashMap<>(properties);
        config.put(Constants.FRAMEWORK_STORAGE, storage.toString());
        config.put(Constants.FRAMEWORK_STORAGE_CLEAN, Constants.FRAMEWORK_STORAGE_CLEAN_ONFIRSTINIT);
        config.put(Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA, SLF4J);
        final Framework framework = new FrameworkFactory().newFramework(config);
        final FelixContainer container = new FelixContainer(framework);
        try {
            framework.start();
            container.context().addBundleListener((SynchronousBundleListener) container::changed);
            container.install(jars(bundles), cancelled);
            return container;
        } catch (final CancellationException e) {
            throw e;
        } catch (final BundleException e) {
            container.close();
            throw new IOException("container does not start: " + e.getMessage(), e);
        } catch (final IOException | RuntimeException e) {
            container.close();
            throw e;
        }
    }

    private static String slf4jVersion() {
        final String version = LoggerFactory.class.getPackage().getImplementationVersion();
        if (version == null) {
            throw new IllegalStateException("slf4j-api has no Implementation-Version in its manifest: start it from its jar");
        }
        return version;
    }

    private static List<Path> jars(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.getFileName().toString().endsWith(".jar")).sorted().toList();
        }
    }

    /**
     * Installs bundles, then starts them in that order.
     *
     * @throws IOException when one cannot be installed or started; the message names it
     */
    public void install(final List<Path> jars) throws IOException {
        install(jars, () -> false);
    }

    private void install(final List<Path> jars, final BooleanSupplier cancelled) throws IOException {
        final List<Bundle> installed = new ArrayList<>();
        for (final Path jar : jars) {
            check(cancelled);
            try {
                installed.add(context().installBundle("reference:" + jar.toUri()));
            } catch (final BundleException e) {
                throw new IOException("bundle cannot be installed: " + jar.getFileName() + ": " + e.getMessage(), e);
            }
        }
        for (final Bundle bundle : installed) {
            check(cancelled);
            if (bundle.getHeaders("").get(Constants.FRAGMENT_HOST) == null) {
                try {
                    bundle.start();
                } catch (final BundleException e) {
                    throw new IOException("bundle cannot be started: " + bundle.getSymbolicName() + " " + bundle.getVersion() + ": "
                        + e.getMessage(), e);
                }
            }
        }
    }

    private static void check(final BooleanSupplier cancelled) {
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("start of the container was cancelled");
        }
    }

    private BundleContext context() {
        return framework.getBundleContext();
    }

    private void changed(final BundleEvent event) {
        if (event.getType() == BundleEvent.STOPPING && event.getBundle().getBundleId() == Constants.SYSTEM_BUNDLE_ID) {
            stopping.countDown();
            awaited.forEach(ServiceTracker::close);
        }
    }

    /**
     * Waits for a service as long as the framework runs.
     *
     * @param filter filter of its properties
     * @param wait   says what is waited for, and may end the wait
     * @return the service; null when the wait ended before there was one, at once when the framework stops
     */
    public @Nullable ServiceReference<?> awaitService(final String filter, final LiveWait wait) throws InterruptedException {
        final BundleContext context = framework.getBundleContext();
        if (context == null) {
            // it has stopped
            return null;
        }
        try {
            final ServiceTracker<Object, Object> tracker = new ServiceTracker<>(context, FrameworkUtil.createFilter(filter), null);
            // of any class: no class is shared with the bundles
            tracker.open(true);
            awaited.add(tracker);
            try {
                while (stopping.getCount() > 0 && wait.goesOn()) {
                    if (tracker.waitForService(LiveWait.PERIOD.toMillis()) != null) {
                        return tracker.getServiceReference();
                    }
                }
                return null;
            } finally {
                awaited.remove(tracker);
                tracker.close();
            }
        } catch (final InvalidSyntaxException e) {
            throw new IllegalArgumentException("not a filter: " + filter, e);
        }
    }

    /** Returns the properties of the latest service that matches a filter, as it was registered or changed last; empty before there is one. */
    public Supplier<Map<String, Object>> watch(final String filter) {
        final AtomicReference<Map<String, Object>> latest = new AtomicReference<>(Map.of());
        try {
            // of any class: no class is shared with the bundles
            context().addServiceListener((AllServiceListener) event -> latest.set(properties(event.getServiceReference())), filter);
            final ServiceReference<?>[] before = context().getAllServiceReferences(null, filter);
            if (before != null) {
                latest.compareAndSet(Map.of(), properties(before[0]));
            }
        } catch (final InvalidSyntaxException e) {
            throw new IllegalArgumentException("not a filter: " + filter, e);
        }
        return latest::get;
    }

    private static Map<String, Object> properties(final ServiceReference<?> service) {
        final Map<String, Object> properties = new HashMap<>();
        for (final String key : service.getPropertyKeys()) {
            properties.put(key, service.getProperty(key));
        }
        return properties;
    }

    /** Waits as {@link #awaitStopping()} does, that long at most; returns whether the framework stops. */
    public boolean awaitStopping(final Duration limit) throws InterruptedException {
        return stopping.await(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Waits until the framework begins to stop, whoever stops it. A restart of the framework begins with a stop. */
    public void awaitStopping() throws InterruptedException {
        stopping.await();
    }

    /** Stops the bundles and the framework; waits 10 s at most. Idempotent. */
    @Override
    public void close() {
        try {
            framework.stop();
            framework.waitForStop(TimeUnit.SECONDS.toMillis(10));
        } catch (final BundleException e) {
            throw new IllegalStateException("container does not stop: " + e.getMessage(), e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
