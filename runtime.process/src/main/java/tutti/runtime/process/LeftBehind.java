package tutti.runtime.process;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tutti.runtime.process.stop.ThreadGroups;

/**
 * Removes what the ranks of a job left in parts of the JVM that all programs share: JMX beans, and files and sockets that a collection closes.
 *
 * <p><b>Threads.</b> Works on a thread of its own, since the code of a program may run; jobs that end at the same time have a thread each.
 */
final class LeftBehind {
    private static final Logger LOG = LoggerFactory.getLogger(LeftBehind.class);

    private LeftBehind() {}

    /** Removes in the background what ranks that have ended left behind. */
    static void remove() {
        final Thread thread = Thread.ofPlatform().group(ThreadGroups.root()).daemon().name("tutti-clean").inheritInheritableThreadLocals(false)
            .unstarted(LeftBehind::run);
        thread.setContextClassLoader(LeftBehind.class.getClassLoader());
        try {
            thread.start();
        } catch (final OutOfMemoryError e) {
            LOG.warn("what a job left behind is not removed: {}", e.getMessage());
        }
    }

    private static void run() {
        try {
            unregisterBeans();
            LeftDescriptors.reclaim();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (final JMException | RuntimeException e) {
            LOG.warn("what a job left behind is not removed", e);
        }
    }

    private static void unregisterBeans() throws JMException {
        if (!RankLoader.hasEnded() || MBeanServerFactory.findMBeanServer(null).isEmpty()) {
            return;
        }
        final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        for (final ObjectName name : server.queryNames(null, null)) {
            if (RankLoader.isOfEnded(server.getClassLoaderFor(name))) {
                server.unregisterMBean(name);
            }
        }
    }
}
