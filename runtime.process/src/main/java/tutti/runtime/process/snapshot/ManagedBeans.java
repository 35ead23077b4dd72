package tutti.runtime.process.snapshot;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.InstanceNotFoundException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/**
 * The MBean servers and the names of their MBeans. The platform server is created when it is needed first, and the JDK registers its own MBeans.
 *
 * @param before the servers at the snapshot, by identity, with the names
 */
record ManagedBeans(Map<MBeanServer, Set<ObjectName>> before) implements Examined {
    /** The beginnings of the domains of the JDK. */
    private static final List<String> OF_JDK = List.of("JMImplementation", "java.", "jdk.", "com.sun.");

    static ManagedBeans now() {
        final Map<MBeanServer, Set<ObjectName>> servers = new IdentityHashMap<>();
        MBeanServerFactory.findMBeanServer(null).forEach(server -> servers.put(server, Set.copyOf(server.queryNames(null, null))));
        return new ManagedBeans(Collections.unmodifiableMap(servers));
    }

    @Override
    public List<String> differences() {
        final List<String> found = new ArrayList<>();
        for (final MBeanServer server : MBeanServerFactory.findMBeanServer(null)) {
            if (Origin.isProgram(server)) {
                found.add("MBean server is new: class=" + server.getClass().getName());
                continue;
            }
            final Set<ObjectName> names = new HashSet<>(server.queryNames(null, null));
            names.removeAll(before.getOrDefault(server, Set.of()));
            names.stream().filter(name -> OF_JDK.stream().noneMatch(name.getDomain()::startsWith) || isProgram(server, name))
                .forEach(name -> found.add("MBean is new: " + name.getCanonicalName()));
        }
        before.forEach((server, names) -> names.stream().filter(name -> !server.isRegistered(name))
            .forEach(name -> found.add("MBean is gone: " + name.getCanonicalName())));
        return found;
    }

    private static boolean isProgram(final MBeanServer server, final ObjectName name) {
        try {
            return Origin.isProgram(server.getClassLoaderFor(name));
        } catch (final InstanceNotFoundException e) {
            // unregistered meanwhile
            return false;
        }
    }
}
