package tutti.runtime.select;

import tutti.coll.CollModule;

/**
 * A module that this node offers.
 *
 * @param name    its name
 * @param version its version, in OSGi's syntax
 * @param module  the service
 */
public record OfferedModule(String name, String version, CollModule module) implements Comparable<OfferedModule> {
    @Override
    public int compareTo(final OfferedModule other) {
        final int byName = name.compareTo(other.name);
        return byName != 0 ? byName : version.compareTo(other.version);
    }

    @Override
    public String toString() {
        return name + " " + version;
    }
}
