package tutti.daemon.part;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.liveness.LiveWait;
import tutti.runtime.transport.Transport;

/**
 * Registry of the transports that are services in this container, by scheme. They come and go while jobs run. Of two with the same scheme, the one
 * that came first is used. Safe for any thread.
 */
@Component(service = TransportRegistry.class)
public final class TransportRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(TransportRegistry.class);

    private final List<Offer> offers = new ArrayList<>();
    private final Collection<Use> uses = new ArrayList<>();

    /** Transport with its scheme. */
    private record Offer(String scheme, Transport transport) {}

    /** User of a transport. */
    interface User {
        /** Notifies that the transport goes away, which waits until its use is closed. Must not block. */
        void transportLost(String reason);
    }

    /** Use of a transport, which lasts until it is closed. */
    final class Use implements AutoCloseable {
        private final Offer offer;
        private final User user;

        private Use(final Offer offer, final User user) {
            this.offer = offer;
            this.user = user;
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

    @Reference(name = "transports", cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC,
        policyOption = ReferencePolicyOption.GREEDY)
    void addTransport(final Transport transport, final Map<String, ?> properties) {
        if (properties.get(Transport.SCHEME) instanceof String scheme && !scheme.isBlank()) {
            synchronized (this) {
                offers.add(new Offer(scheme, transport));
            }
        } else {
            // Cause: a bundle publishes a transport without the property. Remedy: correct the bundle.
            LOG.warn("transport without a scheme is ignored: class={}, property={}", transport.getClass().getName(), Transport.SCHEME);
        }
    }

    /**
     * Removes a transport, notifies its users, and waits until they do not use it any more: only then its links are closed, so that the other nodes
     * learn why the jobs end before they lose a link.
     */
    public void removeTransport(final Transport transport) {
        final List<Use> lost;
        synchronized (this) {
            offers.removeIf(o -> o.transport() == transport);
            lost = uses.stream().filter(u -> u.transport() == transport).toList();
        }
        lost.forEach(u -> u.user.transportLost("transport " + u.offer.scheme() + " was stopped while the job used it"));
        final LiveWait wait = new LiveWait("a transport is stopped, and waits for the ends of the jobs that use it", () -> true, LOG::info);
        synchronized (this) {
            try {
                while (!Collections.disjoint(uses, lost) && wait.goesOn()) {
                    wait(LiveWait.PERIOD.toMillis());
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns {@link Transport#reach} of a transport; empty when there is none of that scheme. */
    String reach(final String scheme) throws IOException {
        final Transport transport;
        synchronized (this) {
            transport = offers.stream().filter(o -> o.scheme().equals(scheme)).map(Offer::transport).findFirst().orElse(null);
        }
        return transport == null ? "" : transport.reach();
    }

    /** Returns the transports. */
    List<Transport> all() {
        synchronized (this) {
            return offers.stream().map(Offer::transport).toList();
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
     * @return null when there is no transport of that scheme
     */
    @Nullable
    Use use(final String scheme, final User user) {
        synchronized (this) {
            for (final Offer o : offers) {
                if (o.scheme().equals(scheme)) {
                    final Use use = new Use(o, user);
                    uses.add(use);
                    return use;
                }
            }
            return null;
        }
    }
}
