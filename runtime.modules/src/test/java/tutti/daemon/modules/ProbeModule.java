package tutti.daemon.modules;

import java.util.Hashtable;
import java.util.Map;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import tutti.coll.CollComm;
import tutti.coll.CollModule;
import tutti.coll.QueryResult;

/** Module of the bundles that tests install: its activator publishes it, and it declines on every communicator. */
public final class ProbeModule implements BundleActivator, CollModule {
    @Override
    public void start(final BundleContext context) {
        context.registerService(CollModule.class, this, new Hashtable<>(Map.of(CollModule.NAME, "probe")));
    }

    @Override
    public void stop(final BundleContext context) {
        // the framework unregisters the service
    }

    @Override
    public QueryResult query(final CollComm comm) {
        return new QueryResult.Declined("a probe");
    }
}
