package tutti.daemon.part;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.transport.Transport;

/**
 * Registry of the transports that are services in this container, by scheme. They come and go while jobs run. Of two with the same scheme, the one
 * that came first is used. Safe for any thread.
 */
@Component(service = TransportRegistry.class)
public final class TransportRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(TransportRegistry.class);
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final List<Offer> offers = new ArrayList<>();
    private final Collection<Use> uses = new ArrayList<>();
    private final Duration endLimit;

    /** Transport with its scheme. */
    private record Offer(String scheme, Transport transport) {}

    /** Use of a transport, which lasts until it is closed. */
    final class Use implements AutoCloseable {
        private final Offer offer;
        private final Consumer<String> lost;

        private Use(final Offer offer, final Consumer<String> lost) {
            this.offer = offer;
            this.lost = lost;
        }

        Transport transport() {
            return offer.transport();
        }

        @Override
        public void close() {
            synchronized (TransportRegistry.this) {
                uses.remove(this);
                TransportRegistry.this.notifyAll();
            }
        }
    }

    /** Creates a registry without transports. */
    public TransportRegistry() {
        this(END_LIMIT);
    }

    /** Creates a registry that waits at most the given time for the users of a transport that goes away. */
    TransportRegistry(final Duration endLimit) {
        this.endLimit = endLimit;
    }

    @Reference(name = "transports", cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC,
        policyOption = ReferencePolicyOption.GREEDY)
    void addTransport(final Transport transport, final Map<String, ?> properties) {
        if (properties.get(Transport.SCHEME) instanceof String scheme && !scheme.isBlank()) {
            synchronized (this) {
                offers.add(new Offer(scheme, transport));
            }
        } else {
            LOG.warn("transport without a scheme is ignored: class={}, property={}", transport.getClass().getName(), Transport.SCHEME);
        }
    }

    /**
     * Removes a transport and notifies its users. Waits until they have stopped to use it, but not long: only then its links are closed, so that
     * the other nodes learn why the jobs end before they lose a link.
     */
    public void removeTransport(final Transport transport) {
        final List<Use> lost;
        synchronized (this) {
            offers.removeIf(o -> o.transport() == transport);
            lost = uses.stream().filter(u -> u.transport() == transport).toList();
        }
        lost.forEach(u -> u.lost.accept("transport " + u.offer.scheme() + " was stopped while the job used it"));
        try {
            awaitEnd(lost);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitEnd(final List<Use> lost) throws InterruptedException {
        final long limit = System.nanoTime() + endLimit.toNanos();
        synchronized (this) {
            for (long left = endLimit.toMillis(); left > 0 && !Collections.disjoint(uses, lost);
                left = TimeUnit.NANOSECONDS.toMillis(limit - System.nanoTime())) {
                wait(left);
            }
        }
    }

    /** Returns the schemes in alphabetical order. */
    List<String> schemes() {
        synchronized (this) {
            return List.copyOf(new TreeSet<>(offers.stream().map(Offer::scheme).toList()));
        }
    }

    /**
     * Starts to use a transport.
     *
     * @param lost receives the reason when the transport goes away; must not block
     * @return null when there is no transport of that scheme
     */
    @Nullable
    Use use(final String scheme, final Consumer<String> lost) {
        synchronized (this) {
            for (final Offer o : offers) {
                if (o.scheme().equals(scheme)) {
                    final Use use = new Use(o, lost);
                    uses.add(use);
                    return use;
                }
            }
            return null;
        }
    }
}
